/* A store of a fleet in place of a file: "store:app.db service=api time=last 24h" is read as one profile, that of all that has
 * these labels and times. */
#ifndef CLI_STORE_INPUT_H
#define CLI_STORE_INPUT_H

#include "store/store.h"

/* Does the path name a store? */
bool store_input_is(const char *path);

/* What is chosen; with the moments of its samples (profile/moment.h), where these are wanted.  The model is the caller's. */
enum heaptap_status store_input_read(struct model **model, const char *path, bool with_moments,
                                     struct heaptap_error *error);

/* Closes it, NULL allowed; warns first of what the answer lacked. */
void store_input_close(struct store *store, const char *path);

/* Opens the store of such a path, and reads its conditions.  On success the store is the caller's. */
enum heaptap_status store_input_choose(struct store **store, struct store_selector *selector,
                                       const char *path, struct heaptap_error *error);

/* Is an argument of the command line that follows `path` a condition of it: a label or a time, and no clause of a filter?
 * Words that are both are clauses. */
bool store_input_takes(const char *path, const char *argument);

/* The path with one more condition; it lives as long as the command. */
const char *store_input_with(const char *path, const char *argument);

/* The same choice a day earlier; NULL of what is no store, has no time that it begins at, or had nothing then.  It lives as long as the command. */
const char *store_input_day_before(const char *path);

#endif
