#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *heaptap_status_name(enum heaptap_status status)
{
    switch (status) {
    case HEAPTAP_OK:
        return "done";
    case HEAPTAP_END:
        return "end";
    case HEAPTAP_BAD_ARGUMENT:
        return "bad argument";
    case HEAPTAP_BAD_STATE:
        return "bad state";
    case HEAPTAP_BAD_INPUT:
        return "bad input";
    case HEAPTAP_NO_MEMORY:
        return "out of memory";
    case HEAPTAP_SYSTEM:
        return "system error";
    }
    return "unknown status";
}

static enum heaptap_status fill(struct heaptap_error *error, enum heaptap_status status,
                                uint64_t offset, const char *format, va_list arguments)
{
    if (error) {
        error->status = status;
        error->system_errno = 0;
        error->offset = offset;
        vsnprintf(error->message, sizeof error->message, format, arguments);
    }
    return status;
}

enum heaptap_status error_set(struct heaptap_error *error, enum heaptap_status status,
                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, 0, format, arguments);
    va_end(arguments);
    return status;
}

enum heaptap_status error_at(struct heaptap_error *error, uint64_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, HEAPTAP_BAD_INPUT, offset, format, arguments);
    va_end(arguments);
    return HEAPTAP_BAD_INPUT;
}

enum heaptap_status error_system(struct heaptap_error *error, const char *what)
{
    int code = errno;
    error_set(error, HEAPTAP_SYSTEM, "%s: %s", what, strerror(code));
    if (error)
        error->system_errno = code;
    return HEAPTAP_SYSTEM;
}

enum heaptap_status error_no_memory(struct heaptap_error *error)
{
    return error_set(error, HEAPTAP_NO_MEMORY, "out of memory");
}
