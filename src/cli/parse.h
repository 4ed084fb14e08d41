/* The arguments of commands: argp, with a suggestion for options that are misspelt, and the arguments that many have. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <argp.h>
#include <stdbool.h>

#include "report/options.h"

/* As argp_parse with no index: exits with a message where the arguments are wrong.  A long option that there is none of is
 * answered with the one that it is nearest to; --top and --node-count are the same everywhere. */
void cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/* Options that make another command of the one that is parsed next, which its help and completion name, too.  Borrowed; NULL
 * for none. */
void cli_parse_variants(const struct argp_option *rows);

enum { CLI_OPTION_VARIANT = 3000 }; /* the key of the first that has no letter; the others follow */

/* For the parser of a command that reads one trace: takes ARGP_KEY_ARG and ARGP_KEY_END. */
struct cli_trace_argument {
    const char *path; /* NULL until it has been seen */
};
error_t cli_parse_trace_argument(int key, char *argument, struct argp_state *state,
                                 struct cli_trace_argument *trace);

/* Where a command that writes a trace writes it: what cli_output_rows set. */
struct cli_output_argument {
    const char *path; /* NULL until it has been seen */
    bool json;        /* tell what was written, as JSON on standard output */
};

extern const struct question_option cli_output_rows[];

/* For the parser of such a command, in place of cli_parse_trace_argument. */
error_t cli_parse_output_argument(int key, char *argument, struct argp_state *state,
                                  struct cli_trace_argument *trace,
                                  const struct cli_output_argument *output);

#endif
