/* The text profiles from before pprof's present format: gperftools' heap profiles, and what Go writes
 * with debug=1.
 *
 *     heap profile: 22: 43680 [101: 696608] @ heap/1048576
 *     6: 16128 [6: 16128] @ 0x4b3f0f 0x4b402a        in use: blocks: bytes [ever: blocks: bytes]
 *     #  0x4b3f0e  main.inner+0x2e  /src/h.go:5      Go's names of what stands there
 *
 *     MAPPED_LIBRARIES:
 *     ...                                            as in /proc/PID/maps
 *
 * After the @ stand heapprofile (all blocks), heap_v2/N or heapz_v2/N (sampled, N bytes apart on
 * average), heap/N (N / 2), growth or fragmentation.  A sampled block of n bytes stands for
 * 1 / (1 - exp(-n / N)), at the mean size of its row, as pprof has it.
 *
 *     goroutine profile: total 4                     and threadcreate, and Go programs' own
 *     4 @ 0x42d4f6 0x45ca05
 *
 *     --- contention:                                and mutex, contentionz
 *     cycles/second=2596161993
 *     sampling period=1
 *     186336098 3276 @ 0x4b44c7 0x4b4479             cycles, how often
 *
 * Addresses are those of the calls, one before the return addresses. */
#ifndef FORMAT_IMPORT_LEGACY_H
#define FORMAT_IMPORT_LEGACY_H

#include "pprof/read/profile.h"

/* Reads `input` to its end; it stays the caller's.  On success `*pprof` is the caller's. */
enum heaptap_status legacy_read(struct pprof **pprof, struct input *input,
                                struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Do these bytes, decompressed, look like the beginning of such a file? */
bool legacy_looks_like_one(const uint8_t *bytes, size_t size);

#endif
