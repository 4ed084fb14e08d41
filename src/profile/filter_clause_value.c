/* What stands behind the operator of a clause, read as its word takes it. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "profile/filter_parser.h"
#include "profile/filter_value.h"
#include "profile/filter_words.h"
#include "profile/pattern.h"

static enum heaptap_status wrong_value(struct filter_parser *parser, const char *expected)
{
    return filter_wrong(parser, parser->value, parser->value_end, "%.*s takes %s, not '%.40s'",
                        (int)(parser->word_end - parser->word), parser->word, expected,
                        parser->copy);
}

static enum heaptap_status parse_regex(struct filter_parser *parser, struct filter_clause *clause)
{
    char message[160];
    size_t offset;
    clause->pattern = pattern_new(parser->copy, parser->size, message, sizeof message, &offset);
    if (clause->pattern)
        return HEAPTAP_OK;
    if (!*message)
        return error_no_memory(parser->error);
    return filter_wrong(parser, parser->value, parser->value_end,
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
static enum heaptap_status parse_range(struct filter_parser *parser, struct filter_clause *clause,
                                       enum filter_quantity quantity)
{
    const char *dots = strstr(parser->copy, "..");
    const char *problem = NULL;
    size_t size = parser->size;
    if (dots && parser->operator> OPERATOR_UNEQUAL)
        return filter_wrong(parser, parser->value, parser->value_end,
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

static enum heaptap_status parse_time_or_never(struct filter_parser *parser,
                                               struct filter_clause *clause)
{
    clause->is_never = strcmp(parser->copy, "never") == 0 && parser->operator<= OPERATOR_UNEQUAL;
    return clause->is_never ? HEAPTAP_OK : parse_range(parser, clause, QUANTITY_TIME);
}

static enum heaptap_status parse_sources(struct filter_parser *parser, struct filter_clause *clause)
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

static enum heaptap_status parse_domains(struct filter_parser *parser, struct filter_clause *clause)
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
static enum heaptap_status parse_tag(struct filter_parser *parser, struct filter_clause *clause)
{
    if (parser->operator> OPERATOR_UNEQUAL && !clause->key)
        return filter_wrong(parser, parser->word, parser->word_end,
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
static enum heaptap_status parse_libraries(struct filter_parser *parser,
                                           struct filter_clause *clause)
{
    bool hides = strcmp(parser->copy, "hide") == 0;
    if (!hides && strcmp(parser->copy, "show") != 0)
        return wrong_value(parser, "hide or show");
    parser->filter->hides_libraries = hides != clause->is_negated;
    return HEAPTAP_OK;
}

enum heaptap_status filter_parse_value(struct filter_parser *parser, struct filter_clause *clause)
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
