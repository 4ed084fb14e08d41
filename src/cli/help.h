/* What `heaptap help` prints, and the message for an unknown command. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

/* The first screen. */
void help_print(FILE *to);

/* `heaptap help WORD...`, with the words after "help", of which there may be none.  An exit status. */
int help_run(int count, char **words);

/* Prints that the words name no command, and which command may have been meant.  Returns an exit status. */
int help_say_unknown(int count, char **words);

#endif
