/* A shared library that is loaded when it is first needed.
 *
 * Most commands speak to nobody, and those libraries bring thirty others with them.  The program calls their functions by
 * their own names (curl.h, microhttpd.h, gnutls.h), which are macros for members of a table that loading fills in. */
#ifndef HTTP_LIBRARY_H
#define HTTP_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "heaptap/status.h"

struct http_library {
    const char *name;         /* that the linker would have noted */
    const char *const *names; /* of its functions */
    void **functions;         /* of the same number, filled in by http_library_load */
    size_t count;
    atomic_bool is_loaded;
};

/* Loads it, if that was not done.  HEAPTAP_SYSTEM where it isn't there or lacks a function; then none may be called. */
enum heaptap_status http_library_load(struct http_library *library,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* For tables of functions: X(name) for each. */
#define HTTP_MEMBER(name) __typeof__(name) *name;
#define HTTP_NAME(name) #name,

#endif
