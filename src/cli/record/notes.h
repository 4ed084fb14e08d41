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

void notes_release(struct notes *notes);

#endif
