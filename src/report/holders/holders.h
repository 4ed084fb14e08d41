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
/* The heaviest way on which a place's blocks were held at the last snapshot, in words, to be freed: of a place as another report on
 * the same model has it, by line, with a filter of stacks alone.  "" where that isn't known; NULL when there is no memory. */
char *holders_kept_by(const struct report *report, const struct symbol *place);

const char *holders_refuse(const struct report *report);
enum report_outcome holders_put(struct answer *answer, const struct report *report);

#endif
