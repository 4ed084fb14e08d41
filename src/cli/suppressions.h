/* What a report of leaks leaves out: a file as LeakSanitizer and heaptrack take it.
 *
 *     # known, and harmless
 *     leak:libfontconfig.so
 *     leak:^load_plugin$
 *
 * A stack is left out that has a function, file, program or library which contains the pattern; `*`
 * stands for any text, ^ at the beginning and $ at the end for those of the name. */
#ifndef CLI_SUPPRESSIONS_H
#define CLI_SUPPRESSIONS_H

#include "base/text.h"
#include "cli/trace_input.h"
#include "report/report.h"

/* Zeroed, it suppresses nothing. */
struct suppressions {
    bool takes_own;      /* where there is no file, those that a recording has itself */
    const char *path;    /* of the file; NULL for none */
    struct text regex;   /* what any of the patterns matches */
    struct text clauses; /* the filter without it */
    size_t count;        /* patterns */
};

/* Reads the file, where there is one, and adds a clause to the filter in `clauses` that leaves out
 * what it suppresses.  False with a message and the exit status. */
bool suppressions_add(struct suppressions *suppressions, struct text *clauses, int *status);
void suppressions_release(struct suppressions *suppressions);

/* How much of a file is suppressed, of a quantity that `what` has: 0 where nothing is.  Where there are patterns, a note tells it
 * in the unit of `weight`.  False with a message and the exit status. */
bool suppressions_sum(const struct suppressions *suppressions, const char *subject,
                      const struct model *model, const struct selection_options *what,
                      enum stack_weight weight, struct report_suppressed *sum, int *status);

#endif
