/* Which budgets hold, and what breaks the others.  It is printed file by file, as each is read. */
#ifndef REPORT_CHANGE_CHECK_H
#define REPORT_CHANGE_CHECK_H

#include "report/change/verdict.h"
#include "answer/answer.h"
#include "report/options.h"

/* What a question has of its own: texts are as they were given, NULL for none. */
struct check_question {
    const char *limits[BUDGET_MEASURES];
    const char *expected[BUDGET_MEASURES];
    const char *growth;  /* of all measures */
    const char *base;    /* path of what growth is over */
    const char *budgets; /* path of a file with more */
    bool is_strict;      /* an estimate over its limit breaks it, however uncertain */
    bool is_verbose;     /* budgets that hold are printed, too */
    bool is_tests;       /* of each test, which has limits of its own besides */
};
_Static_assert(sizeof(struct check_question) <= QUESTION_OWN_BYTES, "room for it");

extern const struct question_option check_options[]; /* ended by one without a word */

bool check_check(struct question *question, struct heaptap_error *error);

/* What suppressions leave out of a file. */
struct check_suppressed {
    const char *file;
    size_t patterns;
    double value; /* NAN where the file could not be read */
};

/* A test that was recorded, and what it has of each measure. */
struct check_test {
    char *file, *name;
    double figures[BUDGET_MEASURES]; /* without imports */
    double imported;                 /* bytes that Python's imports in it allocated */
    size_t limits, broken;
    bool is_refused; /* a limit of it is none */
};

struct check_tests {
    struct check_test *items;
    size_t count, capacity;
};

void check_tests_release(struct check_tests *tests);

/* What all came to. */
struct check_sum {
    size_t broken; /* budgets */
    bool is_whole; /* all that the programs did is in the figures */
};

extern const struct answer_table *const check_tables[]; /* ended by NULL */

void check_begin(struct answer *answer);

/* Text has a budget that holds only with is_verbose. */
void check_outcome(struct answer *answer, const struct outcome *outcome, bool tells_all);

/* What is to be said of a test besides its outcomes, which have been: that it ran, and why it isn't judged if it is refused,
 * in plain form. */
void check_test(struct answer *answer, const struct check_test *test, const struct text *why);

/* That a file can't be judged, or not all of it, and why. */
void check_file_refused(struct answer *answer, const char *file, const struct text *why);

/* The budgets' end, the tests with the heaviest first (NULL for none), what is left out of each of `count` files, and what all came to. */
void check_end(struct answer *answer, struct check_tests *tests,
               const struct check_suppressed *suppressed, size_t count,
               const struct check_sum *sum);

#endif
