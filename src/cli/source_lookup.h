/* Sources as the viewer asks for them: one file at a time. */
#ifndef CLI_SOURCE_LOOKUP_H
#define CLI_SOURCE_LOOKUP_H

#include "cli/source_file.h"

struct source_lookup {
    const char *folders;     /* as source_file_open takes them */
    bool is_strict;          /* no others are read */
    struct source_file file; /* the last one asked for */
};

/* The lines of the file of a name, as struct viewer_sources wants them; `context` is a struct
 * source_lookup. */
char **source_lookup_lines(void *context, const char *name, size_t *count);

void source_lookup_release(struct source_lookup *lookup);

#endif
