/* Why a filter leaves nothing, where that is because of a name: one that is misspelt, or that is no more; and what is said of it. */
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

#define UNMATCHED_NOTHING "the filter leaves nothing of it"

/* What is to be said of a filter that leaves nothing, and why where names or times are the reason: "the filter leaves nothing of it:
 * 'focus=makee' matches none of its names; did you mean make?".  Of any other one, the first clause that asks for a time after the end of
 * the run, or whose bound is there for want of a unit.  False where there is nothing to say. */
bool unmatched_put_remark(struct text *text, const struct model *model, const struct filter *filter,
                          bool leaves_nothing);

#endif
