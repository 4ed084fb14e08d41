/* The threads of the process, and where their stacks are in use. */
#ifndef TAP_HOLDERS_THREAD_LIST_H
#define TAP_HOLDERS_THREAD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tap/holders/snapshot_options.h"

enum { THREADS_MOST = 1 << 14 };

struct snapshot_thread {
    uint64_t id;
    uint64_t stack;            /* its stack pointer; 0: it runs, and nobody knows */
    struct unwind_start start; /* where its frames begin; sp 0: unknown */
    uint64_t pointer;          /* its thread pointer; 0: unknown */
    char name[HOLDERS_DUMP_NAME_BYTES];
};

/* Fills `threads` with those that there are, at most THREADS_MOST: of others than this one as the kernel saw them last.  How many. */
size_t threads_find(struct snapshot_thread *threads, const struct snapshot_place *own);

#endif
