/* What heaptap diff shows: a table of functions, and pictures. */
#ifndef CLI_DIFF_REPORT_H
#define CLI_DIFF_REPORT_H

#include "analyze/difference.h"
#include "cli/report.h"

enum picture { NO_PICTURE, PICTURE_GRAPH, PICTURE_FLAMES };

struct diff_options {
    struct question report;       /* its path is the base's */
    const char *other;            /* the new one */
    struct question other_report; /* its path is that */
    const char *output;
    enum picture picture;
    bool normalize;
};

struct diff {
    const struct diff_options *options;
    struct report base, other;
    char *unit, *sample; /* of both; the reports' models are gone once they are merged */
    bool base_is_sampled, other_is_sampled;
    struct estimate_range base_range, other_range; /* 95 % bounds of the totals, unscaled */
    struct model *model;
    struct difference_table table;
    struct filter everything;
    struct matcher matcher;
    struct selection change; /* of the differences */
};

/* To standard output.  False when there is no memory. */
bool diff_print_text(const struct diff *diff);
bool diff_print_json(const struct diff *diff);
bool diff_print_csv(const struct diff *diff);

/* diff_picture.c: to where the options say; the exit status, with a message where it is none of
 * CLI_DONE. */
int diff_draw_graph(const struct diff *diff);
int diff_draw_flames(const struct diff *diff);

#endif
