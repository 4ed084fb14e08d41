/* jemalloc's heap profiles (`prof_dump`, prof:true), in its text format heap_v2.
 *
 *     heap_v2/524288                     mean of the bytes between samples
 *       t*: 28106: 56637512 [0: 0]       all threads: objects: bytes in use [objects: bytes ever]
 *       t0: 28106: 56637512 [0: 0]       a thread
 *     @ 0x5f86da8 0x5f5a1dc ...          a stack, the innermost return address first
 *       t*: 13: 6688 [0: 0]              what was sampled there
 *       t3: 13: 6688 [0: 0]
 *
 *     MAPPED_LIBRARIES:
 *     ...                                as in /proc/PID/maps
 *
 * It becomes a profile with the sample types inuse_objects and inuse_space, and before them
 * alloc_objects and alloc_space where the program ran with prof_accum:true.  jemalloc samples a
 * block of n bytes with probability 1 - exp(-n / mean), so values are divided by that, at the mean
 * size of the stack's blocks: what jeprof shows.
 *
 * Addresses are those of the calls, one before the return addresses; names are for whoever has the
 * binaries.  The innermost frames, within a library of jemalloc's, are left out. */
#ifndef FORMAT_IMPORT_JEMALLOC_H
#define FORMAT_IMPORT_JEMALLOC_H

#include "pprof/read/profile.h"

/* Reads `input` to its end; it stays the caller's.  On success `*pprof` is the caller's. */
enum heaptap_status jemalloc_read(struct pprof **pprof, struct input *input,
                                  struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Do these bytes, decompressed, look like the beginning of such a file? */
bool jemalloc_looks_like_one(const uint8_t *bytes, size_t size);

#endif
