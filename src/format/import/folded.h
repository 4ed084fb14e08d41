/* Folded stacks, one per line: callers first, separated by semicolons, and a number after the last space.
 *
 *     main;parse;make_node 1200
 *
 * Flame graph scripts, perf's, DTrace's and eBPF's collapsing tools and heaptap's own export write
 * them.  They don't say what they count: the sample type is samples, in counts.  Empty lines and
 * lines that begin with # are left out. */
#ifndef FORMAT_IMPORT_FOLDED_H
#define FORMAT_IMPORT_FOLDED_H

#include "pprof/read/profile.h"

/* Reads `input` to its end; it stays the caller's.  On success `*pprof` is the caller's. */
enum heaptap_status folded_read(struct pprof **pprof, struct input *input,
                                struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Do these bytes, decompressed, look like the beginning of such a file?  All whole lines of them
 * have to. */
bool folded_looks_like_one(const uint8_t *bytes, size_t size);

#endif
