/* The `heaptap check` that keeps what the remedy of a cause gains. */
#ifndef REPORT_SUMMARY_DIAGNOSIS_CHECK_H
#define REPORT_SUMMARY_DIAGNOSIS_CHECK_H

#include "report/summary/diagnosis_causes.h"

enum { DIAGNOSIS_CHECK_BYTES = 128 };

/* A limit between what the remedy leaves and what there is now, which fails without the remedy: half of what is saved may be missing, or
 * come from elsewhere.  Where no remedy is known, what there is and a twentieth more.  "" where there is no limit for it, or samples
 * are too few to tell the two. */
const char *diagnosis_check(char text[DIAGNOSIS_CHECK_BYTES], const struct diagnosis *diagnosis,
                            const struct cause *cause);

#endif
