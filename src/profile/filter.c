/* The parser of filters.  A clause is parsed from a copy of its value without quotes; what is wrong is told with the bytes
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
#include "profile/filter_parser.h"
#include "profile/filter_words.h"
#include "profile/pattern.h"

enum { FOCUS_MAX = 30 }; /* clauses focus: profile/matcher.c has a bit for each */

/* ---- What is wrong, and where ------------------------------------------------------- */

enum heaptap_status filter_wrong(struct filter_parser *parser, const char *from, const char *to,
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

static enum heaptap_status unknown_word(struct filter_parser *parser)
{
    size_t size = (size_t)(parser->word_end - parser->word);
    const char *near = near_word(parser->word, size, word_name, FILTER_WORD_COUNT + PART_MODULE);
    const char *hint = near ? near : "`heaptap help filters` lists them";
    bool is_part = near && filter_find_word(near, strlen(near)) == FILTER_WORD_COUNT;
    return filter_wrong(parser, parser->word, parser->word_end,
                        "no clause is called '%.*s'%s%s%s%s%s", (int)(size < 40 ? size : 40),
                        parser->word, near ? "; did you mean " : "; ", is_part ? "focus:" : "",
                        hint, is_part ? "=" : "", near ? "?" : "");
}

/* The word of a clause and, behind a colon, its part or key; the operator; not yet the value. */
static enum heaptap_status parse_word(struct filter_parser *parser, struct filter_clause *clause)
{
    parser->word = parser->at;
    while (is_word(*parser->at))
        parser->at++;
    parser->word_end = parser->at;
    if (parser->word == parser->word_end)
        return filter_wrong(parser, parser->at, parser->at + 1,
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
    if (filter_has_trait(clause, WORD_TAKES_KEY) && size > 0) {
        clause->key = strndup(part, size);
        return clause->key ? HEAPTAP_OK : error_no_memory(parser->error);
    }
    for (int i = PART_FUNCTION; filter_has_trait(clause, WORD_TAKES_PART) && i <= PART_MODULE; i++)
        if (strlen(parts[i]) == size && memcmp(parts[i], part, size) == 0) {
            clause->part = (enum filter_part)i;
            return HEAPTAP_OK;
        }
    return filter_wrong(parser, part, parser->at, "%s follow %s:",
                        filter_has_trait(clause, WORD_TAKES_PART)  ? "function, file or module must"
                        : filter_has_trait(clause, WORD_TAKES_KEY) ? "the name of a label must"
                                                                   : "nothing can",
                        filter_word_name(clause->word));
}

static enum heaptap_status parse_operator(struct filter_parser *parser,
                                          struct filter_clause *clause)
{
    static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">="};
    static const enum filter_operator longest_first[] = {OPERATOR_UNEQUAL,  OPERATOR_AT_MOST,
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
        return filter_wrong(parser, parser->word, parser->at,
                            "'%.*s' must be followed by =, !=, <, <=, > or >=",
                            (int)(parser->at - parser->word), parser->word);
    if (parser->operator>= OPERATOR_LESS && !filter_has_trait(clause, WORD_HAS_ORDER))
        return filter_wrong(parser, parser->word, parser->at,
                            "%s has no order: use = or !=", filter_word_name(clause->word));
    clause->is_negated = parser->operator== OPERATOR_UNEQUAL;
    return HEAPTAP_OK;
}

/* Takes the value, and makes a copy of it without quotes. */
static enum heaptap_status take_value(struct filter_parser *parser)
{
    char quote = *parser->at == '"' || *parser->at == '\'' ? *parser->at : 0;
    parser->value = parser->at;
    parser->size = 0;
    if (!quote)
        while (*parser->at && !isspace((unsigned char)*parser->at))
            parser->at++;
    for (parser->at += quote != 0; quote; parser->at++) {
        if (!*parser->at)
            return filter_wrong(parser, parser->value, parser->at, "the quote %c is not closed",
                                quote);
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
        return filter_wrong(parser, parser->word, parser->at, "%.*s has no value",
                            (int)(parser->word_end - parser->word), parser->word);
    if (quote && *parser->at && !isspace((unsigned char)*parser->at))
        return filter_wrong(parser, parser->at, parser->at + 1,
                            "a closing quote must be followed by a space, not '%.1s'", parser->at);
    return HEAPTAP_OK;
}

/* ---- Clauses ------------------------------------------------------------------------ */

static void release_clause(struct filter_clause *clause)
{
    pattern_free(clause->pattern);
    free(clause->key);
    free(clause->domains);
}

/* ignore=X is focus!=X; of the others, hide!=X is show=X, and the reverse. */
static enum heaptap_status normalise(struct filter_parser *parser, struct filter_clause *clause)
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
        return filter_wrong(parser, parser->word, parser->at, "show-from takes =, not !=");
    parser->filter->hides_libraries |= clause->word == FILTER_OWN;
    parser->focus_count += clause->word == FILTER_FOCUS && !clause->is_negated;
    if (parser->focus_count > FOCUS_MAX)
        return filter_wrong(parser, parser->word, parser->at,
                            "there are more than %d clauses of focus", FOCUS_MAX);
    return HEAPTAP_OK;
}

static enum heaptap_status parse_clause(struct filter_parser *parser)
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
        status = filter_parse_value(parser, clause);
    if (status == HEAPTAP_OK)
        status = normalise(parser, clause);
    clause->length = (size_t)(parser->at - parser->text) - clause->offset;
    return status;
}

static void skip_spaces(struct filter_parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

/* Skips an "and" between clauses. */
static void skip_and(struct filter_parser *parser)
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
    struct filter_parser parser = {
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
