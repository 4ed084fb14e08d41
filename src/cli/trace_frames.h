/* The frames of a trace being read, as the profile library asks for them. */
#ifndef CLI_TRACE_FRAMES_H
#define CLI_TRACE_FRAMES_H

#include "cli/trace_input.h"
#include "profile/symbols.h"

/* Those of a trace that has been read to its end; valid while it is open. */
struct frame_source trace_frames(const struct trace_input *input);

#endif
