/* The call tree, from either end or from chosen functions. */
#ifndef REPORT_TREE_TREE_H
#define REPORT_TREE_TREE_H

#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

extern const struct answer_table *const tree_tables[]; /* ended by NULL */

/* The rows of options of tree; ended by one without a word. */
extern const struct question_option tree_options[];
enum { TREE_BRANCH_OPTIONS = 2 }; /* of which those of callers and callees begin */

/* Do the options of tree go together? */
bool tree_check(struct question *question, struct heaptap_error *error);

/* The whole tree from either end, or, with --context, functions with those beside them. */
enum report_outcome tree_put(struct answer *answer, const struct report *report);

/* What begins at functions that match the report's pattern. */
enum report_outcome callers_put(struct answer *answer, const struct report *report);
enum report_outcome callees_put(struct answer *answer, const struct report *report);

#endif
