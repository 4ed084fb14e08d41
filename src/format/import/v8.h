/* V8's sampling heap profiles, as Node.js (`node --heap-prof`) and Chrome's developer tools save them
 * in files called .heapprofile.
 *
 *     {"head": {"callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1, ...},
 *               "selfSize": 0, "id": 1, "children": [...]}, "samples": [...]}
 *
 * A node is a function that is called from its parent, selfSize the estimated bytes that it
 * allocated and that were in use at the end: the sample type inuse_space.  Lines count from 0. */
#ifndef FORMAT_IMPORT_V8_H
#define FORMAT_IMPORT_V8_H

#include "pprof/read/profile.h"

/* Reads `input` to its end; it stays the caller's.  On success `*pprof` is the caller's. */
enum heaptap_status v8_read(struct pprof **pprof, struct input *input,
                            struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Do these bytes, decompressed, look like the beginning of such a file? */
bool v8_looks_like_one(const uint8_t *bytes, size_t size);

#endif
