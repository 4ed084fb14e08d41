/* Filling in a struct heaptap_error without stdio. */
#ifndef ENGINE_FAIL_H
#define ENGINE_FAIL_H

#include <string.h>

#include "heaptap/status.h"

/* Returns `status`, with `message`, a literal shorter than the field, in `error` where there is
 * one. */
static inline enum heaptap_status fail(struct heaptap_error *error, enum heaptap_status status,
                                       const char *message)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->status = status;
        for (size_t i = 0; message[i] && i + 1 < sizeof error->message; i++)
            error->message[i] = message[i];
    }
    return status;
}

#endif
