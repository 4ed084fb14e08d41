/* The frames of a trace being read, as the profile library asks for them. */
#ifndef CLI_TRACE_FRAMES_H
#define CLI_TRACE_FRAMES_H

#include "cli/trace_input.h"
#include "profile/stack_profile.h"
#include "profile/symbols.h"

/* Those of a trace that has been read to its end; valid while it is open. */
struct frame_source trace_frames(const struct trace_input *input);

/* Reads a whole trace into a profile, which is the caller's to release.  False, with a message and
 * input->exit_status set, when there is no memory. */
bool trace_read_stacks(struct trace_input *input, struct stack_profile *profile);

#endif
