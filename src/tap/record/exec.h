/* What programs that this one starts are given. */
#ifndef TAP_RECORD_EXEC_H
#define TAP_RECORD_EXEC_H

#include <alloca.h>
#include <stdbool.h>

#include "tap/inside/environment.h"

/* Whether the recorder is to go along into the program at `path`, started with `environment`. */
bool exec_goes_along(const char *path, char *const *environment);

/* The environment for a child: the one that was given, or if the recorder goes along, one in the
 * frame of the function that uses this. */
#define EXEC_ENVIRONMENT(environment, goes_along)                                                  \
    __extension__({                                                                                \
        char *const *given = (environment);                                                        \
        if (goes_along) {                                                                          \
            char **extended = alloca(environment_entries(given) * sizeof *extended);               \
            environment_for(extended, alloca(environment_bytes(given)), given);                    \
            given = extended;                                                                      \
        }                                                                                          \
        given;                                                                                     \
    })

#endif
