/* Notes of recorded processes, printed when the command has ended (tap/inside/notes.h). */
#ifndef CLI_RECORD_NOTES_H
#define CLI_RECORD_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "tap/inside/notes_socket.h"

struct notes {
    int fd;          /* -1: there are none */
    int listener;    /* of the socket; -1: there is none */
    char place[128]; /* passed to processes; "" without a file */
    struct notes_socket socket;
    size_t left_out; /* notes that there was no room for */
    bool begun;      /* a trace was */
    bool explained;  /* something was said */
    bool lost;       /* a process was not recorded, or not all of it */
};

void notes_make(struct notes *notes);

/* Prints each line once, on standard error; with `faults_only` no remarks; and which traces were begun and
 * are not there.  What was lost the answer lacks (cli/lack.h). */
void notes_print(struct notes *notes, bool faults_only);

void notes_release(struct notes *notes);

#endif
