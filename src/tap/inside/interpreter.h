/* Whether a program is an interpreter, and the lines of its programs can be recorded (tap/guest/).
 *
 * By its name and by what its file defines or asks of its loader, so that heaptap, before it runs
 * one, and the recorder in it come to the same answer.  A program that merely has an interpreter in
 * it is none. */
#ifndef TAP_INSIDE_INTERPRETER_H
#define TAP_INSIDE_INTERPRETER_H

#include <stdbool.h>

struct interpreter {
    const char *language; /* "Python", "Lua"; NULL: the program is no interpreter */
    const char *fault;    /* why lines can't be recorded, a clause about them; NULL: they can */
};

/* Looks at the file at `path`, which is the program itself: no link to it, no script. */
void interpreter_judge(const char *path, struct interpreter *verdict);

/* Are the lines of this process's program recorded, where that is asked for? */
bool interpreter_is_guest(void);

/* Do programs of this name, behind the last slash, use to be interpreters?  python3.12, lua. */
bool interpreter_has_name(const char *path);

#endif
