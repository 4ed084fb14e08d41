/* Rows of memtracer's tables, and the functions that find their values. */
#ifndef REPORT_GUEST_MEMTRACER_COLUMNS_H
#define REPORT_GUEST_MEMTRACER_COLUMNS_H

#include "report/guest/guest_table.h"
#include "answer/answer.h"

/* What a section has, for columns to ask for. */
enum { MEMTRACER_IS_SAMPLED = 1, MEMTRACER_IS_WIDE = 2 };

struct memtracer_row {
    const struct guest_profile *profile;
    uint32_t site; /* in the profile's sites */
    uint32_t type; /* in its types */
    const struct guest_tally *self, *total;
    uint32_t depth; /* of a tree: 0 for a root */
    bool is_caller; /* it stands below the row of a line that it calls */
};

extern const struct answer_table memtracer_lines, memtracer_callers, memtracer_stacks,
    memtracer_stack_callers, memtracer_functions, memtracer_types, memtracer_calls;

#endif
