/* A shared library that is loaded when it is first needed.
 *
 * Most commands use no network, and these libraries load thirty others.  The program calls their functions by
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

/* Defines such a table, and the function that loads it. */
#define NET_LIBRARY(table, file, FUNCTIONS)                                                        \
    struct table table;                                                                            \
    static const char *const table##_names[] = {FUNCTIONS(NET_NAME)};                              \
    _Static_assert(sizeof table##_names == sizeof table, "a table has a member for each name");    \
    enum heaptap_status table##_load(struct heaptap_error *error)                                  \
    {                                                                                              \
        static struct net_library library = {                                                      \
            file, table##_names, (void **)&table, sizeof table / sizeof(void *), false,            \
        };                                                                                         \
        return net_library_load(&library, error);                                                  \
    }

#endif
