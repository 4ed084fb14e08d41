/* Filters that a matcher can't answer: the model lacks what a clause asks for, or a pattern has given up. */
#include "profile/matcher_refuse.h"

#include <string.h>

#include "base/error.h"
#include "profile/pattern.h"

/* By the clause's word as it was given: `ignore`, not what stands for it. */
static enum heaptap_status refuse(const struct filter *filter, const struct filter_clause *clause,
                                  const char *why, size_t *length, struct heaptap_error *error)
{
    const char *word = filter->text + clause->offset;
    error_set(error, HEAPTAP_BAD_ARGUMENT, "%.*s: %s", (int)strcspn(word, "=!<>:"), word, why);
    if (error)
        error->offset = clause->offset;
    if (length)
        *length = clause->length;
    return HEAPTAP_BAD_ARGUMENT;
}

static bool tells_threads(const struct model *model)
{
    for (size_t i = 0; i < model->domain_count; i++)
        if (*model->domains[i].name || model->domains[i].thread > 0)
            return true;
    return false;
}

/* What of the model is not there that a clause asks for; NULL where all is. */
static const char *lacks(const struct model *model, const struct filter_clause *clause)
{
    bool is_trace = model->kind == MODEL_OBJECTS;
    switch (clause->word) {
    case FILTER_TAG:
        return is_trace ? "objects of a trace have no labels" : NULL;
    case FILTER_TYPE:
        if (model->type_count == 0)
            return is_trace ? "this trace has no types" : "this profile has no types";
        return NULL;
    case FILTER_THREAD:
        return tells_threads(model) ? NULL : "this trace has no threads";
    case FILTER_SIZE:
        if (!is_trace && (clause->low.is_words || clause->high.is_words))
            return "this profile doesn't say how long a word is";
        return NULL;
    default:
        return NULL;
    }
}

enum heaptap_status matcher_check_model(const struct model *model, const struct filter *filter,
                                        size_t *length, struct heaptap_error *error)
{
    const struct filter_clause *clause =
        model->kind == MODEL_SAMPLES ? filter_needs_objects(filter) : NULL;
    if (clause)
        return refuse(filter, clause,
                      "this profile has values by stack only, not single objects and their "
                      "times",
                      length, error);
    for (size_t i = 0; i < filter->count; i++) {
        const char *why = lacks(model, &filter->clauses[i]);
        if (why)
            return refuse(filter, &filter->clauses[i], why, length, error);
    }
    return HEAPTAP_OK;
}

enum heaptap_status matcher_check_patterns(const struct filter *filter, size_t *length,
                                           struct heaptap_error *error)
{
    struct heaptap_error why;
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_clause *clause = &filter->clauses[i];
        if (!clause->pattern || pattern_check(clause->pattern, &why) == HEAPTAP_OK)
            continue;
        return why.status == HEAPTAP_NO_MEMORY ? error_no_memory(error)
                                               : refuse(filter, clause, why.message, length, error);
    }
    return HEAPTAP_OK;
}
