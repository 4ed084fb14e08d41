/* What the recorder has to say to its user: lines, without stdio. */
#ifndef TAP_INSIDE_SAY_H
#define TAP_INSIDE_SAY_H

#include "tap/inside/notes.h"

/* Says these strings, up to a NULL, as one line: to heaptap, if it listens (notes.h), else on standard
 * error, with "heaptap: " before them. */
#define say(...) say_as(NOTE_FAULT, __VA_ARGS__)

/* The same of what costs a part of the recording. */
#define say_loss(...) say_as(NOTE_LOSS, __VA_ARGS__)

void say_as(enum note_kind kind, const char *first, ...) __attribute__((sentinel));

/* The name of an errno, such as "No such file or directory"; "error" for one it does not know. */
const char *say_errno(int code);

#endif
