/* A profile that is a text file: what importers of such do with its lines, in a table of functions. */
#ifndef FORMAT_IMPORT_LINE_PROFILE_H
#define FORMAT_IMPORT_LINE_PROFILE_H

#include "format/import/lines.h"
#include "profile/list/profile_builder.h"

/* An importer's struct begins with it. */
struct line_profile {
    struct profile_builder builder;
    struct lines lines;
    struct heaptap_error *error;
    bool in_modules; /* set by the importer: all lines that follow are mappings */
    uint64_t announced,
        met; /* blocks in all, by the first lines and by stacks, where the importer counts them: a file with fewer is cut */
    bool lacks_end; /* set by the importer: after this line another one has to come */
};

/* Each function is given the importer's struct; those that may be NULL have nothing to do. */
struct line_profile_format {
    const char *name;
    bool is_loose; /* its last line may lack its line end; else the file is cut there */
    bool (*begin)(void *reading); /* false when there is no memory; or NULL */
    /* The first line, which there must be; NULL where it is as the others. */
    enum heaptap_status (*take_head)(void *reading, char *line, size_t size);
    enum heaptap_status (*take_line)(void *reading, char *line, size_t size);
    enum heaptap_status (*end)(void *reading);            /* after the last line; or NULL */
    void (*finish)(void *reading, struct model *profile); /* when modules are known; or NULL */
};

/* Reads the file.  On success `*result` is the caller's; else it is NULL.  What the importer's struct has besides is left to it. */
enum heaptap_status line_profile_read(struct line_profile *reading,
                                      const struct line_profile_format *format, struct input *input,
                                      struct model **result, struct heaptap_error *error);

#endif
