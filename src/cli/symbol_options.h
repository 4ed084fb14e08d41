/* The options on symbols that `file symbolize` and `record` have in common. */
#ifndef CLI_SYMBOL_OPTIONS_H
#define CLI_SYMBOL_OPTIONS_H

#include "report/options.h"
#include "symbol/symbolizer.h"

/* What they set.  Zeroed at first; `options` points into `debug_dirs`. */
struct symbol_arguments {
    struct symbolizer_options options;
    bool names_given;        /* options.names was */
    const char **debug_dirs; /* malloc'ed */
};

extern const struct question_option symbol_rows[];

void symbol_arguments_release(struct symbol_arguments *arguments);

#endif
