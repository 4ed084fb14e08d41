/* A recorded trace or profile rewritten with functions, files and lines: what `heaptap file symbolize`
 * does, and `heaptap record` after the program has ended. */
#ifndef CLI_SYMBOLIZE_SYMBOLIZE_H
#define CLI_SYMBOLIZE_SYMBOLIZE_H

#include "cli/symbolize/options.h"

/* Where names are looked up: one for all files of a recording.  `options` may be NULL.  NULL after a message;
 * symbolizer_free ends it. */
struct symbolizer *symbolize_with(const struct symbolizer_options *options);

/* Rewrites the trace or profile at `path` ("-": standard input).  One in which nothing is left to
 * look up is not replaced; it is copied if another output is named.  Returns an exit status, after a
 * message for a failure. */
int symbolize_file(const char *path, const struct symbolize_options *options);

#endif
