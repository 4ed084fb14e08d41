/* What could be asked next: a line or two on standard error, for people at a terminal. */
#ifndef CLI_NEXT_H
#define CLI_NEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "profile/model.h"
#include "report/question.h"

/* What leads on from the report on this file: lines of a command, and why; nothing where there is none.  Reports that the model can't
 * answer are left out; NULL for a trace of which nothing else is known. */
void next_print(const char *report, const char *path, const struct model *model, FILE *to);

/* What leads on from a summary of these files, in a line: "Go on with: heaptap advice app.ctf (or view, hotspots, leaks)".  More than
 * NEXT_FILES are named by a pattern, app-*.ctf, where these are all that it matches. */
enum { NEXT_FILES = 3 };
void next_print_line(const char *const *paths, size_t count, const struct model *model, FILE *to);

/* The same after an answer, if it went to a terminal as text. */
void next_say(const char *report, const struct question *question, const struct model *model);

#endif
