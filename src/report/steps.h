/* What to ask after each report: the loop from a number to a fix, one step at a time.  Terminals and coding agents get the
 * same steps. */
#ifndef REPORT_STEPS_H
#define REPORT_STEPS_H

#include <stdbool.h>

enum report_step_kind {
    STEP_ASK,     /* another report on the same file */
    STEP_SOURCE,  /* the source lines of the answer's first function */
    STEP_COMPARE, /* the file with one that will be recorded later */
    STEP_VIEW,    /* the file in the browser */
};

struct report_step {
    const char *after; /* the report that has answered */
    const char *
        rows; /* the answer's array whose first row has the function that it is about; NULL: none is needed */
    enum report_step_kind kind;
    const char *report; /* of STEP_ASK */
    const char *clause; /* added to the filter; NULL for none */
    const char *why;
};

/* The most useful first, of each report; ended by one without `after`. */
extern const struct report_step report_steps[];

/* Does it ask for single blocks and their times, which profiles have not? */
bool report_step_needs_blocks(const struct report_step *step);

#endif
