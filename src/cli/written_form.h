/* Forms of a report besides those that all answers have (answer/forms.h): what is written is made of the report's selection. */
#ifndef CLI_WRITTEN_FORM_H
#define CLI_WRITTEN_FORM_H

#include <stdio.h>

#include "report/reports.h"

struct written_form {
    const char *report;        /* its name: "graph" */
    enum report_format format; /* of the question: REPORT_TEXT where none is asked for */
    const char
        *drawn_as; /* Graphviz's dot makes it of what is written: "svg"; NULL: it stays as it is */

    /* False when there is no memory; write errors show in `file`. */
    bool (*write)(const struct report *report, FILE *file);
};

/* NULL where the report has no such form: it answers then. */
const struct written_form *written_form_find(const struct report_entry *entry,
                                             enum report_format format);

/* To where the question says.  The command's exit status. */
int written_form_write(const struct written_form *form, const struct report *report);

/* What the forms are written by. */
bool graph_form_write(const struct report *report, FILE *file);
bool flamegraph_form_write_folded(const struct report *report, FILE *file);
bool flamegraph_form_write_svg(const struct report *report, FILE *file);
bool flamegraph_form_write_nodes(const struct report *report, FILE *file);

#endif
