/* Filling in a struct heaptap_error without stdio. */
#ifndef TAP_INSIDE_FAIL_H
#define TAP_INSIDE_FAIL_H

#include <errno.h>
#include <string.h>

#include "heaptap/status.h"

/* Returns `status`, with `message`, a literal shorter than the field, and the errno `code` or 0 in `error`, where there is
 * one. */
static inline enum heaptap_status
fail_errno(struct heaptap_error *error, enum heaptap_status status, int code, const char *message)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->status = status;
        error->system_errno = code;
        for (size_t i = 0; message[i] && i + 1 < sizeof error->message; i++)
            error->message[i] = message[i];
    }
    return status;
}

static inline enum heaptap_status fail(struct heaptap_error *error, enum heaptap_status status,
                                       const char *message)
{
    return fail_errno(error, status, 0, message);
}

static inline enum heaptap_status fail_memory(struct heaptap_error *error)
{
    return fail_errno(error, HEAPTAP_NO_MEMORY, ENOMEM, "out of memory");
}

#endif
