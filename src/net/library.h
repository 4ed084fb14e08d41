/* A shared library that is loaded when it is first needed.
 *
 * Most commands speak to nobody, and those libraries bring thirty others with them.  The program calls their functions by
 * their own names (curl.h, microhttpd.h, gnutls.h), which are macros for members of a table that loading fills in. */
#ifndef NET_LIBRARY_H
#define NET_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "heaptap/status.h"

struct net_library {
    const char *name;         /* that the linker would have noted */
    const char *const *names; /* of its functions */
    void **functions;         /* of the same number, filled in by net_library_load */
    size_t count;
    atomic_bool is_loaded;
};

/* Loads it, if that was not done.  HEAPTAP_SYSTEM where it isn't there or lacks a function; then none may be called. */
enum heaptap_status net_library_load(struct net_library *library,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* For tables of functions: X(name) for each. */
#define NET_MEMBER(name) __typeof__(name) *name;
#define NET_NAME(name) #name,

#endif
