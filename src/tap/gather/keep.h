/* For a program that gathers a profile of itself, without a parent that waits for it: the file that it is kept in
 * (options.keep) stays locked while the program lives.  Whoever finds it without that lock may save
 * what is in it (restore.h). */
#ifndef TAP_GATHER_KEEP_H
#define TAP_GATHER_KEEP_H

#include <stdbool.h>

#include "heaptap/pprof.h"

struct growing_file;

/* The file that it is kept in; NULL for none. */
struct growing_file *keep_file(struct heaptap_pprof *profile);

/* Why it is not kept, where that was asked for: an errno.  Else 0. */
int keep_failure(const struct heaptap_pprof *profile);

/* Of a profile that is kept: the caller has locked `fd`, a descriptor of the file (fcntl, F_WRLCK), and
 * lets it be closed with the process.  The file grows by it, too. */
void keep_is_locked(struct heaptap_pprof *profile, int fd);

/* In a forked child: nothing reaches the parent's file any more. */
void keep_leave_to_parent(struct heaptap_pprof *profile);

/* What was saved so far doesn't count: the next interval is the first. */
void keep_count_anew(struct heaptap_pprof *profile);

/* What is saved from now on says that the process was still running; or that no longer. */
void keep_goes_on(struct heaptap_pprof *profile, bool goes_on);

/* Which `heaptap record` it is of, by its process number; 0 for none.  Before the profile is saved. */
void keep_recording(struct heaptap_pprof *profile, uint64_t number);

#endif
