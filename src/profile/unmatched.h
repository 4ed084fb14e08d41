/* Why a filter leaves nothing, where that is because of a name: one that is misspelt, or that is no more. */
#ifndef PROFILE_UNMATCHED_H
#define PROFILE_UNMATCHED_H

#include "base/text.h"
#include "profile/filter.h"
#include "profile/model.h"

/* The first clause that asks for a function, file, module, type, domain, thread or program, and matches none that the model has; NULL for none. */
const struct filter_clause *unmatched_clause(const struct model *model,
                                             const struct filter *filter);

enum { UNMATCHED_NEAR = 3 };

/* Of the model's names, those that are nearest to what such a clause asks for, the nearest first, and their number: 0 where none is
 * near, or its expression is more than a name.  Borrowed from the model. */
size_t unmatched_near(const struct model *model, const struct filter *filter,
                      const struct filter_clause *clause, const char *near[UNMATCHED_NEAR]);

/* Of a filter that leaves nothing, the reason as the end of a sentence: ": 'focus=makee' matches none of its names; did you mean
 * make?".  Nothing where names are not the reason. */
void unmatched_put(struct text *text, const struct model *model, const struct filter *filter);

/* The first clause that asks for a time after the end of the run, or whose bound is there for want of a unit, as a sentence.  False
 * where there is none. */
bool unmatched_put_beyond(struct text *text, const struct model *model,
                          const struct filter *filter);

#endif
