/* The lines of source files, for reports that show them.  Reports read no files: their caller brings a reader. */
#ifndef REPORT_SOURCES_H
#define REPORT_SOURCES_H

#include <stddef.h>

/* The lines of a source file. */
struct report_source {
    const char *path; /* where it was found; NULL: it was not */
    char *const *lines;
    size_t count;
    void *owner; /* of whoever has read it */
};

/* Who reads them. */
struct report_sources {
    /* Fills a source of which nothing is known. */
    void (*open)(const struct report_sources *sources, struct report_source *source,
                 const char *file);
    void (*close)(struct report_source *source);
};

#endif
