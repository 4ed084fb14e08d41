/* The reports there are, with what their answers are made of. */
#ifndef REPORT_REPORTS_H
#define REPORT_REPORTS_H

#include "answer/answer.h"

struct report_entry {
    const char *name; /* of the command: "leaks" */
    const struct answer_table *const
        *tables; /* in the order in which they are told; ended by NULL */
};

/* NULL past the end. */
const struct report_entry *report_entry_at(size_t number);

#endif
