/* A report's input: the file read, filtered and summed up as its options want it. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/model_input.h"
#include "cli/report_options.h"
#include "report/report.h"

/* Reads all.  False with a message, the exit status in `*status`, and nothing to close. */
bool report_open(struct report *report, const struct question *options, int *status);

void report_close(struct report *report);

/* Frees the model and what was selected of it ahead of that: the file's name, the filter and the
 * exit status stay. */
void report_close_model(struct report *report);

/* The steps of that which read no file.  Each is false with a message and the exit status: the
 * filter of the options' clauses, the caller's to release; and that filter bound to a model. */
bool report_parse_filter(struct filter *filter, const struct text *clauses, int *status);
bool report_match(struct matcher *matcher, const struct model *model, const struct filter *filter,
                  int *status);

/* Has the input single blocks with their times?  Else tells that this report needs them. */
bool report_needs_objects(const struct report *report);

/* What the command exits with when all went well. */
int report_status(const struct report *report);

/* The whole of a command that reads its file itself: `show` gets the filter of the options, which
 * are released afterwards.  The exit status. */
int report_with_filter(struct question *options,
                       int (*show)(const void *context, const struct filter *filter),
                       const void *context);

/* Are the values of both in the same unit?  Else tells that they can't be compared. */
bool report_have_one_unit(const struct report *base, const struct report *other);

/* Tells what filter or memory made of an error; the exit status for that. */
int report_fail_filter(const struct filter *filter, const struct heaptap_error *error,
                       size_t length);

/* Tells that a filter leaves nothing of the file that messages call `subject`. */
void report_note_empty(const char *subject);

/* The same of a model; and why, where a name in the filter is none of its names. */
void report_note_empty_model(const char *subject, const struct model *model,
                             const struct filter *filter);

/* Tells a wrong filter, with its text and a line that points at the word. */
void report_tell_filter(const char *text, size_t offset, size_t length, const char *message);

#endif
