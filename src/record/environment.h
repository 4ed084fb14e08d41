/* The environment, read and changed without libc's functions, which take locks and may allocate. */
#ifndef RECORD_ENVIRONMENT_H
#define RECORD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct settings;

/* The value of `name`, or NULL. */
const char *environment_get(char *const *environment, const char *name);

/* Puts this process's environment into the state that programs started from it shall find, once
 * the settings are read.  Not following: neither the preload library nor what asks for a recording
 * is left.  Following: SETTING_FOLLOWED, with the absolute pattern `child_pattern`, takes the place
 * of SETTING_TRACE, so that a child neither takes our file for its own nor is recorded twice, once
 * by us and once by its runtime. */
void environment_prepare(char **environment, const struct settings *settings,
                         const char *child_pattern);

/* For a caller that starts a program with an environment of its own making.  Entries that
 * environment_with has room for, beside those of `environment`; 0 where nothing is to be added. */
size_t environment_missing(char *const *environment);

/* Writes to `extended`, which has room for the entries of `environment`, environment_missing of
 * them more, and the final NULL. */
void environment_with(char **extended, char *const *environment);

#endif
