/* Who runs a script. */
#ifndef CLI_MEMTRACER_INTERPRETER_H
#define CLI_MEMTRACER_INTERPRETER_H

#include "cli/memtracer/settings.h"

/* What is to be executed. */
struct launch {
    char *path;       /* of the program */
    char **arguments; /* ending with NULL; the first is the program's name */
};

/* Finds the program for the settings: an interpreter that is named, a script's by its #! line or
 * its extension, or a program.  An exit status other than 0, with a message, when there is none.
 * To be released. */
int launch_find(struct launch *launch, const struct memtracer_settings *settings);
void launch_release(struct launch *launch);

/* LD_PRELOAD with the adapters of all languages in front; to be freed.  NULL when there is none to
 * be added. */
char *guest_preload(void);

/* The same for a program; NULL where nothing can be preloaded into it, which is said. */
char *launch_preload(const char *program);

#endif
