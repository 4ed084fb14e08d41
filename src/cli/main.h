/* What main.c tells the rest. */
#ifndef CLI_MAIN_H
#define CLI_MAIN_H

/* "heaptap", or "heaptap COMMAND" once that is known. */
const char *main_command_name(void);

#endif
