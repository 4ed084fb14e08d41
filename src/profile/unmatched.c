#include "profile/unmatched.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/plain.h"
#include "base/units.h"
#include "profile/clause_match.h"
#include "profile/filter_words.h"
#include "profile/matcher.h"
#include "profile/pattern.h"

/* ---- Which clause ------------------------------------------------------------------- */

/* Nothing passes unless some frame matches. */
static bool asks_for_frame(const struct filter_clause *clause)
{
    return filter_word_info(clause->word)->traits & WORD_NEEDS_FRAME && !clause->is_negated;
}

static bool some_frame_matches(const struct model *model, const struct filter_clause *clause)
{
    for (uint32_t frame = 0; frame < model->frame_count; frame++)
        if (clause_matches_frame(clause, model, frame))
            return true;
    return false;
}

static bool some_type_matches(const struct model *model, const struct filter_clause *clause)
{
    for (size_t i = 0; i < model->type_count; i++)
        if (pattern_matches(clause->pattern, model->types[i]))
            return true;
    return pattern_matches(clause->pattern, ""); /* of what has none */
}

static bool is_of_domains(const struct filter_clause *clause)
{
    return clause->word == FILTER_DOMAIN || clause->word == FILTER_THREAD ||
           clause->word == FILTER_PROGRAM;
}

static bool some_domain_matches(const struct model *model, const struct filter_clause *clause)
{
    for (size_t i = 0; i < model->shape_count; i++)
        if (clause_matches_domain(clause, model, model->shapes[i].domain))
            return true;
    return false;
}

static bool some_name_matches(const struct model *model, const struct filter_clause *clause)
{
    return is_of_domains(clause)         ? some_domain_matches(model, clause)
           : clause->word == FILTER_TYPE ? some_type_matches(model, clause)
                                         : some_frame_matches(model, clause);
}

const struct filter_clause *unmatched_clause(const struct model *model, const struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_clause *clause = &filter->clauses[i];
        bool asks_for_name =
            asks_for_frame(clause) ||
            (!clause->is_negated && (clause->word == FILTER_TYPE || is_of_domains(clause)));
        if (asks_for_name && !some_name_matches(model, clause))
            return clause;
    }
    return NULL;
}

/* ---- What is near ------------------------------------------------------------------- */

enum { NAME_BYTES = 64 };

/* In which blocks of the shape are allocated; NULL where it is not known. */
static const struct model_domain *domain_of(const struct model *model, size_t shape)
{
    unsigned domain = model->shapes[shape].domain;
    return domain < model->domain_count ? &model->domains[domain] : NULL;
}

/* What a clause on threads or programs is about; "" where there is none. */
static const char *name_of(const struct filter_clause *clause, const struct model_domain *domain)
{
    return clause->word == FILTER_PROGRAM ? domain->program : domain->name;
}

/* The name that a clause's expression is, without what only anchors or escapes; false where it is more. */
static bool plain_name(const struct filter *filter, const struct filter_clause *clause,
                       char name[NAME_BYTES], size_t *size)
{
    const char *text = filter->text + clause->offset, *end = text + clause->length;
    const char *value = memchr(text, '=', clause->length);
    *size = 0;
    for (const char *at = value ? value + 1 : end; at < end; at++) {
        bool is_anchor = *at == '^' || *at == '$' || *at == '"' || *at == '\'';
        if (is_anchor || (*at == '\\' && at + 1 < end && !(at[1] >= 'a' && at[1] <= 'z')))
            continue;
        if (strchr("|*+?[](){}\\", *at) || *size == NAME_BYTES)
            return false;
        name[(*size)++] = *at;
    }
    return *size > 0;
}

struct nearest {
    const char *name; /* that is asked for */
    size_t size;
    const char **near;
    size_t distance[UNMATCHED_NEAR], count;
};

static bool is_boundary(char before)
{
    return before == ':' || before == '.' || before == '/' || before == '_';
}

/* From the name, or from what any of its parts begin: "interf.ml" of a path, "build_graph.f" of "A.build_graph.f", "b::f" of
 * "a::b::f(int)", without the arguments. */
static size_t distance_of(const struct nearest *nearest, const char *name)
{
    char text[2 * NAME_BYTES];
    size_t size = strcspn(name, "(<"), least = SIZE_MAX;
    if (size == 0 || size >= sizeof text)
        return near_distance(nearest->name, nearest->size, name);
    memcpy(text, name, size);
    text[size] = 0;
    for (size_t i = 0; i < size; i++) {
        size_t distance = i == 0 || (is_boundary(text[i - 1]) && !is_boundary(text[i]))
                              ? near_distance(nearest->name, nearest->size, text + i)
                              : SIZE_MAX;
        least = distance < least ? distance : least;
    }
    return least;
}

static bool is_there(const struct nearest *nearest, const char *name)
{
    for (size_t i = 0; i < nearest->count; i++)
        if (strcmp(nearest->near[i], name) == 0)
            return true;
    return false;
}

/* Keeps it in its place, if it is among the nearest. */
static void look_at(struct nearest *nearest, const char *name)
{
    size_t distance = distance_of(nearest, name), at = nearest->count;
    size_t most = 1 + (nearest->size + 1) / 3; /* in short names two letters are much */
    if (distance >= (most < NEAR_CHANGES ? most : NEAR_CHANGES) || is_there(nearest, name))
        return;
    while (at > 0 && nearest->distance[at - 1] > distance)
        at--;
    if (at == UNMATCHED_NEAR)
        return;
    if (nearest->count < UNMATCHED_NEAR)
        nearest->count++;
    for (size_t i = nearest->count - 1; i > at; i--) {
        nearest->near[i] = nearest->near[i - 1];
        nearest->distance[i] = nearest->distance[i - 1];
    }
    nearest->near[at] = name;
    nearest->distance[at] = distance;
}

/* Of threads or programs. */
static size_t near_domains(const struct model *model, const struct filter *filter,
                           const struct filter_clause *clause, const char *near[UNMATCHED_NEAR])
{
    char name[NAME_BYTES];
    struct nearest nearest = {.name = name, .near = near};
    if (clause->word == FILTER_DOMAIN || !plain_name(filter, clause, name, &nearest.size))
        return 0;
    for (size_t i = 0; i < model->shape_count; i++) {
        const struct model_domain *of = domain_of(model, i);
        const char *its = of ? name_of(clause, of) : "";
        if (*its)
            look_at(&nearest, its);
    }
    return nearest.count;
}

size_t unmatched_near(const struct model *model, const struct filter *filter,
                      const struct filter_clause *clause, const char *near[UNMATCHED_NEAR])
{
    char name[NAME_BYTES];
    struct nearest nearest = {.name = name, .near = near};
    bool is_type = clause->word == FILTER_TYPE;
    if (is_of_domains(clause))
        return near_domains(model, filter, clause, near);
    if (!plain_name(filter, clause, name, &nearest.size))
        return 0;
    for (size_t i = 0; i < model->type_count && is_type; i++)
        look_at(&nearest, model->types[i]);
    for (size_t i = 0; i < model->line_count && !is_type; i++) {
        if (clause->part == PART_ANY || clause->part == PART_FUNCTION)
            look_at(&nearest, model->lines[i].function);
        if (clause->part == PART_ANY || clause->part == PART_FILE)
            look_at(&nearest, model->lines[i].file);
    }
    for (size_t i = 0; i < model->module_count && !is_type; i++)
        if (clause->part == PART_ANY || clause->part == PART_MODULE)
            look_at(&nearest, model->modules[i].path);
    return nearest.count;
}

/* ---- Times beyond the run ------------------------------------------------------------ */

static void put_clause(struct text *text, const struct filter *filter,
                       const struct filter_clause *clause)
{
    text_put_char(text, '\'');
    text_put(text, filter->text + clause->offset, clause->length);
    text_put_char(text, '\'');
}

static bool is_beyond(const struct filter_bound *bound, int64_t end_us)
{
    return (bound->anchor == BOUND_NUMBER || bound->anchor == BOUND_START) &&
           bound->value > (double)end_us;
}

static bool is_of_time(const struct filter_clause *clause)
{
    enum filter_value value = filter_word_info(clause->word)->value;
    return value == VALUE_TIME || value == VALUE_TIME_OR_NEVER || value == VALUE_DURATION;
}

/* The first such clause, as a sentence.  False where there is none. */
static bool put_beyond(struct text *text, const struct model *model, const struct filter *filter)
{
    char end[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < filter->count && model->kind == MODEL_OBJECTS; i++) {
        const struct filter_clause *clause = &filter->clauses[i];
        char last = filter->text[clause->offset + clause->length - 1];
        bool has_unit = last < '0' || last > '9';
        bool reaches = is_beyond(&clause->low, model->end_us) ||
                       (!has_unit && is_beyond(&clause->high, model->end_us));
        if (!is_of_time(clause) || !reaches)
            continue;
        put_clause(text, filter, clause);
        text_put_string(text, " reaches beyond the end of the run, which took ");
        text_put_string(text, units_duration(end, 1e-6 * (double)model->end_us));
        text_put_string(text, has_unit ? "" : " (a number without a unit is in seconds)");
        return true;
    }
    return false;
}

/* ---- Why, in words ------------------------------------------------------------------ */

static void put_near(struct text *text, const struct model *model, const struct filter *filter,
                     const struct filter_clause *clause)
{
    const char *near[UNMATCHED_NEAR];
    size_t count = unmatched_near(model, filter, clause, near);
    for (size_t i = 0; i < count; i++) {
        text_put_string(text, i == 0 ? "; did you mean " : i + 1 < count ? ", " : " or ");
        plain_put(text, near[i], PLAIN_NAME);
    }
    text_put_string(text, count > 0 ? "?" : "");
}

/* Does the clause's expression match a name when capital and small letters are the same? */
static bool matches_in_other_letters(const struct model *model, const struct filter *filter,
                                     const struct filter_clause *clause)
{
    char message[1];
    size_t offset;
    struct text expression = {0};
    const char *text = filter->text + clause->offset;
    const char *value = memchr(text, '=', clause->length);
    struct filter_clause other = *clause;
    bool matches = false;
    if (!value || !clause->pattern)
        return false;
    size_t size = (size_t)(text + clause->length - ++value);
    bool is_quoted = size > 1 && (*value == '"' || *value == '\'') && value[size - 1] == *value;
    text_put_string(&expression, "(?i)");
    text_put(&expression, value + is_quoted, size - 2 * is_quoted);
    other.pattern = expression.failed ? NULL
                                      : pattern_new(expression.bytes, expression.size, message,
                                                    sizeof message, &offset);
    if (other.pattern)
        matches = some_name_matches(model, &other);
    pattern_free(other.pattern);
    text_release(&expression);
    return matches;
}

/* "0, 1 and 4" */
static void put_domains(struct text *text, const struct model *model)
{
    enum { SHOWN = 8 };
    bool is_there[UINT16_MAX + 1] = {false};
    size_t count = 0, told = 0;
    for (size_t i = 0; i < model->shape_count; i++)
        is_there[model->shapes[i].domain] = true;
    for (size_t i = 0; i <= UINT16_MAX; i++)
        count += is_there[i];
    for (size_t i = 0; i <= UINT16_MAX && told < SHOWN; i++)
        if (is_there[i]) {
            text_put_string(text, told == 0 ? "" : told + 1 == count ? " and " : ", ");
            text_put_uint(text, i, 1);
            told++;
        }
    text_put_string(text, count > SHOWN ? ", ..." : "");
}

/* Some of the names of threads or programs, each once; of those without one, their numbers. */
static void put_names(struct text *text, const struct model *model,
                      const struct filter_clause *clause)
{
    enum { SHOWN = 4 };
    const char *told[SHOWN];
    size_t count = 0;
    for (size_t i = 0; i < model->shape_count; i++) {
        const struct model_domain *of = domain_of(model, i);
        const char *name = of ? name_of(clause, of) : "";
        bool is_told = !*name;
        for (size_t k = 0; k < count && k < SHOWN; k++)
            is_told |= strcmp(told[k], name) == 0;
        if (is_told)
            continue;
        if (count < SHOWN) {
            told[count] = name;
            text_put_string(text, count > 0 ? ", " : "; there are: ");
            plain_put(text, name, PLAIN_NAME);
        }
        if (count++ == SHOWN) {
            text_put_string(text, ", ...");
            return;
        }
    }
}

static void put_reason(struct text *text, const struct model *model, const struct filter *filter,
                       const struct filter_clause *clause)
{
    if (clause->word == FILTER_DOMAIN) {
        text_put_string(text, " matches none of its domains; there are: ");
        put_domains(text, model);
        return;
    }
    text_put_string(text, clause->word == FILTER_THREAD    ? " matches none of its threads"
                          : clause->word == FILTER_PROGRAM ? " matches none of its programs"
                                                           : " matches none of its names");
    if (matches_in_other_letters(model, filter, clause)) {
        text_put_string(text, "; with (?i) before it, it matches small and capital letters alike");
        return;
    }
    size_t before = text->size;
    put_near(text, model, filter, clause);
    if (text->size == before && is_of_domains(clause))
        put_names(text, model, clause);
}

/* The end of a sentence.  Nothing where neither names nor times are the reason. */
static void put_why(struct text *text, const struct model *model, const struct filter *filter)
{
    const struct filter_clause *clause = unmatched_clause(model, filter);
    size_t start = text->size;
    text_put_string(text, ": ");
    if (clause) {
        put_clause(text, filter, clause);
        put_reason(text, model, filter, clause);
    } else if (!put_beyond(text, model, filter)) {
        text->size = start;
    }
}

bool unmatched_put_remark(struct text *text, const struct model *model, const struct filter *filter,
                          bool leaves_nothing)
{
    if (!leaves_nothing)
        return put_beyond(text, model, filter);
    text_put_string(text, UNMATCHED_NOTHING);
    put_why(text, model, filter);
    return true;
}
