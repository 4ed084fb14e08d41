/* speedscope's files (https://www.speedscope.app/file-format-schema.json), which py-spy, rbspy, heaptap
 * and many others write.
 *
 *     {"shared": {"frames": [{"name": "main", "file": "a.c", "line": 3}, ...]},
 *      "profiles": [{"type": "sampled", "name": "alloc_space", "unit": "bytes",
 *                    "samples": [[0, 1], ...], "weights": [16, ...]},
 *                   {"type": "evented", "name": "main thread", "unit": "seconds",
 *                    "events": [{"type": "O", "frame": 0, "at": 0.5}, {"type": "C", ...}]}]}
 *
 * Profiles of one kind of unit add up: bytes become the sample type space, times become time in
 * nanoseconds, others samples.  A single profile's type has its name, where that is a word.  Of
 * several, each sample has a label `profile` with the name. */
#ifndef FORMAT_IMPORT_SPEEDSCOPE_H
#define FORMAT_IMPORT_SPEEDSCOPE_H

#include "pprof/read/profile.h"

/* Reads `input` to its end; it stays the caller's.  On success `*pprof` is the caller's. */
enum heaptap_status speedscope_read(struct pprof **pprof, struct input *input,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Do these bytes, decompressed, look like the beginning of such a file? */
bool speedscope_looks_like_one(const uint8_t *bytes, size_t size);

#endif
