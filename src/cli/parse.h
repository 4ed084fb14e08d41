/* argp, with a suggestion for options that are misspelt. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <argp.h>

/* As argp_parse with no index: exits with a message where the arguments are wrong.  A long option that there is none of is
 * answered with the one that it is nearest to; --top and --node-count are the same everywhere. */
void cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

#endif
