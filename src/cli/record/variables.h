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

/* The same, and behind them the recorder's mark and what is added for it (tap/inside/environment.h). */
char **variables_put(const struct variable *variables, size_t count, const struct variable *added,
                     size_t added_count);

/* Both are to be freed by this; NULL without memory. */
void variables_free(char **environment);

#endif
