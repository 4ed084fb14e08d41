/* The options of a command as rows (report/options.h), each of which sets a member of the command's struct. */
#ifndef CLI_OPTION_ROWS_H
#define CLI_OPTION_ROWS_H

#include <argp.h>

#include "report/options.h"

/* What else a command's line has, and --help besides the options.  In the functions state->input is the struct that the rows' fields
 * are in. */
struct command_line {
    const char *arguments; /* "TRACE [CLAUSE...]"; NULL for none */
    const char *about;     /* what the command does, \v, what else is to be known */
    void (*take)(char *argument, struct argp_state *state); /* NULL: as the rows say, or refused */
    void (*check)(
        struct argp_state *state); /* when all is taken: does it go together?  NULL: yes */
    char *(*help)(int key, const char *text,
                  void *input); /* as argp's help_filter; NULL for none */
};

/* argp's parser of the line, with options and arguments by `rows` and `more`, each ended by a row of zeros; NULL for none.  `input` is the
 * struct that the rows' fields are in; a question in it knows its report already. */
const struct argp *option_rows(const struct question_option *rows,
                               const struct question_option *more, const struct command_line *line,
                               void *input);

/* Messages call the option `word` as it was given, by its synonym. */
void option_rows_call(const char *word, const char *synonym);

/* The i-th option of the command, those that stand in no --help, too; NULL past the end. */
const struct question_option *option_rows_at(size_t i);

#endif
