/* Sinks that compress, for commands that write traces.  Offline code, one thread. */
#ifndef TRACE_OUTPUT_H
#define TRACE_OUTPUT_H

#include "heaptap/trace.h"

enum output_encoding {
    OUTPUT_PLAIN,
    OUTPUT_GZIP,
    OUTPUT_ZSTD,
    OUTPUT_GZIP_QUICK, /* a twelfth of the time, a fifth larger: trace/quick_gzip.h */
};

struct output;

/* Compresses to `fd`, which stays the caller's. */
enum heaptap_status output_new(struct output **output, int fd, enum output_encoding encoding,
                               struct heaptap_error *error);

/* Borrowed until the output is freed. */
struct heaptap_sink output_sink(struct output *output);

/* Writes what is still inside and ends the compressed data; 0 or an errno. */
int output_finish(struct output *output);

void output_free(struct output *output);

#endif
