/* The options that all reports of a model share, as a child of their argp parsers. */
#ifndef CLI_REPORT_OPTIONS_H
#define CLI_REPORT_OPTIONS_H

#include <argp.h>

#include "base/text.h"
#include "profile/filter.h"
#include "profile/symbols.h"

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

/* Set before parsing: what the command's arguments are, and defaults. */
struct report_options {
    bool by_site;       /* it is about allocation sites: allocators are not what is asked for */
    bool takes_pattern; /* a regex stands behind the trace */
    bool takes_many;    /* profiles of one kind, which are merged */
    const char *path;   /* of the trace or profile */
    const char **more;  /* paths of profiles to be merged into the first */
    size_t more_count, more_capacity;
    const char *pattern; /* NULL until it has been seen */
    struct text filter;  /* all clauses, in profile/filter.h's language; not ended by a 0 */
    const char *sample;  /* NULL: the file's own */
    enum symbol_grain grain;
    bool no_inlines;
    enum report_format format;
    long node_count; /* -1: the report's own */
    double node_fraction, edge_fraction;
    bool by_cum;
    bool node_fraction_given, edge_fraction_given;
    const char *unit; /* in which text has values; NULL: one that suits them */
    bool is_relative; /* percentages are of what passes the filter */
};

/* Options by what they are about, for a command that has no use for all of them.  The input of each
 * is a struct report_options. */
extern const struct argp report_filter_argp; /* --filter and clauses as options and arguments; takes
                                                the arguments */
extern const struct argp report_sample_argp; /* --sample */
extern const struct argp report_grain_argp;  /* --granularity */
extern const struct argp report_inlines_argp;  /* --no-inlines */
extern const struct argp report_unit_argp;     /* --unit */
extern const struct argp report_relative_argp; /* --relative-percentages */
extern const struct argp report_names_argp;    /* --full-names; takes no input */
extern const struct argp report_format_argp;   /* --json, --csv */

/* All of these.  Its input is the same. */
extern const struct argp report_argp;

/* --node-count, --node-fraction, --edge-fraction, --cum.  Its input is the same. */
extern const struct argp report_nodes_argp;

/* What pprof has by default; the parsers take it from there. */
struct report_options report_options_default(void);
struct report_options report_options_many(void); /* of a command that takes several profiles */
void report_options_release(struct report_options *options);

/* Adds a clause as an option has it: --size='>=1k' is size>=1k; other values are quoted. */
void report_add_clause(struct text *filter, enum filter_word word, const char *value);

/* The value of an option that takes a whole number, or a part of the whole ("0.005", "0.5%"). */
long report_count(const char *text, const char *option, struct argp_state *state);
double report_fraction(const char *text, const char *option, struct argp_state *state);

#endif
