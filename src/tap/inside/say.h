/* What the recorder has to say to its user: lines, without stdio. */
#ifndef TAP_INSIDE_SAY_H
#define TAP_INSIDE_SAY_H

/* Says these strings, up to a NULL, as one line: to heaptap, if it listens (notes.h), else on standard
 * error, with "heaptap: " before them. */
void say(const char *first, ...) __attribute__((sentinel));

/* The name of an errno, such as "No such file or directory"; "error" for one it does not know. */
const char *say_errno(int code);

#endif
