/* What heaptap's functions return, and where the details of a failure go.
 *
 * A function that can fail returns an `enum heaptap_status`.  If it takes a
 * `struct heaptap_error *`, that struct belongs to the caller, may be NULL, and is written only on
 * failure.  No function prints, exits or aborts.
 *
 * NULL means what a function's comment says.  If a required argument is NULL, including a place for a result, nothing is done:
 * the status is HEAPTAP_BAD_ARGUMENT; another result is 0, false or NULL, HEAPTAP_NO_ID for an id, and EINVAL for an errno.
 * The inline functions of the headers, which are the hooks of allocators, don't check: their arguments must be valid. */
#ifndef HEAPTAP_STATUS_H
#define HEAPTAP_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEAPTAP_MUST_CHECK __attribute__((warn_unused_result))
#define HEAPTAP_API __attribute__((visibility("default")))

enum heaptap_status {
    HEAPTAP_OK = 0,
    HEAPTAP_END,          /* nothing more will come; not a failure */
    HEAPTAP_BAD_ARGUMENT, /* the caller asked for something impossible */
    HEAPTAP_BAD_STATE,    /* not possible now: already started, not started, inside a callback */
    HEAPTAP_BAD_INPUT,    /* the data are damaged or of another kind; `offset` says where */
    HEAPTAP_NO_MEMORY,
    HEAPTAP_SYSTEM, /* a system call failed; `system_errno` says why */
};

struct heaptap_error {
    enum heaptap_status status;
    int system_errno; /* 0, or the errno of the call that failed */
    uint64_t
        offset; /* byte of the input (decompressed, from 0) where it went wrong; for BAD_INPUT */
    char message[320]; /* one sentence in English, without a full stop or a newline */
};

/* The name of a status, such as "bad input".  Static storage. */
HEAPTAP_API const char *heaptap_status_name(enum heaptap_status status);

#ifdef __cplusplus
}
#endif
#endif
