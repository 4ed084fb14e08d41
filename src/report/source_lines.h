/* Single lines of sources, as causes of advice ask for them: kept as long as the answer needs them. */
#ifndef REPORT_SOURCE_LINES_H
#define REPORT_SOURCE_LINES_H

#include "analyze/evidence.h"
#include "report/sources.h"

struct source_line;

struct source_lines {
    const struct report_sources *sources; /* borrowed; NULL where none are read */
    const char *file;                     /* the one that is open, borrowed; NULL for none */
    struct report_source source;
    struct source_line *items; /* those asked for */
    size_t count, capacity;
};

/* What evidence_of takes; the lines are borrowed from it, cut to 400 bytes. */
struct evidence_sources source_lines_reader(struct source_lines *lines);

void source_lines_release(struct source_lines *lines);

#endif
