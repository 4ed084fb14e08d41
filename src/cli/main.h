/* What main.c tells the rest. */
#ifndef CLI_MAIN_H
#define CLI_MAIN_H

#include <stdbool.h>

/* "heaptap", or "heaptap COMMAND" once that is known. */
const char *main_command_name(void);

/* Is there a command of this name? */
bool main_has_command(const char *name);

/* Runs `heaptap COMMAND ...`, whose words argv has, and closes standard output.  The exit status. */
int main_run(int argc, char **argv);

#endif
