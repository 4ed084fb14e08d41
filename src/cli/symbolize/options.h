/* How a trace or profile is symbolized. */
#ifndef CLI_SYMBOLIZE_OPTIONS_H
#define CLI_SYMBOLIZE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/symbolize/source.h"
#include "symbol/symbolizer.h"

enum { SYMBOLIZE_LAST_SEEN = -1 };

/* Which notes of a symbolizer were told though quiet: on files that have changed, and on .dwo files that are missing for the
 * first program or library of which they are. */
struct symbolize_told {
    size_t seen; /* notes looked at */
    bool split;  /* that .dwo files are missing */
};

struct symbolize_options {
    struct symbolizer *symbolizer; /* borrowed; what it finds for one file serves for the next */
    const char *output;  /* a file, "-" for standard output; NULL: the trace itself is replaced */
    int encoding;        /* an enum output_encoding; OUTPUT_BY_NAME goes by the output's name, and
                           keeps the compression of a trace that is replaced */
    source_opener *open; /* for files that are not traces but can be made some; NULL: traces only */
    bool only_rewrite;   /* look nothing up */
    bool
        rename; /* what has a name is looked up again, and keeps it where nothing is found; traces only */
    bool keep_readable; /* a damaged trace is replaced too, by what can be read of it */
    bool quiet;         /* no notes on modules */
    int64_t
        ended_us; /* when the program ended, since the epoch, for a trace that does not say so; 0: unknown, and nothing is said;
                         SYMBOLIZE_LAST_SEEN: it has ended, who knows when, and is said to have done so with its latest event */
    struct symbolize_told *told; /* where set: some notes are told though quiet, each once */
};

#endif
