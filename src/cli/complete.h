/* What completion asks: `heaptap COMMAND --complete` prints a command's options, a line each, from the tables that they are
 * parsed by.  Fields have tabs between: --WORD, -LETTER or nothing, what its value is called or nothing, the values that it may
 * have with blanks between, what it does in a few words. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <argp.h>

/* The options of a parser and its children. */
void complete_print(const struct argp *argp);

#endif
