/* Notes of recorded processes, printed when the command has ended (tap/inside/notes.h). */
#ifndef CLI_RECORD_NOTES_H
#define CLI_RECORD_NOTES_H

#include <stdbool.h>

struct notes {
    int fd;          /* -1: there are none */
    char place[128]; /* passed to processes; "" without a file */
    bool begun;      /* a trace was */
    bool explained;  /* something was said */
};

void notes_make(struct notes *notes);

/* Prints each line once, on standard error; with `faults_only` no remarks; and which traces were begun and
 * are not there. */
void notes_print(struct notes *notes, bool faults_only);

/* Whether processes have named the files that they began, this one not among them: it is another recording's, or of a process that could
 * not write here. */
bool notes_lack(const struct notes *notes, const char *path);

void notes_release(struct notes *notes);

#endif
