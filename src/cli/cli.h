/* What the commands share: exit statuses, messages. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "heaptap/status.h"

/* What the program exits with. */
enum {
    CLI_DONE = 0,
    CLI_FOUND = 1,     /* a check found what it looks for */
    CLI_USAGE = 2,     /* wrong options or arguments */
    CLI_BAD_INPUT = 3, /* a file that can't be read, or is cut or damaged */
    CLI_FAILED = 4,    /* the output can't be written, no memory */
};

/* "heaptap", or "heaptap COMMAND" once that is known: what messages begin with. */
const char *cli_name(void);
void cli_set_name(const char *command);

/* Prints "heaptap COMMAND: message" on stderr. */
__attribute__((format(printf, 1, 2))) void cli_warn(const char *format, ...);

/* From now on, adds what cli_warn prints to a text as well, in plain form and with "; " between messages; NULL: no more. */
void cli_keep_warnings(struct text *text);

/* Prints the message of a failure that concerns `subject` (a file), with the byte where there is
 * one, and returns the exit status that goes with it. */
int cli_fail(const char *subject, const struct heaptap_error *error);

/* Says that there is no memory; the exit status for that. */
int cli_out_of_memory(void);

/* Says that there is no memory, and sets the status; false. */
bool cli_fail_memory(int *status);

/* Makes a whole number from `least` to `most` of digits.  False if the text isn't one. */
bool cli_parse_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/* For a command whose status is another program's: who reads only the first lines of its output ends it no longer by
 * SIGPIPE, and that is no failure. */
void cli_let_reader_leave(void);

/* In a child that becomes that program. */
void cli_restore_reader_signal(void);

/* Closes standard output.  The exit status: `status`, or CLI_FAILED with a message where not all of the output was written. */
int cli_close_output(int status);

#endif
