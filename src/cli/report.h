/* A report's input: the file read, filtered and summed up as its options want it. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/model_input.h"
#include "cli/report_options.h"
#include "export/json.h"
#include "profile/selection.h"

/* What a report of sites adds to its head where that is so. */
#define REPORT_ALLOCATORS_HIDDEN "; allocators left out (allocators=show)"

struct report {
    const struct report_options *options;
    struct model_input input;
    struct filter filter;
    struct matcher matcher;
    struct selection selection;
    struct selection_options what;
    enum stack_weight weight; /* of the selection's tallies: the values that the report is about */
    const char *sample;       /* their name: "inuse_space" */
    const char *unit;         /* "bytes", "count", ... */
    double whole;             /* of them, of which percentages are: without any filter, or
                     with it where the options say so; negative ones count by their size */
};

/* Reads all.  False with a message, the exit status in `*status`, and nothing to close. */
bool report_open(struct report *report, const struct report_options *options, int *status);

/* The same of a file that has been opened, and found to be no trace; it is closed in either case.
 */
bool report_open_other(struct report *report, const struct report_options *options,
                       const struct trace_input *trace, struct input *file, int *status);
void report_close(struct report *report);

/* Frees the model and what was selected of it ahead of that: the file's name, the filter and the
 * exit status stay. */
void report_close_model(struct report *report);

/* The steps of that which read no file.  Each is false with a message and the exit status: the
 * filter of the options' clauses, the caller's to release; and that filter bound to a model. */
bool report_parse_filter(struct filter *filter, const struct text *clauses, int *status);
bool report_match(struct matcher *matcher, const struct model *model, const struct filter *filter,
                  int *status);

/* What the command exits with when all went well. */
int report_status(const struct report *report);

/* The whole of a command that reads its file itself: `show` gets the filter of the options, which
 * are released afterwards.  The exit status. */
int report_with_filter(struct report_options *options,
                       int (*show)(const void *context, const struct filter *filter),
                       const void *context);

/* Tells what filter or memory made of an error; the exit status for that. */
int report_fail_filter(const struct filter *filter, const struct heaptap_error *error,
                       size_t length);

/* Tells that a filter leaves nothing of the file. */
void report_note_empty(const struct trace_input *input);

/* Tells a wrong filter, with its text and a line that points at the word. */
void report_tell_filter(const char *text, size_t offset, size_t length, const char *message);

/* The value of a tally. */
static inline double report_value(const struct report *report, const struct stack_tally *tally)
{
    return stack_tally_weight(tally, &report->selection.profile.estimate, report->weight);
}

/* The members that every report's JSON begins with: trace, complete, sample type and unit,
 * granularity, filter, total. */
void report_put_head(const struct report *report, struct json *json);

/* The lines that pprof's text reports begin with, as far as heaptap knows them. */
void report_print_head(const struct report *report);

#endif
