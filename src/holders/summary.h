/* Snapshots summed up as records of metadata of its trace (docs/trace-format.md, section 11). */
#ifndef HOLDERS_SUMMARY_H
#define HOLDERS_SUMMARY_H

#include "heaptap/trace.h"
#include "holders/graph.h"
#include "profile/stack_trie.h"

/* Records of kind HEAPTAP_HOLDERS. */
struct summary_records {
    struct heaptap_metadata *items; /* names are constants, values are malloc'ed */
    size_t count, capacity;
};

/* What blocks are known by in their trace. */
struct summary_stacks {
    struct stack_trie trie;
    uint64_t
        unknown; /* blocks of the snapshot that the trace doesn't have, though they should be in it */
};

/* Reads the whole trace, of which the graph's snapshot is: stacks and sizes of blocks, and which have ended.  Release the stacks in either case. */
enum heaptap_status summary_read_stacks(struct summary_stacks *stacks, struct graph *graph,
                                        struct heaptap_reader *reader,
                                        struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void summary_stacks_release(struct summary_stacks *stacks);

/* Then: the records, which are added to those of snapshots before it.  The reader is at its end.  False when there is no memory;
 * release them in either case. */
bool summary_make(struct summary_records *records, const struct summary_stacks *stacks,
                  const struct graph *graph, const struct heaptap_reader *reader);
void summary_records_release(struct summary_records *records);

#endif
