/* Source files as causes of advice ask for them: kept open as long as the answer needs their lines. */
#ifndef REPORT_ADVICE_SOURCE_LINES_H
#define REPORT_ADVICE_SOURCE_LINES_H

#include "report/sites/evidence.h"
#include "report/sources.h"

struct source_lines_file {
    const char *name; /* borrowed from the model, whose texts are one pointer each */
    struct report_source source;
};

struct source_lines {
    const struct report_sources *sources; /* borrowed; NULL where none are read */
    struct source_lines_file *files;      /* those asked for */
    size_t count, capacity;
};

/* What evidence_of takes; the lines are borrowed from it. */
struct evidence_sources source_lines_reader(struct source_lines *lines);

void source_lines_release(struct source_lines *lines);

#endif
