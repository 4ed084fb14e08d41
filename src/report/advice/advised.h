/* All that is to be advised of a report of blocks, with what it rests on. */
#ifndef REPORT_ADVICE_ADVISED_H
#define REPORT_ADVICE_ADVISED_H

#include "answer/answer.h"
#include "report/advice/rules.h"
#include "report/advice/source_lines.h"
#include "report/report.h"

struct advised {
    struct sites sites;
    struct fates fates; /* of these */
    struct source_lines lines;
    struct evidence_sources reader; /* of these */
    struct advice *items;           /* the most useful first */
    size_t count;
};

/* Only sources so far: of a report that isn't of blocks, there is no more.  It must stay where it is. */
void advised_init(struct advised *advised, const struct report *report);

/* Of sites as fine as the grain.  False when there is no memory. */
bool advised_find(struct advised *advised, const struct report *report, enum symbol_grain grain);

/* What the remedy of one of them saves, with its bounds where these are apart. */
struct answer_value advised_saved(const struct advised *advised, const struct advice *advice);

/* Also of one that was not found, or not wholly. */
void advised_release(struct advised *advised);

#endif
