/* A recorded trace or profile rewritten with functions, files and lines: what `heaptap symbolize`
 * does, and `heaptap record` after the program has ended. */
#ifndef CLI_SYMBOLIZE_SYMBOLIZE_H
#define CLI_SYMBOLIZE_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "symbol/symbolizer.h"

struct symbolize_options {
    struct symbolizer_options symbols;
    const char *output; /* a file, "-" for standard output; NULL: the trace itself is replaced */
    int encoding;       /* an enum output_encoding; OUTPUT_BY_NAME goes by the output's name, and
                           keeps the compression of a trace that is replaced */
    bool only_rewrite;  /* look nothing up */
    bool keep_readable; /* a damaged trace is replaced too, by what can be read of it */
    bool quiet;         /* no notes on modules */
    bool *split_told; /* where set: .dwo files that are missing are noted though quiet, until it is
                           true */
};

/* Rewrites the trace or profile at `path` ("-": standard input).  One in which nothing is left to
 * look up is not replaced; it is copied where another output is named.  Returns an exit status;
 * whatever went wrong has been told. */
int symbolize_file(const char *path, const struct symbolize_options *options);

#endif
