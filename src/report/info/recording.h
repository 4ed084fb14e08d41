/* What a recording came to, once its command has ended: its processes.  What they allocated, and where, the report `summary` of their
 * files says after that. */
#ifndef REPORT_INFO_RECORDING_H
#define REPORT_INFO_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer/answer.h"
#include "profile/estimate.h"

/* An amount of blocks, with its bounds where it is an estimate. */
struct recorded_blocks {
    double bytes, objects;
    struct estimate_range bytes_range, objects_range;
};

struct recorded_process {
    char *file, *program;
    uint64_t pid;
    bool is_running; /* not read; the figures below are 0 */
    bool was_read;
    bool is_cut;     /* there was more in it than could be read */
    bool is_exact;   /* every block was recorded */
    bool is_profile; /* in which there are no peak and no single blocks */
    bool is_raw;     /* names could not be written into it */
    bool is_ocaml;   /* of an OCaml program, which has a heap of its own */
    uint64_t events; /* blocks that were recorded; of a profile, rows */
    uint64_t samples, dropped;
    char *stop;          /* why recording ended before the program; NULL if it did not */
    double stop_seconds; /* ... and when; 0 where that is not known */
    struct recorded_blocks allocated, live;
    double peak_bytes, peak_seconds;
    struct estimate_range peak_range;
    double
        recorder_bytes; /* of memory that heaptap itself had in it when it ended; 0 where that is not known */
    char *language;  /* of which the lines and the heap were recorded; NULL: malloc's blocks were */
    char *own_heap;  /* lines about a heap of its runtime's that isn't malloc's; NULL for none */
    char *otherwise; /* how to record what was not; NULL for none */
};

struct recording {
    double seconds; /* that the command ran */
    uint64_t pid;   /* of the command */
    uint64_t
        peak_rss_bytes; /* of the command, and what heaptap has in it; 0 where nothing is known */
    bool was_paused;    /* it began stopped */
    bool is_explained;  /* the user has been told why something was not recorded */
    bool is_partial;    /* not all of its processes were recorded */
    bool was_toggled;   /* it could be stopped and started by a signal */
    int end_signal; /* that ended the command, which may have cost what wasn't written yet; 0: none did */
    struct recorded_process *processes;
    size_t count, capacity;
    bool is_unnamed;      /* names were not looked up, which the user has been told */
    const char *nameless; /* a module whose functions have no names; NULL for none */
};

/* Frees the texts and the processes. */
void recording_release(struct recording *recording);

/* The process that allocated most of those that have ended.  NULL where all of them still run. */
const struct recorded_process *recording_main(const struct recording *recording);

/* Has any of them a block? */
bool recording_has_blocks(const struct recording *recording);

extern const struct answer_table *const recording_tables[]; /* ended by NULL */

/* What comes before the summary: how long the command ran, its processes, and what the figures lack.  `has_summary`: it
 * follows. */
void recording_put(struct answer *answer, const struct recording *recording, bool has_summary);

/* What comes after it, for people: names and heaps that are missing. */
void recording_put_missing(struct answer *answer, const struct recording *recording);

/* recording_columns.c: all processes, for programs. */
bool recording_put_data(struct answer *answer, const struct recording *recording, bool has_summary);

#endif
