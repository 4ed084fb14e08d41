/* Profiles of valgrind's DHAT (`valgrind --tool=dhat`, dhat.out.PID), of programs that write the same
 * (Rust's crate dhat), and heaptap's own export of it.
 *
 *     {"dhatFileVersion": 2, "mode": "heap", "bklt": true, ...,
 *      "pps": [{"tb": 24, "tbk": 1, "gb": 24, "gbk": 1, "eb": 0, "ebk": 0, "fs": [1, 2]}],
 *      "ftbl": ["[root]", "0x109150: main (t.c:5)"]}
 *
 * Sample types: alloc_objects and alloc_space, and where the file has lifetimes (bklt)
 * peak_objects and peak_space, in use when the whole program had most in use, and inuse_objects and
 * inuse_space, in use at the end; where it has accesses (bkacc) read_space and written_space.
 * What is not of a heap (modes copy, ad-hoc) is events and units. */
#ifndef FORMAT_IMPORT_DHAT_H
#define FORMAT_IMPORT_DHAT_H

#include "pprof/read/profile.h"

/* Reads `input` to its end; it stays the caller's.  On success `*pprof` is the caller's. */
enum heaptap_status dhat_read(struct pprof **pprof, struct input *input,
                              struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Do these bytes, decompressed, look like the beginning of such a file? */
bool dhat_looks_like_one(const uint8_t *bytes, size_t size);

#endif
