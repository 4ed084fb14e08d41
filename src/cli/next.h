/* What could be asked next: a line or two on standard error, for people at a terminal. */
#ifndef CLI_NEXT_H
#define CLI_NEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "report/question.h"

/* A word as a shell takes it for itself, in quotes where it needs them. */
void next_put_word(struct text *text, const char *word);

/* What leads on from the report on this file: lines of a command, and why; nothing where there is none. */
void next_print(const char *report, const char *path, FILE *to);

/* What leads on from a summary of these files, in a line: "Go on with: heaptap advice app.ctf (or view, hotspots, leaks)".  Of more than
 * NEXT_FILES only the first is named. */
enum { NEXT_FILES = 3 };
void next_print_line(const char *const *paths, size_t count, bool has_holders, FILE *to);

/* The same after an answer, if it went to a terminal as text. */
void next_say(const char *report, const struct question *question);

#endif
