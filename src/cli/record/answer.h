/* What `heaptap record` says when the command has ended. */
#ifndef CLI_RECORD_ANSWER_H
#define CLI_RECORD_ANSWER_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/record/trace_name.h"

struct answer;

/* What is known of the recording besides its traces. */
struct answer_facts {
    double seconds;
    bool paused;             /* it began stopped */
    bool explained;          /* why something was not recorded has been said */
    bool toggled;            /* it could be stopped and started by a signal */
    uint64_t pid;            /* of the command */
    uint64_t peak_rss_bytes; /* of the command; 0 where nothing is known */
    bool unnamed;            /* looking up names is too much for the memory that there is */
    bool killed; /* a signal ended the command, which may have cost what wasn't written yet */
};

/* NULL without memory; the functions below accept that. */
struct answer *answer_new(const struct answer_facts *facts);
void answer_free(struct answer *answer);

/* Reads a finished trace into the answer; one whose process is still running is only named.
 * `left_raw`: names could not be written into it. */
void answer_add(struct answer *answer, const struct written_trace *trace, bool running,
                bool left_raw);

/* What all processes that have ended allocated together, and the highest peak of one.  False where nothing was recorded. */
struct expectation;
bool answer_sum(const struct answer *answer, struct expectation *sum);

void answer_print(const struct answer *answer, FILE *to);

#endif
