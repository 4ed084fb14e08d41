/* What roots hold more or less of than before, of two traces whose last snapshots tell what holds their blocks. */
#ifndef REPORT_HOLDERS_ROOT_CHANGES_H
#define REPORT_HOLDERS_ROOT_CHANGES_H

#include <stdbool.h>

#include "answer/answer.h"
#include "profile/model.h"

extern const struct answer_table root_changes_table;

/* Puts the roots that hold at least `smallest` of what is alive more or less than before, beyond chance, the largest changes first,
 * `most` of them at most.  Nothing where one of both doesn't know what holds its blocks.  False when there is no memory. */
bool root_changes_put(struct answer *answer, const struct model *before, const struct model *after,
                      double smallest, size_t most);

#endif
