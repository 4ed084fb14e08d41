/* A pprof profile, read whole.
 *
 * Read are packed and unpacked lists, any sample types, fields in any order; fields that are not
 * known are skipped.  What breaks a rule of the format is refused, with the rule and the byte:
 * pprof itself would refuse it, or show it wrong. */
#ifndef PPROF_READ_PROFILE_H
#define PPROF_READ_PROFILE_H

#include "profile/profile_file.h"
#include "trace/input.h"

/* Reads `input` to its end; it stays the caller's.  On success `*model` is the caller's. */
enum heaptap_status pprof_read(struct model **model, struct input *input,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same of decompressed bytes. */
enum heaptap_status pprof_decode(struct model **model, const void *data, size_t size,
                                 struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What a profile of a stranger may have. */
struct pprof_bounds {
    size_t
        depth; /* frames of a stack, 8 at least: of a deeper one the inner and the outer half are left, and
                     the frame PPROF_DEEPER between them */
    size_t items; /* messages, strings, frames and values in all; more are refused */
};

#define PPROF_DEEPER "<deeper>"

enum heaptap_status pprof_decode_bounded(struct model **model, const void *data, size_t size,
                                         const struct pprof_bounds *bounds,
                                         struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Do these bytes, decompressed, look like the beginning of a profile? */
bool pprof_looks_like_one(const uint8_t *bytes, size_t size);

/* The next comment, from `*at` on, which says that the profile lacks a part of what the program did; NULL for none. */
const char *pprof_next_lack(const struct model *model, size_t *at);

#endif
