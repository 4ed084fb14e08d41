/* The traces of a command that has ended are put right, named and finished. */
#ifndef CLI_RECORD_FINISHING_H
#define CLI_RECORD_FINISHING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/record/settings.h"
#include "cli/record/written_traces.h"
#include "report/info/recording.h"

/* The traces of a command that has ended, as its answer is made of them. */
struct telling {
    const struct record_settings *options;
    const struct written_traces *traces;
    int64_t ended_us;           /* when the command did, since the epoch */
    bool is_unnamed;            /* looking up names is too much for the memory that there is */
    struct recording recording; /* without its processes */
};

/* Removes traces without an event.  One trace is kept, whatever is in it. */
void finishing_drop_empty(const struct record_settings *options, struct written_traces *traces);

/* A script of a version manager, or a shell, becomes its last command, and has by then taken the name that was asked for.
 * That is the name of what the command's process was at last, or of the only trace there is.  It comes first, too. */
void finishing_name_as_asked(const struct record_settings *options, struct written_traces *traces,
                             pid_t command);

/* Warns of those that should be compressed, but are still written.  With --quiet, too: something else was asked for. */
void finishing_tell_uncompressed(const struct record_settings *options,
                                 const struct written_traces *traces);

/* Finishes each trace whose process has ended, and adds all of them to `recording`, unless that is NULL. */
void finishing_all(const struct telling *telling, struct recording *recording);

#endif
