/* What a report is made of: a model, filtered and summed up as the question wants it.  Nothing here
 * reads files or prints. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "profile/pattern.h"
#include "profile/selection.h"
#include "profile/series.h"
#include "report/question.h"
#include "report/sources.h"

/* The file, as far as reports speak of it. */
struct report_input {
    struct model *model; /* owned by who opened it */
    const char *path;    /* as given; - for standard input */
    const char *name;    /* of the file, without its folder */
    const char *subject; /* what messages call it: its path */
    bool is_whole;       /* all that the program did is in it */
    bool is_partial;     /* it is of a command, not all of whose processes were recorded */
    int status; /* what a command that tells of it exits with: other than 0 for a damaged file */
};

struct comparison;  /* report/comparison.h */
struct report_file; /* report/file.h */

/* Series that were made while a trace was read: folded rows can't make them. */
struct report_series {
    struct series_builder *all; /* NULL once it is finished */
    struct series passing;      /* of what passes the filter; zeros where there is none */
};

/* What suppressions leave out of a report of leaks. */
struct report_suppressed {
    bool is_asked; /* there are suppressions */
    size_t patterns;
    struct stack_tally sum; /* of what the report is about */
};

struct report {
    const struct question *options;
    struct report_input input;
    struct filter filter; /* owned by who parsed it */
    struct pattern
        *pattern; /* of functions' names, the question's; NULL for none; owned by who parsed it */
    const struct report_sources *sources; /* borrowed; NULL where sources are not read */
    const struct report *base;            /* what it is compared with; NULL for nothing; borrowed */
    const struct comparison *
        both; /* of REPORT_TAKES_BASE: the stacks of the two together; NULL without a base; borrowed */
    struct stack_edits *
        edits; /* where edited stacks are kept for further questions; NULL where none are; borrowed */
    struct matcher matcher;
    struct selection selection;
    struct selection_options what;
    enum stack_weight weight; /* of the selection's tallies: the values that the report is about */
    const struct stack_profile *divisor; /* of means: what values are divided by; NULL for sums */
    enum stack_weight divisor_weight;
    struct selection divisor_values; /* of a profile of values, where there is a divisor */
    const char *sample;              /* their name: "inuse_space", "mean_inuse_space" */
    const char *unit;                /* "bytes", "count", ... */
    double whole; /* of them, of which percentages are: without any filter, or with it where the
                                 question says so; negative ones count by their size */
    struct report_series *
        series; /* of a question of series, unless its model has all rows; NULL for none; owned by who opened the file */
    struct report_suppressed suppressed; /* set by who has read suppressions */
    struct report_file *
        file; /* of REPORT_READS_EVENTS, in place of a model and a selection; owned by who opened it */
    bool is_filtered_empty; /* the filter leaves nothing of a file that has something */
};

/* Is the question's pattern too complex for some name?  pattern_check tells of it. */
static inline bool report_gave_up(const struct report *report)
{
    return report->pattern && pattern_check(report->pattern, NULL) != HEAPTAP_OK;
}

/* What became of a question that was put. */
enum report_outcome {
    REPORT_SAID,
    REPORT_UNFINISHED, /* for want of memory */
    REPORT_MISSED, /* no function is called like the question's pattern, or report_gave_up; nothing has been said */
    REPORT_UNREAD, /* the file could not be read; why has been told, and nothing has been said */
};

static inline enum report_outcome report_outcome_of(bool has_memory)
{
    return has_memory ? REPORT_SAID : REPORT_UNFINISHED;
}

/* What is wrong with a question of this model. */
struct report_problem {
    enum { REPORT_NO_MEMORY, REPORT_BAD_FILTER, REPORT_BAD_QUESTION } kind;
    struct heaptap_error error; /* of the filter: offset is its byte */
    size_t length;              /* of the filter: how many bytes are wrong */
};

/* Makes the rest of a report that has its options, input and filter.  False: `*problem` says why; then there is
 * nothing to release. */
bool report_select(struct report *report, struct report_problem *problem);

/* The same of a report whose filter adds to another's clauses that are about lives alone, and whose options are the other's but for
 * what is counted.  The other outlives it.  Its selection is not compact: stacks of which nothing passes have no events. */
bool report_narrow(struct report *report, const struct report *of, struct report_problem *problem);

/* What report_select made. */
void report_release_selection(struct report *report);

/* The same in three steps, for who keeps selections.  First what is counted; then what the filter leaves of that, which depends on
 * the filter, on `what` and on the options by_site, hides_suppressed and is_compact alone, so that copies of the matcher and the selection will
 * do, as long as what they are copies of stays; then figures of that.  After the last, only report_release_figures is due for a
 * report whose matcher and selection are such copies. */
bool report_choose(struct report *report, struct report_problem *problem);
bool report_bind(struct report *report, struct report_problem *problem);
bool report_weigh(struct report *report, struct report_problem *problem);
void report_release_figures(struct report *report);

/* The unit that values are to be printed in, as asked for; NULL for one that suits them.  What is asked for sizes or times is
 * nothing to counts, which are printed as they are. */
const char *report_asked_unit(const struct report *report);

/* The value of a tally. */
static inline double report_value(const struct report *report, const struct stack_tally *tally)
{
    return stack_tally_weight(tally, &report->selection.profile.estimate, report->weight);
}

/* The value of a stack of the selection, or its mean. */
double report_stack_value(const struct report *report, uint32_t stack);

/* The value of all stacks together, or its mean. */
double report_total(const struct report *report);

/* Are its figures estimates, made of samples? */
static inline bool report_is_sampled(const struct report *report)
{
    return report->input.model->kind == MODEL_OBJECTS &&
           report->input.model->estimate.sample_rate < 1;
}

/* For `has` of sections: columns of a base are asked for by this bit. */
enum { REPORT_HAS_BASE = 1 << 8 };

static inline unsigned report_has_base(const struct report *report)
{
    return report->both ? REPORT_HAS_BASE : 0;
}

/* What a granularity is called: "functions". */
const char *report_grain_name(enum symbol_grain grain);

#endif
