/* A profile that a process kept in a file (options.keep), when that process is no more.
 *
 * It may have died of damage to its memory, and the file is of memory: so nothing in it is trusted.
 * What refers to something that isn't there is left out, and counted. */
#ifndef TAP_GATHER_RESTORE_H
#define TAP_GATHER_RESTORE_H

#include "heaptap/pprof.h"

/* Makes a profile of the file's bytes, which it borrows and puts right in place; they are aligned as a
 * page is.  Intervals: `written` is the number of the last file that is known to be there, so that
 * the profile is of what came after it.  HEAPTAP_BAD_INPUT where it is no such file, or was never
 * begun; `*damaged`: how many items were left out. */
enum heaptap_status pprof_restore(struct heaptap_pprof **profile, void *bytes, size_t size,
                                  uint64_t written, uint64_t *damaged,
                                  struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What such a profile says of itself: the process, the last time at which it noted that it was
 * there, and whether its profiles are of intervals, with the number of the last one. */
struct pprof_restored {
    uint64_t pid, recording; /* the number of the heaptap record that it is of; 0: none */
    int64_t last_us;
    int intervals;
    uint64_t number;
    uint64_t
        saying_number; /* of the file that was being written, if that is another; and when it ended */
    int64_t saying_us;
};
void pprof_restored_look(const struct heaptap_pprof *profile, struct pprof_restored *restored);

#endif
