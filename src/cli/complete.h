/* What completion asks: `heaptap COMMAND --complete` prints the command's options, a line each, from the rows that they are
 * parsed by.  Fields have tabs between: --WORD, -LETTER or nothing, what its value is called or nothing, the values that it may
 * have with blanks between, what it does in a few words. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

/* The options of option_rows. */
void complete_print(void);

#endif
