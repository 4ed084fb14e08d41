/* Through what the program's blocks are held: by allocation site the ways from roots, by root what it holds. */
#ifndef REPORT_HOLDERS_HOLDERS_H
#define REPORT_HOLDERS_HOLDERS_H

#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

/* Its own options. */
struct holders_question {
    long paths;           /* of each site, at most */
    long roots;           /* at most; 0: all */
    const char *snapshot; /* its number, or a time: the last one before it; NULL: the last */
};
extern const struct holders_question holders_usual;
extern const struct question_option holders_options[]; /* ended by one without a word */

extern const struct answer_table *const holders_tables[]; /* ended by NULL */

bool holders_check(struct question *question, struct heaptap_error *error);
const char *holders_refuse(const struct report *report);
enum report_outcome holders_put(struct answer *answer, const struct report *report);

#endif
