/* Does a clause match what it is about, whether it is negated or not?
 *
 * Of frames: does its pattern match one of the locations, or the module? */
#ifndef PROFILE_CLAUSE_MATCH_H
#define PROFILE_CLAUSE_MATCH_H

#include "profile/filter.h"
#include "profile/model.h"

bool clause_matches_location(const struct filter_clause *clause,
                             const struct heaptap_location *location);
bool clause_matches_module(const struct filter_clause *clause, const struct model *model,
                           uint32_t frame);
/* Either, of any of its locations. */
bool clause_matches_frame(const struct filter_clause *clause, const struct model *model,
                          uint32_t frame);

/* Of domains, threads and programs: that domain, its name or number, its process.  False of other clauses. */
bool clause_matches_domain(const struct filter_clause *clause, const struct model *model,
                           unsigned domain);

#endif
