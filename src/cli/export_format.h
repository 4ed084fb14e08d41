/* The formats that `heaptap export` writes: one table, as format/import/file_format.c is of those that are read. */
#ifndef CLI_EXPORT_FORMAT_H
#define CLI_EXPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/report.h"
#include "format/export/stack_lines.h"
#include "report/options.h"
#include "store/database.h"

/* What is special about a format. */
enum export_needs {
    EXPORT_NEEDS_BLOCKS =
        1, /* the file has to have single blocks and times, which are not folded */
    EXPORT_KEEPS_BLOCKS = 2, /* it takes any file; blocks, if it has some, are not folded */
    EXPORT_IS_DATABASE =
        4, /* it goes to a file, by SQLite; all sample types and places are in it */
};

/* Has `print` or `fill`, by whether it is a database.  Both return false when there is no memory, `fill` also where
 * database->message has what is wrong; errors of writing show in the file. */
struct export_format {
    const char *name;     /* as typed after --format */
    const char *suffix;   /* of file names that mean it where there is no --format */
    const char *what_for; /* for --help: what reads it */
    unsigned needs;       /* of enum export_needs */
    bool (*print)(const struct report *report, const struct export_head *head, FILE *file);
    bool (*fill)(const struct report *report, struct database *database);
};

/* The i-th, in the order of --help; NULL past the end. */
const struct export_format *export_format_at(size_t i);

/* By the end of a file's name; NULL where there is none. */
const struct export_format *export_format_of_file(const char *path);

/* Their names for an option: the value is the row, from 1 on. */
const struct option_word *export_format_words(void);

/* Their names, as a sentence has them: "speedscope, dhat or sqlite". */
const char *export_format_names(void);

/* Writes the report to `path`, NULL or "-" for standard output, where it appears when it is whole.  An exit status; what
 * went wrong has been said. */
int export_format_write(const struct export_format *format, const struct report *report,
                        const char *path);

#endif
