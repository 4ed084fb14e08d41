/* Where a command's pprof profile goes. */
#ifndef CLI_PPROF_OUTPUT_H
#define CLI_PPROF_OUTPUT_H

#include "trace/output.h"

/* Writes a file in one piece, "-" being standard output, compressed by gzip, OUTPUT_GZIP or
 * OUTPUT_GZIP_QUICK: `encode` puts `what` into a sink, and returns 0 or an errno.  Returns an exit
 * status, after a message for a failure. */
int pprof_output_write(const char *path, enum output_encoding encoding,
                       int (*encode)(const void *what, struct heaptap_sink sink), const void *what);

/* The same of a profile that may take the place of the one that it is made of. */
int pprof_output_replace(const char *path, enum output_encoding encoding,
                         int (*encode)(const void *what, struct heaptap_sink sink),
                         const void *what);

#endif
