/* A question: which report, of which files, of what in them, and in what form.  It is made from argv by
 * cli/option_rows.h. */
#ifndef REPORT_QUESTION_H
#define REPORT_QUESTION_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "profile/symbols.h"

enum report_format {
    REPORT_TEXT,
    REPORT_JSON,
    REPORT_CSV,
    REPORT_MARKDOWN,
    REPORT_SVG,
    REPORT_JSON_LINES,
    REPORT_GITHUB,
    REPORT_SARIF,
    REPORT_JUNIT,
    /* No answers: of single reports (cli/written_form.c). */
    REPORT_PNG,
    REPORT_DOT,
    REPORT_FOLDED,
    REPORT_MEMTRACE, /* exactly what memtrace prints */
};

struct report_entry;

/* Room for the options of a single report. */
enum { QUESTION_OWN_BYTES = 128 };

struct question {
    const struct report_entry
        *report; /* report/reports.h; NULL: of a command that is in no table */

    /* What the report is like: set before parsing. */
    bool by_site;          /* it is about allocation sites: libraries are not what is asked for */
    bool hides_suppressed; /* what the file itself wants left out of reports of leaks is: where the
                              command line names no `suppressions` */
    bool takes_pattern;    /* a regular expression follows the trace */
    bool
        takes_many; /* files: profiles of one kind, which are merged, unless the report does otherwise */
    bool
        folds_blocks; /* it asks for no times of single blocks that have ended (profile/folded_rows.h) */

    bool
        sums_stacks; /* where it is about what was allocated, it asks for the sums by stack alone */
    bool is_compact; /* only stacks of what the filter leaves stand in its selection */
    bool in_any_order; /* of them: it does not matter which stack came first */
    bool
        asks_lives; /* of short lives, and of blocks that replace others: rows can be folded where its filter is of stacks alone */
    bool needs_in_use; /* it is about what is in use: a profile may have no such values */
    bool
        asks_moments; /* of a store it asks how levels change: its samples are told apart by when they were (profile/moment.h) */
    bool at_peak;     /* of folded rows: it also asks what is alive at the peak */
    bool
        in_base_units; /* values of a profile are compared with others: sizes are bytes, times nanoseconds */
    size_t series_steps; /* it asks for series over time in so many steps; 0: for none */

    /* What it is about. */
    const char *path;  /* of the trace or profile */
    const char *other; /* of what it is compared with; NULL for none */
    const char *
        *more; /* paths of profiles to be merged into the first, or judged one after the other */
    size_t more_count, more_capacity;
    bool is_known;       /* what the files lack has been told */
    bool is_unnamed;     /* addresses stay: looking them up is too much */
    const char *list;    /* path of a file with the names of more; NULL for none */
    const char *pattern; /* NULL until it has been seen */
    struct text filter;  /* all clauses, in profile/filter.h's language; not ended by a 0 */
    const char *sample;  /* NULL: the file's own */
    const char *tag_root,
        *tag_leaf; /* keys of labels that become frames of a profile's stacks; NULL for none */
    const char *suppressions; /* path of a file of what is left out of reports of leaks */
    enum symbol_grain grain;
    bool no_inlines;

    /* How much of it is shown, and in what form. */
    enum report_format format;
    const char *output; /* file that it is written to; NULL or "-" for standard output */
    long node_count;    /* -1: the report's own */
    double node_fraction, edge_fraction;
    bool by_cum;
    bool node_fraction_given, edge_fraction_given;
    const char *unit; /* in which text has values; NULL: one that suits them */
    bool is_mean; /* a block's, or what a profile's first value counts: means in place of sums */
    bool is_relative;        /* percentages are of what passes the filter */
    bool full_names;         /* names are not shortened where there is little room */
    const char *source_path; /* folders with sources, with colons between; NULL for none */

    /* The report's own options: the struct that its rows of options set. */
    alignas(max_align_t) char own[QUESTION_OWN_BYTES];
};

/* The defaults: pprof's. */
struct question question_default(void);
struct question question_many(void); /* of a command that takes several profiles */
void question_release(struct question *question);

/* How many of `count` rows are shown: the question's number, or `usual` if it has none; 0 is all. */
size_t question_rows(const struct question *question, size_t usual, size_t count);

#endif
