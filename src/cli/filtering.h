/* A filter as commands take it: from the clauses of a question, bound to a model; and what they say of one that is wrong. */
#ifndef CLI_FILTERING_H
#define CLI_FILTERING_H

#include "profile/matcher.h"
#include "report/question.h"

/* The filter of some clauses, the caller's to release, before any file is read.  False with a message and the exit status. */
bool filtering_parse(struct filter *filter, const struct text *clauses, int *status);

/* Likewise: that filter bound to a model. */
bool filtering_match(struct matcher *matcher, const struct model *model,
                     const struct filter *filter, int *status);

/* The whole of a command that reads its file itself: `show` gets the filter of the options, which
 * are released afterwards.  The exit status. */
int filtering_run(struct question *options,
                  int (*show)(const void *context, const struct filter *filter),
                  const void *context);

/* Tells what a filter of this text, `length` bytes of it, or memory made of an error.  False, with the exit status. */
bool filtering_fail(const struct heaptap_error *error, const char *text, size_t length,
                    int *status);

/* The same of a filter that has been parsed; the exit status. */
int filtering_status(const struct filter *filter, const struct heaptap_error *error, size_t length);

/* Tells a wrong filter, with its text and a line that points at the word. */
void filtering_tell(const char *text, size_t offset, size_t length, const char *message);

/* Tells that a filter leaves nothing of the file that messages call `subject`: a warning, and a remark in the answer. */
void filtering_note_empty(const char *subject);

/* The same where the model is there to say why, and of a clause that speaks of a time after the end of the run: unmatched_put_remark. */
void filtering_note(const char *subject, const struct model *model, const struct filter *filter,
                    bool leaves_nothing);

#endif
