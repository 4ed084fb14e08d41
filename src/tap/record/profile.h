/* A pprof profile in place of a trace: where the output's name ends in .pb or .pb.gz.  Events go
 * into the same streams, which then hand them to a profile in memory (heaptap/pprof.h); the file is
 * written anew from time to time, so that a process which is killed leaves the last one.
 *
 * Where profiles of intervals are asked for (HEAPTAP_EVERY), each is a file of its own: NAME.1,
 * NAME.2, ...  `heaptap record` takes them away as they come.  Should nobody do that any more, there
 * are never more than KEPT of a process: the oldest is removed.
 *
 * Where heaptap waits for the end of the program (HEAPTAP_KEEP), what is gathered lies in a file,
 * .NAME.sums, which it reads when the process is no more, and removes: in a folder of heaptap's, where nobody cuts or
 * renames it who means the profiles, or, where that has no room, beside the profile. */
#ifndef TAP_RECORD_PROFILE_H
#define TAP_RECORD_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/pprof.h"

/* Does this name ask for a profile? */
bool profile_is_asked(const char *name);

/* Makes recorder.profile, a new one; false if there is no memory. */
bool profile_begin(const struct heaptap_trace_info *info);

/* Removes what it is kept in. */
void profile_remove(void);

/* Writes the first one, which has no allocation yet.  The errno where there is no room for it, nor
 * anything kept; else 0. */
int profile_save_first(void);

/* Writes recorder.output's file, unless another thread is at it.  `at_last`: waits a little for
 * that one, leaves it at the last interval's file where nothing has changed since, and tells what
 * is lost where it can't be written. */
void profile_save(bool at_last);

/* The recording ends before the program, for this reason; NULL: it goes on. */
void profile_stop(const char *reason);

/* Recording was switched on or off: whoever did that may look at the file.  Saves it, or soon, where a hundredth of the
 * time would not be enough for that.  Not in the middle of an interval. */
void profile_save_soon(void);

/* From hold to let_go no profile is written.  False where one is just being written. */
bool profile_hold(void);
void profile_let_go(void);

/* Before a fork: the parent may end without a word, as that of a daemon does.  Intervals are not cut
 * short by more than the first fork. */
void profile_save_forking(void);

/* The same where the last one is old enough: after ten seconds, and so seldom that the writing
 * takes no more than a hundredth of the time; or when the interval is over. */
void profile_save_sometimes(int64_t now_us);

#endif
