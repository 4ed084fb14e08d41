/* The command line of a command whose options are rows (report/options.h), each of which sets a member of the command's struct. */
#ifndef CLI_OPTION_ROWS_H
#define CLI_OPTION_ROWS_H

#include <argp.h>

#include "report/options.h"

/* For cli_parse: `argp` with options by `rows`, which are ended by a row of zeros.  The parser of `argp` gets arguments,
 * ARGP_KEY_INIT and ARGP_KEY_END; NULL stands for one that refuses arguments.  The input of cli_parse is the struct that the rows'
 * fields are in. */
const struct argp *option_rows(const struct question_option *rows, const struct argp *argp);

/* What argp has of a row. */
struct argp_option option_row_argp(const struct question_option *option, int key);

/* The words that an option's value may be, for completion; NULL where there are none.  `help` is that of the row. */
const struct option_word *option_rows_words(const char *help);

#endif
