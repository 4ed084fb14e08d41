/* A file that is taken into memory whole, because its parts refer to each other. */
#ifndef TRACE_WHOLE_H
#define TRACE_WHOLE_H

#include "trace/input.h"

/* Looks at the first `size` bytes of a file, more of them at each call, and refuses what can't
 * become a file of its format.  What is cut off at the end is no mistake yet. */
typedef enum heaptap_status whole_check(void *context, const uint8_t *data, size_t size,
                                        struct heaptap_error *error);

/* Refuses compressed input that has unpacked to `size` bytes so far, where that is WHOLE_RATIO_MAX times its size and
 * WHOLE_FREE_BYTES at least: no profile does.  For readers that keep what they read in another form. */
enum { WHOLE_RATIO_MAX = 250, WHOLE_FREE_BYTES = 64 << 20 };
enum heaptap_status whole_check_size(const struct input *input, uint64_t size,
                                     struct heaptap_error *error);

/* Reads all of the input into `*data`, malloc'ed in either case.  `check`, unless it is NULL, is
 * asked as the bytes come in, so that nothing more is read, or unpacked, of what it refuses; so is
 * whole_check_size. */
enum heaptap_status whole_read(uint8_t **data, size_t *size, struct input *input,
                               whole_check *check, void *context, struct heaptap_error *error);

#endif
