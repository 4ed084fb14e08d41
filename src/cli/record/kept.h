/* What processes were gathering for profiles when they ended, however that was (tap/gather/kept.h). */
#ifndef CLI_RECORD_KEPT_H
#define CLI_RECORD_KEPT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The file kept for the profile `name`; malloc'ed, NULL when there is no memory. */
char *kept_path(const char *name);

/* In a folder that others may write to, what they put there is not what this user's program kept for the profile `name`. */
bool kept_is_trusted(const struct stat *kept, const char *name);

/* Saves the profile `name` from what is kept for it in `path`, up to `end_us`; 0: up to when the process last
 * said that it was there.  Nothing is kept then any more.  0, or an errno: EINVAL after a message where
 * it can't be read. */
int kept_save(const char *path, const char *name, int64_t end_us);

/* The same for the interval that was not finished: `name` is that of the process, and `written` the number of
 * its last file.  Saves the next one, and sets `*number` to its number; 0: there is nothing to say. */
bool kept_save_interval(const char *name, uint64_t written, int64_t end_us, uint64_t *number);

/* Programs that gather profiles of themselves (the OCaml library) have no parent that waits for them.  Saves what such a
 * one, which is no more, left behind for the profile at `path`, or for the intervals of which `path` is
 * one, and says so. */
void kept_save_own(const char *path);

#endif
