/* The arguments of commands: argp, with a suggestion for options that are misspelt, and the arguments that many have. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <argp.h>
#include <stdbool.h>

#include "cli/option_rows.h"

/* Parses a command line of options by `rows` (option_rows) into `input`: exits with a message where it is wrong.  A long option that
 * there is none of is answered with the one that it is nearest to; --top and --node-count are the same everywhere.  `flags` are
 * argp_parse's. */
void cli_parse(const struct question_option *rows, const struct command_line *line, int argc,
               char **argv, unsigned flags, void *input);

/* Options that make another command of the one that is parsed next, which its help and completion name, too; cli_refuse_variant
 * takes them, as what is written in full never comes here.  Borrowed; NULL for none. */
void cli_parse_variants(const struct question_option *rows);
option_taker cli_refuse_variant;

/* Where a command that writes a trace writes it: what cli_output_rows set. */
struct cli_output_argument {
    const char *path; /* NULL until it has been seen */
    bool json;        /* tell what was written, as JSON on standard output */
};

extern const struct question_option cli_output_rows[];

/* Makes sure at the command line's end that it says where; the command's struct begins with that. */
void cli_check_output(struct argp_state *state);

#endif
