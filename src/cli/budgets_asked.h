/* The budgets that the options of `heaptap check` ask for: limits, expectations, growth over a base, a file of budgets. */
#ifndef CLI_BUDGETS_ASKED_H
#define CLI_BUDGETS_ASKED_H

#include "cli/budget_list.h"
#include "profile/model.h"
#include "report/question.h"

/* Adds them to the list.  `question` is that of check; `base`: what growth is over, NULL for nothing.  False after a message,
 * with `*status` an exit status. */
bool budgets_asked(struct budget_list *list, const struct question *question,
                   const struct model *base, int *status);

/* Of all that a file and its base have: says what one of them lacks.  That profiles have no peak goes without saying of two of
 * them. */
void budget_note_lack(const char *file, const struct model *model, enum budget_measure measure);

/* Says that a file has nothing whose growth could be checked; false. */
bool budget_fail_growth(const char *file, int *status);

#endif
