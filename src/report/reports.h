/* The reports there are.
 *
 * One that has `put` is a command as it stands: cli/report_command.c reads its options, opens its file and renders its
 * answer.  So a new report is its file in this folder, a row in reports.c, its manual page and its test.  The others have
 * commands of their own (cli/cmd/), and stand here for what their answers are made of. */
#ifndef REPORT_REPORTS_H
#define REPORT_REPORTS_H

#include "answer/answer.h"
#include "report/report.h"

/* What a report needs and takes, besides a file, clauses, --sample, --granularity, --no-inlines and forms; a sum. */
enum report_trait {
    REPORT_NEEDS_BLOCKS = 1, /* single blocks with their times: profiles are refused */
    REPORT_TAKES_NODES = 2,  /* --node-count, --node-fraction, --edge-fraction, --cum */
    REPORT_TAKES_COUNT = 4,  /* --node-count alone */
    REPORT_TAKES_UNITS = 8,  /* --unit, --relative-percentages */
    REPORT_ONLY_FILTER =
        16, /* no --sample, --granularity and --no-inlines: they mean nothing to it */
    REPORT_FOLDS_BLOCKS = 32, /* of blocks that have ended, no times but the sum of their lives */
};

struct report_entry {
    const char *name; /* of the command: "leaks" */
    const struct answer_table *const
        *tables;         /* in the order in which they are told; ended by NULL */
    const char *summary; /* one line for `heaptap help` */
    const char *about;   /* for --help: what it does, \v, what else is to be known */
    unsigned traits;     /* of enum report_trait */
    /* Says the answer.  False when there is no memory. */
    bool (*put)(struct answer *answer, const struct report *report);
};

/* NULL past the end. */
const struct report_entry *report_entry_at(size_t number);

#endif
