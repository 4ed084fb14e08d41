/* When memory is full, where something leaks or grows: by a limit that is asked about, or by the one that the process was recorded with. */
#ifndef REPORT_SITES_FILLING_H
#define REPORT_SITES_FILLING_H

#include "answer/answer.h"
#include "report/sites/fates.h"

extern const struct answer_table filling_table;

/* `limit` is what the process may have, 0 for what it was recorded with; of that, only a time is told that is a hundred times the
 * run's at most.  Nothing where nothing grows. */
void filling_put(struct answer *answer, const struct fates *fates, double limit);

#endif
