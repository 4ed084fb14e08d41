/* What a snapshot is taken of, and where it is written to. */
#ifndef TAP_HOLDERS_SNAPSHOT_OPTIONS_H
#define TAP_HOLDERS_SNAPSHOT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/holders_dump.h"
#include "tap/holders/thread_stacks.h"
#include "tap/inside/unwind_start.h"

typedef void holders_tell_block(void *context, uint64_t address, uint64_t id);

struct snapshot_place {
    uint64_t stack; /* what lies below is not the program's */
    struct unwind_start start;
};

/* Of a function that is under way: what it has on the stack begins behind `slot`, the word with its return address, and ends at that of
 * the next frame. */
struct snapshot_frame {
    uint64_t slot, pc;
};

struct scan_task;
struct snapshot_output;

struct snapshot_options {
    /* What the copy does: scan_run (scan.h), or what looks at the objects of an interpreter. */
    void (*look)(const struct scan_task *task, struct snapshot_output *output);
    const void *context; /* the latter's */

    const char *path; /* of the file that is written (spec/holders_dump.h) */
    enum holders_cause cause;
    uint64_t time_us; /* since the trace's start */

    /* Whether only some blocks are known, in no order: the others are found by the headers of malloc's chunks. */
    bool is_sampled;

    /* Tells all blocks that are known, by default all that are alive, in the order of their addresses.  Is called in the copy, where no other thread is. */
    void (*each_block)(holders_tell_block *tell, void *context);

    struct snapshot_place place; /* of the calling thread, where the program called */

    /* The frames of the stack that begins at `start`, the innermost first, at most `most`; returns how many.  NULL: none are known.
     * Is called in the copy. */
    uint32_t (*find_frames)(const struct unwind_start *start, struct snapshot_frame *frames,
                            uint32_t most);

    /* Memory that is the caller's own, besides what own_pages.h knows: of each thread, where from its thread pointer on. */
    int64_t self_offset;
    uint64_t self_bytes;

    struct thread_layout layout;
};

#endif
