/* A pprof profile in place of a trace: where the output's name ends in .pb or .pb.gz.  Events go
 * into the same streams, which then hand them to a profile in memory (heaptap/pprof.h); the file is
 * written anew from time to time, so that a process which is killed leaves the last one. */
#ifndef RECORD_PROFILE_H
#define RECORD_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/pprof.h"

/* Does this name ask for a profile? */
bool profile_is_asked(const char *name);

/* Makes recorder.profile, a new one; false if there is no memory. */
bool profile_begin(const struct heaptap_trace_info *info);

/* Writes recorder.output's file, unless another thread is at it.  `at_last`: waits a little for
 * that one. */
void profile_save(bool at_last);

/* The same where the last one is old enough: after ten seconds, and so seldom that the writing
 * takes no more than a hundredth of the time. */
void profile_save_sometimes(int64_t now_us);

#endif
