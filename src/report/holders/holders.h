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
/* The root of what no root leads to. */
#define HOLDERS_NOTHING "nothing"

struct holders_kept {
    char *
        by; /* the root, and the way from there as long as nearly all goes on it; to be freed.  "" where that isn't known */
    double bytes; /* that are held so; where they are lost, all that are */
    bool is_lost; /* the root is what no root leads to */
    struct symbol
        site; /* the line that the heaviest way leads to; without a file where that isn't known */
};

/* What held most of all that the report's filter leaves, at the last snapshot: of blocks that are left as the trace ends, not of those
 * that were freed after the snapshot.  Of a filter of stacks alone.  False when there is no memory. */
bool holders_kept_by(const struct report *report, struct holders_kept *kept);

const char *holders_refuse(const struct report *report);
enum report_outcome holders_put(struct answer *answer, const struct report *report);

#endif
