/* The options on symbols that `file symbolize` and `record` have in common, as a child parser for argp.
 */
#ifndef CLI_SYMBOL_OPTIONS_H
#define CLI_SYMBOL_OPTIONS_H

#include <argp.h>

#include "symbol/symbolizer.h"

/* The input of the child parser.  Zeroed at first; `options` points into `debug_dirs`. */
struct symbol_arguments {
    struct symbolizer_options options;
    bool names_given;        /* options.names was */
    const char **debug_dirs; /* malloc'ed */
};

extern const struct argp symbol_argp;

void symbol_arguments_release(struct symbol_arguments *arguments);

#endif
