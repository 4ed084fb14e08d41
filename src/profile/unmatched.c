#include "profile/unmatched.h"

#include <string.h>

#include "base/near.h"
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
        if (matcher_frame_matches(clause, model, frame))
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

const struct filter_clause *unmatched_clause(const struct model *model, const struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_clause *clause = &filter->clauses[i];
        bool is_type = clause->word == FILTER_TYPE && !clause->is_negated;
        if ((asks_for_frame(clause) && !some_frame_matches(model, clause)) ||
            (is_type && !some_type_matches(model, clause)))
            return clause;
    }
    return NULL;
}

/* ---- What is near ------------------------------------------------------------------- */

enum { NAME_BYTES = 64 };

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

size_t unmatched_near(const struct model *model, const struct filter *filter,
                      const struct filter_clause *clause, const char *near[UNMATCHED_NEAR])
{
    char name[NAME_BYTES];
    struct nearest nearest = {.name = name, .near = near};
    bool is_type = clause->word == FILTER_TYPE;
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
