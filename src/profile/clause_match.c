#include "profile/clause_match.h"

#include <inttypes.h>
#include <stdio.h>

#include "profile/pattern.h"

bool clause_matches_location(const struct filter_clause *clause,
                             const struct heaptap_location *location)
{
    return ((clause->part == PART_ANY || clause->part == PART_FUNCTION) &&
            pattern_matches(clause->pattern, location->function)) ||
           ((clause->part == PART_ANY || clause->part == PART_FILE) &&
            pattern_matches(clause->pattern, location->file));
}

bool clause_matches_module(const struct filter_clause *clause, const struct model *model,
                           uint32_t frame)
{
    uint32_t module = model->frames[frame].module;
    return (clause->part == PART_ANY || clause->part == PART_MODULE) && module != MODEL_NONE &&
           pattern_matches(clause->pattern, model->modules[module].path);
}

bool clause_matches_frame(const struct filter_clause *clause, const struct model *model,
                          uint32_t frame)
{
    const struct model_frame *at = &model->frames[frame];
    if (clause_matches_module(clause, model, frame))
        return true;
    for (uint32_t i = 0; i < at->line_count; i++)
        if (clause_matches_location(clause, &model->lines[at->first_line + i]))
            return true;
    return false;
}

static bool is_listed(const struct filter_clause *clause, unsigned domain)
{
    for (size_t i = 0; i < clause->domain_count; i++)
        if (clause->domains[i] == domain)
            return true;
    return false;
}

static bool matches_text_or_number(struct pattern *pattern, const char *text, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    return pattern_matches(pattern, text) || pattern_matches(pattern, digits);
}

bool clause_matches_domain(const struct filter_clause *clause, const struct model *model,
                           unsigned domain)
{
    if (clause->word == FILTER_DOMAIN)
        return is_listed(clause, domain);
    if (domain >= model->domain_count)
        return false;
    const struct model_domain *of = &model->domains[domain];
    if (clause->word == FILTER_PROGRAM)
        return matches_text_or_number(clause->pattern, of->program, of->pid);
    return clause->word == FILTER_THREAD &&
           (of->thread > 0 ? matches_text_or_number(clause->pattern, of->name, of->thread)
                           : pattern_matches(clause->pattern, of->name));
}
