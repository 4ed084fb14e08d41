/* What the copy of a process does: it finds its blocks, the edges between them and the roots, and writes them. */
#ifndef TAP_HOLDERS_SCAN_H
#define TAP_HOLDERS_SCAN_H

#include "tap/holders/output.h"
#include "tap/holders/snapshot_options.h"
#include "tap/holders/thread_list.h"

struct scan_task {
    const struct snapshot_options *options;
    const struct snapshot_thread *threads;
    size_t thread_count;
    uint64_t still_us; /* how long the program stood still for the copy */
};

/* All but the file's end is written where it can't go on. */
void scan_run(const struct scan_task *task, struct snapshot_output *output);

#endif
