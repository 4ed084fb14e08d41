/* Which functions of a difference changed beyond chance, and by enough to matter.
 *
 * One test for each row of the table, of what it allocates itself or of what comes through it, and all of them together by
 * report/change/change_test.h: a row's samples are its evidence, and a value without samples is exact. */
#ifndef REPORT_CHANGE_DIFFERENCE_TEST_H
#define REPORT_CHANGE_DIFFERENCE_TEST_H

#include "report/change/change_test.h"
#include "report/change/difference.h"

struct function_verdict {
    double p_of_all; /* probability that chance alone makes such a change of any row */
    enum change_verdict verdict;
};

/* Fills `verdicts`, one for each row.  By cum: of what comes through the functions.  False when there is no memory. */
bool difference_test(const struct difference_table *table, const struct change_rules *rules,
                     bool by_cum, struct function_verdict *verdicts);

#endif
