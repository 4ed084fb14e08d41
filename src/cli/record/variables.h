/* The environment that a command is given. */
#ifndef CLI_RECORD_VARIABLES_H
#define CLI_RECORD_VARIABLES_H

#include <stddef.h>

struct variable {
    const char *name;
    const char *value; /* NULL: not there */
};

/* The present environment with these variables in place of those that have their names. */
char **variables_replaced(const struct variable *variables, size_t count);

/* The present environment with the recorder's mark and these behind it (tap/inside/environment.h). */
char **variables_added(const struct variable *variables, size_t count);

/* Both are to be freed by this; NULL without memory. */
void variables_free(char **environment);

#endif
