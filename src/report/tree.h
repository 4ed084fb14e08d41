/* The call tree, from either end or from chosen functions. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "analyze/branches.h"
#include "answer/answer.h"
#include "profile/pattern.h"
#include "report/report.h"

struct tree_question {
    bool outward;                  /* callers below their callees */
    const struct pattern *pattern; /* where stacks begin; NULL for their ends */
    uint32_t max_depth;            /* 0 for no limit */
};

struct tree {
    const struct report *report; /* borrowed, as is the question */
    const struct tree_question *question;
    struct branches branches;
    bool is_missed; /* no function matches the pattern */
};

/* Grows the tree.  False when there is no memory; then there is nothing to release. */
bool tree_init(struct tree *tree, const struct report *report,
               const struct tree_question *question);
void tree_release(struct tree *tree);

extern const struct answer_table *const tree_tables[]; /* ended by NULL */

/* Says a struct tree.  False when there is no memory. */
bool tree_put(struct answer *answer, const void *tree);

#endif
