/* Sentences on the lines of a terminal. */
#ifndef ANSWER_WRAPPED_H
#define ANSWER_WRAPPED_H

#include <stdio.h>

/* Prints `text`, which is in plain form, and a newline: the first line goes on where `indent` columns are taken, the others
 * begin with as many spaces.  A word that does not fit stands on a line of its own, a figure stays with its unit.  `columns` is the width of the lines; 0 for one
 * line. */
void wrapped_put(FILE *file, const char *text, int indent, int columns);

/* The same of a sentence with what stands before it: spaces, a number, a label.  One that fits, or ends in a command, stays as it is. */
void wrapped_put_sentence(FILE *file, const char *sentence, int columns);

#endif
