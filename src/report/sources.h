/* The lines of source files, for reports that show them, and types from debug information.  Reports read no files: their caller brings
 * a reader. */
#ifndef REPORT_SOURCES_H
#define REPORT_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The lines of a source file. */
struct report_source {
    const char *path; /* where it was found; NULL: it was not */
    char *const *lines;
    size_t count;
    void *owner; /* of whoever has read it */
};

/* A type that code names. */
struct report_type_question {
    const char *path,
        *build_id; /* of the file that the code is in; the latter in hexadecimal, "" for none */
    uint64_t start, size, file_offset; /* of it in memory, as a model's module has them */
    uint64_t address;                  /* of the code, in memory */
    const char *name;                  /* as the source has it */
};

struct report_type {
    char name[96];  /* with its namespaces; "" for none */
    uint64_t bytes; /* of an object */
};

/* Who reads them. */
struct report_sources {
    /* Fills a source of which nothing is known. */
    void (*open)(const struct report_sources *sources, struct report_source *source,
                 const char *file);
    void (*close)(struct report_source *source);
    /* False where the debug information has none, or is not at hand.  NULL: nobody asks it. */
    bool (*type)(const struct report_type_question *question, struct report_type *type);
};

#endif
