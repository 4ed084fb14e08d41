/* heaptap compare --long: what it compares, and its pictures. */
#ifndef CLI_DIFF_PICTURE_H
#define CLI_DIFF_PICTURE_H

#include "cli/report.h"
#include "report/change/diff.h"

struct diff_command {
    struct question question;       /* its path is the base's */
    struct question other_question; /* its path is that of the new one */
    const char *output;             /* of the picture; NULL or "-" for standard output */
    bool is_graph, is_flames;       /* what it draws; neither: nothing */
};

struct diffing {
    const struct diff_command *command;
    struct report base, other; /* their models are gone once they are in the diff */
    bool has_other;            /* is open */
    struct diff diff;
    struct filter everything;
    struct matcher matcher;
    struct selection change; /* of the differences */
};

/* To where the options say; the exit status, with a message where it is none of CLI_DONE. */
int diff_draw_graph(const struct diffing *comparison);
int diff_draw_flames(const struct diffing *comparison);

#endif
