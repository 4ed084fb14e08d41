/* What a recording came to, once its command has ended: the processes, and the functions of each that allocated most. */
#ifndef REPORT_INFO_RECORDING_H
#define REPORT_INFO_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer/answer.h"
#include "profile/estimate.h"

enum { RECORDED_SITES = 5 };

/* A function outside of libraries that allocates. */
struct recorded_site {
    double bytes, share; /* its share of the process's bytes */
    char *function;      /* malloc'ed, as all texts here; NULL without memory */
    char *file;          /* NULL where it is not known, or the function's own text tells it */
    uint32_t line;       /* 0 where it is not known */
    bool has_more_lines; /* ... and others of the function allocate, too */
    char *caller;        /* that explains most of it; NULL for none */
};

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
    struct recorded_site sites[RECORDED_SITES];
    size_t site_count;
    char *nameless;  /* a module whose functions have no names; NULL for none */
    char *language;  /* of which the lines and the heap were recorded; NULL: malloc's blocks were */
    char *own_heap;  /* lines about a heap of its runtime's that isn't malloc's; NULL for none */
    char *otherwise; /* how to record what was not; NULL for none */
};

struct recording {
    double seconds;          /* that the command ran */
    uint64_t pid;            /* of the command */
    uint64_t peak_rss_bytes; /* of the command; 0 where nothing is known */
    bool was_paused;         /* it began stopped */
    bool is_explained;       /* the user has been told why something was not recorded */
    bool was_toggled;        /* it could be stopped and started by a signal */
    bool was_killed; /* a signal ended the command, which may have cost what wasn't written yet */
    struct recorded_process *processes;
    size_t count, capacity;
};

/* Frees the texts and the processes. */
void recording_release(struct recording *recording);

/* The process that text answers in full: the one that allocated most.  NULL where all of them still run. */
const struct recorded_process *recording_main(const struct recording *recording);

extern const struct answer_table *const recording_tables[]; /* ended by NULL */

/* In text, recording_main's process is answered in full; of several, each has a line before. */
void recording_put(struct answer *answer, const struct recording *recording);

/* recording_columns.c: all processes with their sites, for programs; and the sites of one. */
bool recording_put_data(struct answer *answer, const struct recording *recording);
void recording_put_sites(struct answer *answer, const struct recorded_process *process);

/* A line for each of several processes, in text; its rows are struct recorded_process. */
extern const struct answer_table recording_listed_table;
enum { RECORDING_HAS_RUNNING = 1 }; /* one of them still runs */

#endif
