/* Call trees as tree, callers and callees print them. */
#ifndef CLI_BRANCH_TEXT_H
#define CLI_BRANCH_TEXT_H

#include "cli/report.h"
#include "profile/pattern.h"

struct branch_report {
    bool outward;                  /* callers below their callees */
    const struct pattern *pattern; /* where stacks begin; NULL for their ends */
    uint32_t max_depth;            /* 0 for no limit */
};

/* Builds the tree and prints it in the format of the report's options; the exit status. */
int branch_report_print(const struct branch_report *how, const struct report *report);

#endif
