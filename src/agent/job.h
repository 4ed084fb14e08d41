/* A command that runs as a process of its own, and what it says. */
#ifndef AGENT_JOB_H
#define AGENT_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/words.h"
#include "base/text.h"

enum { JOB_OUTPUT_MAX = 64 << 20, JOB_ERRORS_MAX = 64 << 10 };

/* Zeroed, there is none. */
struct job {
    pid_t pid;          /* of the process that looks after it, and leads its group; 0 for none */
    int out, err;       /* the ends of pipes that are read here; -1 once they have ended */
    struct text said;   /* on standard output */
    struct text warned; /* on standard error, up to JOB_ERRORS_MAX */
    bool is_too_long;   /* it said more than JOB_OUTPUT_MAX, and was killed for that */
    bool is_late;       /* it took too long, and was ended for that */
    int64_t end_ms;     /* when it is late, by the monotonic clock */
};

/* Starts words[0] in the folder.  False with errno. */
bool job_start(struct job *job, const struct words *words, const char *folder, long seconds);

/* Reads what is there from one of its pipes. */
void job_read(struct job *job, int fd);

/* Has it ended, all that it said being read? */
bool job_is_over(const struct job *job);

/* Where it is late, asks it to end, and kills it 5 seconds later. */
void job_watch(struct job *job);

/* Kills it and all that it started, daemons as well; job_wait waits for that. */
void job_kill(struct job *job);

/* Waits for its end: the exit status, or 128 and its signal. */
int job_wait(struct job *job);

/* Frees its texts. */
void job_release(struct job *job);

/* By the monotonic clock. */
int64_t job_now_ms(void);

#endif
