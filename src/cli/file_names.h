/* The files of a command that takes many: those of its arguments, then those that a list names. */
#ifndef CLI_FILE_NAMES_H
#define CLI_FILE_NAMES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/names.h"
#include "report/question.h"

struct file_names {
    const struct question *question; /* borrowed */
    size_t given;                    /* of its arguments */
    FILE *list;                      /* of more, one per line; NULL for none */
    char *line;
    size_t capacity;
    struct names names; /* that were read */
    int failure;        /* errno of the list, or of memory */
};

/* False with a message and the exit status where the list can't be read, or the arguments and it have no names. */
bool file_names_open(struct file_names *names, const struct question *question, int *status);

/* NULL past the last.  A name is good until the close; that of a list is asked for when it is wanted. */
const char *file_names_next(struct file_names *names);

/* Has the list not been read to its end?  That is told. */
bool file_names_failed(const struct file_names *names);
void file_names_close(struct file_names *names);

#endif
