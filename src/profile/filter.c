/* A clause is parsed from a copy of its value without quotes; what is wrong is told with the bytes
 * of the text that it concerns, so that callers can underline them. */
#include "profile/filter.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/near.h"
#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "heaptap/trace.h"
#include "profile/filter_value.h"
#include "profile/filter_words.h"
#include "profile/pattern.h"

enum { FOCUS_MAX = 30 }; /* clauses focus: profile/matcher.c has a bit for each */

enum operator{
    OPERATOR_EQUAL,
    OPERATOR_UNEQUAL,
    OPERATOR_LESS,
    OPERATOR_AT_MOST,
    OPERATOR_GREATER,
    OPERATOR_AT_LEAST,
    OPERATOR_NONE
};

/* What is being parsed. */
struct parser {
    struct filter *filter;
    const char *text, *at;
    const char *word, *word_end;   /* of the clause in hand */
    const char *value, *value_end; /* as it stands in the text, quotes included */
    char *copy;                    /* the value without quotes, malloc'ed */
    size_t size;
    enum operator operator;
    size_t focus_count;
    size_t *length;
    struct heaptap_error *error;
};

const char *filter_word_name(enum filter_word word)
{
    return filter_word_info(word)->name;
}

enum filter_word filter_find_word(const char *name, size_t length)
{
    enum filter_word word = 0;
    for (; word < FILTER_WORD_COUNT; word++)
        if (strlen(filter_word_name(word)) == length &&
            memcmp(filter_word_name(word), name, length) == 0)
            break;
    bool is_old = length == strlen("allocators") && memcmp(name, "allocators", length) == 0;
    return is_old ? FILTER_LIBRARIES : word;
}

static bool has_trait(const struct filter_clause *clause, enum filter_trait trait)
{
    return filter_word_info(clause->word)->traits & trait;
}

/* ---- What is wrong, and where ------------------------------------------------------- */

static enum heaptap_status wrong(struct parser *parser, const char *from, const char *to,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

static enum heaptap_status wrong(struct parser *parser, const char *from, const char *to,
                                 const char *format, ...)
{
    char message[sizeof((struct heaptap_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(parser->error, HEAPTAP_BAD_ARGUMENT, "%s", message);
    if (parser->error)
        parser->error->offset = (uint64_t)(from - parser->text);
    if (parser->length)
        *parser->length = (size_t)(to - from);
    return HEAPTAP_BAD_ARGUMENT;
}

static enum heaptap_status wrong_value(struct parser *parser, const char *expected)
{
    return wrong(parser, parser->value, parser->value_end, "%.*s takes %s, not '%.40s'",
                 (int)(parser->word_end - parser->word), parser->word, expected, parser->copy);
}

/* ---- Words -------------------------------------------------------------------------- */

static bool is_word(char character)
{
    return isalpha((unsigned char)character) || character == '-' || character == '_';
}

static const char *const parts[] = {"", "function", "file", "module"};

/* Those of clauses, and then the parts that may follow some of them. */
static const char *word_name(size_t i)
{
    return i < FILTER_WORD_COUNT ? filter_word_name((enum filter_word)i)
                                 : parts[i - FILTER_WORD_COUNT + PART_FUNCTION];
}

static enum heaptap_status unknown_word(struct parser *parser)
{
    size_t size = (size_t)(parser->word_end - parser->word);
    const char *near = near_word(parser->word, size, word_name, FILTER_WORD_COUNT + PART_MODULE);
    const char *hint = near ? near : "`heaptap help filters` lists them";
    bool is_part = near && filter_find_word(near, strlen(near)) == FILTER_WORD_COUNT;
    return wrong(parser, parser->word, parser->word_end, "no clause is called '%.*s'%s%s%s%s%s",
                 (int)(size < 40 ? size : 40), parser->word, near ? "; did you mean " : "; ",
                 is_part ? "focus:" : "", hint, is_part ? "=" : "", near ? "?" : "");
}

/* The word of a clause and, behind a colon, its part or key; the operator; not yet the value. */
static enum heaptap_status parse_word(struct parser *parser, struct filter_clause *clause)
{
    parser->word = parser->at;
    while (is_word(*parser->at))
        parser->at++;
    parser->word_end = parser->at;
    if (parser->word == parser->word_end)
        return wrong(parser, parser->at, parser->at + 1,
                     "a clause begins with a word such as size or focus, not with '%.1s'",
                     parser->at);
    clause->word = filter_find_word(parser->word, (size_t)(parser->word_end - parser->word));
    if (clause->word == FILTER_WORD_COUNT)
        return unknown_word(parser);
    if (*parser->at != ':')
        return HEAPTAP_OK;
    const char *part = ++parser->at;
    while (*parser->at && !strchr("=!<> \t\n\r", *parser->at))
        parser->at++;
    size_t size = (size_t)(parser->at - part);
    if (has_trait(clause, WORD_TAKES_KEY) && size > 0) {
        clause->key = strndup(part, size);
        return clause->key ? HEAPTAP_OK : error_no_memory(parser->error);
    }
    for (int i = PART_FUNCTION; has_trait(clause, WORD_TAKES_PART) && i <= PART_MODULE; i++)
        if (strlen(parts[i]) == size && memcmp(parts[i], part, size) == 0) {
            clause->part = (enum filter_part)i;
            return HEAPTAP_OK;
        }
    return wrong(parser, part, parser->at, "%s follow %s:",
                 has_trait(clause, WORD_TAKES_PART)  ? "function, file or module must"
                 : has_trait(clause, WORD_TAKES_KEY) ? "the name of a label must"
                                                     : "nothing can",
                 filter_word_name(clause->word));
}

static enum heaptap_status parse_operator(struct parser *parser, struct filter_clause *clause)
{
    static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">="};
    static const enum operator longest_first[] = {OPERATOR_UNEQUAL,  OPERATOR_AT_MOST,
                                                  OPERATOR_AT_LEAST, OPERATOR_EQUAL,
                                                  OPERATOR_LESS,     OPERATOR_GREATER};
    parser->operator= OPERATOR_NONE;
    for (int i = 0; i < 6 && parser->operator== OPERATOR_NONE; i++) {
        size_t size = strlen(operators[longest_first[i]]);
        if (strncmp(parser->at, operators[longest_first[i]], size) == 0) {
            parser->operator= longest_first[i];
            parser->at += size;
        }
    }
    if (parser->operator== OPERATOR_NONE)
        return wrong(parser, parser->word, parser->at,
                     "'%.*s' must be followed by =, !=, <, <=, > or >=",
                     (int)(parser->at - parser->word), parser->word);
    if (parser->operator>= OPERATOR_LESS && !has_trait(clause, WORD_HAS_ORDER))
        return wrong(parser, parser->word, parser->at,
                     "%s has no order: use = or !=", filter_word_name(clause->word));
    clause->is_negated = parser->operator== OPERATOR_UNEQUAL;
    return HEAPTAP_OK;
}

/* Takes the value, and makes a copy of it without quotes. */
static enum heaptap_status take_value(struct parser *parser)
{
    char quote = *parser->at == '"' || *parser->at == '\'' ? *parser->at : 0;
    parser->value = parser->at;
    parser->size = 0;
    if (!quote)
        while (*parser->at && !isspace((unsigned char)*parser->at))
            parser->at++;
    for (parser->at += quote != 0; quote; parser->at++) {
        if (!*parser->at)
            return wrong(parser, parser->value, parser->at, "the quote %c is not closed", quote);
        if (*parser->at == quote && *++parser->at != quote)
            break;
    }
    parser->value_end = parser->at;
    free(parser->copy);
    parser->copy = malloc((size_t)(parser->value_end - parser->value) + 1);
    if (!parser->copy)
        return error_no_memory(parser->error);
    const char *from = parser->value + (quote != 0), *end = parser->value_end - (quote != 0);
    for (; from < end; from++) {
        parser->copy[parser->size++] = *from;
        from += quote && *from == quote; /* written twice */
    }
    parser->copy[parser->size] = 0;
    if (parser->size == 0)
        return wrong(parser, parser->word, parser->at, "%.*s has no value",
                     (int)(parser->word_end - parser->word), parser->word);
    if (quote && *parser->at && !isspace((unsigned char)*parser->at))
        return wrong(parser, parser->at, parser->at + 1,
                     "a closing quote must be followed by a space, not '%.1s'", parser->at);
    return HEAPTAP_OK;
}

/* ---- Values ------------------------------------------------------------------------- */

static enum heaptap_status parse_regex(struct parser *parser, struct filter_clause *clause)
{
    char message[160];
    size_t offset;
    clause->pattern = pattern_new(parser->copy, parser->size, message, sizeof message, &offset);
    if (clause->pattern)
        return HEAPTAP_OK;
    if (!*message)
        return error_no_memory(parser->error);
    return wrong(parser, parser->value, parser->value_end,
                 "this is not a regular expression: %s, after '%.*s'", message,
                 (int)(offset < 40 ? offset : 40), parser->copy);
}

/* The part of the run before which a time can't be, or with `sign` -1, after which; where that can't be told, outside of it. */
static double limit_of(const struct filter_bound *bound, int sign)
{
    if (bound->anchor == BOUND_SHARE)
        return bound->value;
    if (bound->value * sign < 0)
        return sign > 0 ? -1 : 2;
    return bound->anchor == BOUND_PEAK ? sign < 0 : bound->anchor == BOUND_END;
}

/* Of which the most, or the fewest, bytes are meant: a word has eight or four. */
static double bytes_of(const struct filter_bound *bound, int word_bytes)
{
    return bound->is_words ? bound->value * word_bytes : bound->value;
}

/* As far as that is known without a file. */
static bool is_backward(const struct filter_bound *low, const struct filter_bound *high)
{
    if (low->is_words != high->is_words)
        return bytes_of(low, 4) > bytes_of(high, 8);
    return low->anchor == high->anchor ? low->value > high->value
                                       : limit_of(low, 1) > limit_of(high, -1);
}

/* "LOW..HIGH" and its halves, or one value with an operator. */
static enum heaptap_status parse_range(struct parser *parser, struct filter_clause *clause,
                                       enum filter_quantity quantity)
{
    const char *dots = strstr(parser->copy, "..");
    const char *problem = NULL;
    size_t size = parser->size;
    if (dots && parser->operator> OPERATOR_UNEQUAL)
        return wrong(parser, parser->value, parser->value_end,
                     "a range must follow = or !=, not < or >");
    if (dots) {
        size_t low = (size_t)(dots - parser->copy), high = size - low - 2;
        if (low == 0 && high == 0)
            return wrong_value(parser, "a range with an end, such as 1..2");
        if (low > 0)
            problem = filter_value_parse(&clause->low, quantity, parser->copy, low);
        if (!problem && high > 0)
            problem = filter_value_parse(&clause->high, quantity, dots + 2, high);
        if (!problem && low > 0 && high > 0 && is_backward(&clause->low, &clause->high))
            problem = "a range whose second value is not below its first";
        return problem ? wrong_value(parser, problem) : HEAPTAP_OK;
    }
    struct filter_bound bound;
    problem = filter_value_parse(&bound, quantity, parser->copy, size);
    if (problem)
        return wrong_value(parser, problem);
    bound.is_open = parser->operator== OPERATOR_LESS || parser->operator== OPERATOR_GREATER;
    if (parser->operator!= OPERATOR_LESS && parser->operator!= OPERATOR_AT_MOST)
        clause->low = bound;
    if (parser->operator!= OPERATOR_GREATER && parser->operator!= OPERATOR_AT_LEAST)
        clause->high = bound;
    return HEAPTAP_OK;
}

static enum heaptap_status parse_time_or_never(struct parser *parser, struct filter_clause *clause)
{
    clause->is_never = strcmp(parser->copy, "never") == 0 && parser->operator<= OPERATOR_UNEQUAL;
    return clause->is_never ? HEAPTAP_OK : parse_range(parser, clause, QUANTITY_TIME);
}

static enum heaptap_status parse_sources(struct parser *parser, struct filter_clause *clause)
{
    static const char *const sources[] = {"minor", "major", "external"};
    for (const char *at = parser->copy; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t size = strcspn(at, ",");
        unsigned known = 0;
        for (unsigned i = 0; i < 3; i++)
            if (strlen(sources[i]) == size && memcmp(sources[i], at, size) == 0)
                known = 1U << i;
        if (!known)
            return wrong_value(parser, "minor, major or external, or some of them with commas");
        clause->sources |= known;
    }
    if (clause->is_negated)
        clause->sources = ~clause->sources & 7U;
    clause->is_negated = false;
    return HEAPTAP_OK;
}

static enum heaptap_status parse_domains(struct parser *parser, struct filter_clause *clause)
{
    for (const char *at = parser->copy; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t size = strcspn(at, ","), digits = strspn(at, "0123456789");
        unsigned long number = digits > 0 && digits < 6 ? strtoul(at, NULL, 10) : UINT16_MAX + 1UL;
        if (size != digits || number > UINT16_MAX)
            return wrong_value(parser, "a number from 0 to 65535, or some of them with commas");
        if (!ARRAY_RESERVE(&clause->domains, &clause->domain_capacity, clause->domain_count + 1))
            return error_no_memory(parser->error);
        clause->domains[clause->domain_count++] = (uint32_t)number;
    }
    return HEAPTAP_OK;
}

/* A number or range where it is one and the clause names a key, else a regex. */
static enum heaptap_status parse_tag(struct parser *parser, struct filter_clause *clause)
{
    if (parser->operator> OPERATOR_UNEQUAL && !clause->key)
        return wrong(parser, parser->word, parser->word_end,
                     "only tag:KEY has an order: name the label");
    if (parser->operator> OPERATOR_UNEQUAL)
        return parse_range(parser, clause, QUANTITY_NUMBER);
    struct heaptap_error *error = parser->error;
    size_t *length = parser->length;
    parser->error = NULL;
    parser->length = NULL;
    enum heaptap_status status =
        clause->key ? parse_range(parser, clause, QUANTITY_NUMBER) : HEAPTAP_BAD_ARGUMENT;
    parser->error = error;
    parser->length = length;
    return status == HEAPTAP_BAD_ARGUMENT ? parse_regex(parser, clause) : status;
}

/* "hide" or "show"; != turns it round. */
static enum heaptap_status parse_libraries(struct parser *parser, struct filter_clause *clause)
{
    bool hides = strcmp(parser->copy, "hide") == 0;
    if (!hides && strcmp(parser->copy, "show") != 0)
        return wrong_value(parser, "hide or show");
    parser->filter->hides_libraries = hides != clause->is_negated;
    return HEAPTAP_OK;
}

static enum heaptap_status parse_value(struct parser *parser, struct filter_clause *clause)
{
    switch (filter_word_info(clause->word)->value) {
    case VALUE_REGEX:
        return parse_regex(parser, clause);
    case VALUE_TIME:
        return parse_range(parser, clause, QUANTITY_TIME);
    case VALUE_TIME_OR_NEVER:
        return parse_time_or_never(parser, clause);
    case VALUE_DURATION:
        return parse_range(parser, clause, QUANTITY_DURATION);
    case VALUE_BYTES:
        return parse_range(parser, clause, QUANTITY_BYTES);
    case VALUE_DEPTH:
        return parse_range(parser, clause, QUANTITY_DEPTH);
    case VALUE_HEAPS:
        return parse_sources(parser, clause);
    case VALUE_DOMAINS:
        return parse_domains(parser, clause);
    case VALUE_LABEL:
        return parse_tag(parser, clause);
    default:
        return parse_libraries(parser, clause);
    }
}

/* ---- Clauses ------------------------------------------------------------------------ */

static void release_clause(struct filter_clause *clause)
{
    pattern_free(clause->pattern);
    free(clause->key);
    free(clause->domains);
}

/* ignore=X is focus!=X; of the others, hide!=X is show=X, and the reverse. */
static enum heaptap_status normalise(struct parser *parser, struct filter_clause *clause)
{
    if (clause->word == FILTER_IGNORE)
        clause->is_negated = !clause->is_negated;
    if (clause->word == FILTER_IGNORE)
        clause->word = FILTER_FOCUS;
    if ((clause->word == FILTER_HIDE || clause->word == FILTER_SHOW) && clause->is_negated) {
        clause->word = clause->word == FILTER_HIDE ? FILTER_SHOW : FILTER_HIDE;
        clause->is_negated = false;
    }
    if (clause->word == FILTER_SHOW_FROM && clause->is_negated)
        return wrong(parser, parser->word, parser->at, "show-from takes =, not !=");
    parser->filter->hides_libraries |= clause->word == FILTER_OWN;
    parser->focus_count += clause->word == FILTER_FOCUS && !clause->is_negated;
    if (parser->focus_count > FOCUS_MAX)
        return wrong(parser, parser->word, parser->at, "there are more than %d clauses of focus",
                     FOCUS_MAX);
    return HEAPTAP_OK;
}

static enum heaptap_status parse_clause(struct parser *parser)
{
    struct filter *filter = parser->filter;
    if (!ARRAY_RESERVE(&filter->clauses, &filter->capacity, filter->count + 1))
        return error_no_memory(parser->error);
    struct filter_clause *clause = &filter->clauses[filter->count++];
    *clause = (struct filter_clause){.offset = (size_t)(parser->at - parser->text)};
    enum heaptap_status status = parse_word(parser, clause);
    if (status == HEAPTAP_OK)
        status = parse_operator(parser, clause);
    if (status == HEAPTAP_OK)
        status = take_value(parser);
    if (status == HEAPTAP_OK)
        status = parse_value(parser, clause);
    if (status == HEAPTAP_OK)
        status = normalise(parser, clause);
    clause->length = (size_t)(parser->at - parser->text) - clause->offset;
    return status;
}

static void skip_spaces(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

/* Skips an "and" between clauses. */
static void skip_and(struct parser *parser)
{
    skip_spaces(parser);
    if (parser->filter->count > 0 && begins_with(parser->at, "and") &&
        isspace((unsigned char)parser->at[3])) {
        parser->at += 3;
        skip_spaces(parser);
    }
}

enum heaptap_status filter_parse(struct filter *filter, const char *text, size_t *length,
                                 struct heaptap_error *error)
{
    *filter = (struct filter){.text = strdup(text)};
    if (!filter->text)
        return error_no_memory(error);
    struct parser parser = {
        .filter = filter, .text = text, .at = text, .length = length, .error = error};
    enum heaptap_status status = HEAPTAP_OK;
    for (skip_and(&parser); status == HEAPTAP_OK && *parser.at; skip_and(&parser))
        status = parse_clause(&parser);
    free(parser.copy);
    if (status != HEAPTAP_OK)
        filter_release(filter);
    return status;
}

enum heaptap_status filter_parse_both(struct filter *filter, const char *text, const char *more,
                                      size_t *length, struct heaptap_error *error)
{
    char *both = text_format("%s%s%s", text, *text && *more ? " " : "", more);
    if (!both)
        return error_no_memory(error);
    enum heaptap_status status = filter_parse(filter, both, length, error);
    free(both);
    return status;
}

void filter_release(struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        release_clause(&filter->clauses[i]);
    free(filter->clauses);
    free(filter->text);
    *filter = (struct filter){0};
}

/* ---- Questions ---------------------------------------------------------------------- */

void filter_hide_libraries(struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->clauses[i].word == FILTER_LIBRARIES)
            return;
    filter->hides_libraries = true;
}

const struct filter_clause *filter_needs_objects(const struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        if (has_trait(&filter->clauses[i], WORD_NEEDS_TIMES))
            return &filter->clauses[i];
    return NULL;
}

static bool is_of_run(const struct filter_bound *bound)
{
    return bound->anchor == BOUND_PEAK || bound->anchor == BOUND_END ||
           bound->anchor == BOUND_SHARE;
}

bool filter_needs_run(const struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_clause *clause = &filter->clauses[i];
        if (has_trait(clause, WORD_NEEDS_END) || is_of_run(&clause->low) ||
            is_of_run(&clause->high))
            return true;
    }
    return false;
}

bool filter_is_of_stacks(const struct filter *filter)
{
    return !(filter_stages(filter) & (STAGE_SHAPES | STAGE_LIVES));
}
