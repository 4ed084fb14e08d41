/* A file that a command writes in one piece: under another name first, so that nobody ever sees
 * half of it, and it may be the very file that is read. */
#ifndef CLI_FILE_OUTPUT_H
#define CLI_FILE_OUTPUT_H

#include <stdbool.h>

#include "trace/file/output.h"

struct file_output {
    const char *path;      /* borrowed; "-" for standard output */
    char *temporary;       /* name while it is being written; NULL where it is written in place */
    int fd;                /* -1 once closed */
    struct output *output; /* what compresses */
};

/* False with a message, and nothing to close.  Standard output must not be a terminal. */
bool file_output_open(struct file_output *file, const char *path, enum output_encoding encoding);

/* Where the bytes go; borrowed until file_output_close. */
struct heaptap_sink file_output_sink(struct file_output *file);

/* Ends the file and moves it into its place.  `code` is the errno with which whoever wrote failed,
 * or 0: then what has been written is removed.  False with a message when it failed. */
bool file_output_close(struct file_output *file, int code);

#endif
