/* Profiles that wait to be sent: files in a folder, up to a limit of their bytes.  When that is
 * reached, the oldest go, and are counted.
 *
 * A file begins with a line, the query that the profile is sent with, and has the profile after it;
 * its name is that of its place in the order of time.  What is still there when this process ends
 * waits for the next one that opens the folder.  Two that have it open at once may both send a
 * profile: the server counts it once.
 *
 * All functions may be called by any thread. */
#ifndef FLEET_PUSH_SPOOL_H
#define FLEET_PUSH_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"

struct spool;

/* Makes the folder, and those above it, where they are not there, for this user alone.
 * HEAPTAP_SYSTEM where that fails. */
enum heaptap_status spool_open(struct spool **spool, const char *folder, uint64_t most_bytes,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What waits stays.  NULL allowed. */
void spool_close(struct spool *spool);

/* Adds a profile that ends at `time_ns`; `query` has no line's end.  HEAPTAP_SYSTEM where it cannot
 * be written. */
enum heaptap_status spool_put(struct spool *spool, int64_t time_ns, const char *query,
                              const void *profile, size_t size,
                              struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* A profile on its way. */
struct spool_item {
    char *name;  /* of the file; all is the spool's until spool_done */
    char *query; /* ends with a 0 */
    const void *profile;
    size_t size;
};

/* The oldest one; one at a time is on its way.  False where none waits, or there is no memory. */
bool spool_first(struct spool *spool, struct spool_item *item);

/* It is not on its way any more: removed, or waits on. */
void spool_done(struct spool *spool, struct spool_item *item, bool remove);

struct spool_counts {
    size_t waiting;
    uint64_t bytes;
    size_t dropped; /* since it was opened */
};
struct spool_counts spool_count(struct spool *spool);

#endif
