/* What a parsed filter asks for: times of blocks, the end of the run, libraries. */
#include "profile/filter.h"
#include "profile/filter_words.h"

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
        if (filter_has_trait(&filter->clauses[i], WORD_NEEDS_TIMES))
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
        if (filter_has_trait(clause, WORD_NEEDS_END) || is_of_run(&clause->low) ||
            is_of_run(&clause->high))
            return true;
    }
    return false;
}

bool filter_is_of_stacks(const struct filter *filter)
{
    return !(filter_stages(filter) & (STAGE_SHAPES | STAGE_LIVES));
}
