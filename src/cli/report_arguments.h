/* The arguments of a question on a command line: its files, and clauses of its filter. */
#ifndef CLI_REPORT_ARGUMENTS_H
#define CLI_REPORT_ARGUMENTS_H

#include <argp.h>

#include "report/reports.h"

/* Takes the next one.  Ends the program with a message where it is one too many. */
void report_arguments_take(struct question *question, const char *argument,
                           struct argp_state *state);

/* When all have been taken: makes sure that they and the options go together, and sets what follows from them. */
void report_arguments_end(struct question *question, struct argp_state *state);

#endif
