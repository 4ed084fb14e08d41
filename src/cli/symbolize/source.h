/* What is symbolized, as a file that can be read more than once, from its beginning each time. */
#ifndef CLI_SYMBOLIZE_SOURCE_H
#define CLI_SYMBOLIZE_SOURCE_H

#include <stdbool.h>

#include "cli/trace_input.h"

/* What opens the events at a path, as trace_input_open (cli/trace_open.h) does. */
typedef bool source_opener(struct trace_input *input, const char *path,
                           const struct heaptap_reader_options *options);

struct source {
    const char *path;    /* as the user named it; "-" for standard input; borrowed */
    int fd;              /* of the copy of what can be read only once; -1: `path` is opened */
    source_opener *open; /* opens `path`; NULL: as a trace, by its descriptor */
};

/* Standard input, and whatever else is no regular file, is copied to an unlinked file first, below
 * $TMPDIR.  False, with a message and `*exit_status` set, if that fails.  A file that can't be
 * opened is reported when it is opened. */
bool source_open(struct source *source, const char *path, source_opener *opener, int *exit_status);

void source_close(struct source *source);

/* Whether it is standard input, the result of which goes to standard output. */
bool source_is_standard(const struct source *source);

/* Where the result goes: to what was asked for, or "-"; NULL: the file itself is replaced. */
const char *source_output(const struct source *source, const char *asked);

/* Whether its file can be replaced; false, with a message, where there is none. */
bool source_is_file(const struct source *source);

/* What messages call it. */
const char *source_name(const struct source *source);

/* A descriptor at its beginning, to be closed by the caller; -1 with errno. */
int source_fd(const struct source *source);

/* Its events, in the order of the file.  False, with a message and input->exit_status set, when it
 * can't be opened. */
bool source_read_trace(const struct source *source, struct trace_input *input);

#endif
