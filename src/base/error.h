/* Filling in a struct heaptap_error.  Offline code only: it formats with stdio. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "heaptap/status.h"

/* Writes status and message (printf-like) to `error` where there is one, and returns `status`. */
__attribute__((format(printf, 3, 4))) enum heaptap_status
error_set(struct heaptap_error *error, enum heaptap_status status, const char *format, ...);

/* The same for HEAPTAP_BAD_INPUT at byte `offset` of the input. */
__attribute__((format(printf, 3, 4))) enum heaptap_status
error_at(struct heaptap_error *error, uint64_t offset, const char *format, ...);

/* HEAPTAP_SYSTEM with the present errno; the message is "WHAT: strerror". */
enum heaptap_status error_system(struct heaptap_error *error, const char *what);

/* HEAPTAP_NO_MEMORY. */
enum heaptap_status error_no_memory(struct heaptap_error *error);

#endif
