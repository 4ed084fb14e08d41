/* What symbolize.c makes the whole of. */
#ifndef CLI_SYMBOLIZE_PARTS_H
#define CLI_SYMBOLIZE_PARTS_H

#include "cli/symbolize/options.h"
#include "cli/symbolize/source.h"
#include "trace/input.h"

/* Both return an exit status, after a message for a failure. */
int symbolize_trace(const struct source *source, const struct symbolize_options *options);
/* `input`: the source, which is a profile, from its beginning; it is closed. */
int symbolize_profile(const struct source *source, const struct symbolize_options *options,
                      struct input *input);

#endif
