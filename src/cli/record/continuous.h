/* Continuous recording: a profile of each interval, for as long as the program runs.
 *
 * The recorder in the program leaves the profiles in a folder (cli/record/intervals.h); a thread of
 * this process takes them from there, adds names, and keeps them as files, or puts them into a spool,
 * from which another thread sends them (fleet/push/sender.h).
 * Nothing that is slow or can fail is done in the program. */
#ifndef CLI_RECORD_CONTINUOUS_H
#define CLI_RECORD_CONTINUOUS_H

#include <stdbool.h>
#include <sys/types.h>

#include "report/options.h"
#include "store/labels.h"
#include "symbol/symbolizer.h"

enum { CONTINUOUS_SECONDS = 32 }; /* bytes of a time as text */

/* Zeroed: not asked for. */
struct continuous_options {
    char every[CONTINUOUS_SECONDS]; /* seconds, as they go to the recorder; "": no intervals */
    const char *folder;             /* that the profiles go to; NULL: none */
    const char *push;               /* the server that they are sent to; NULL: none */
    struct store_labels labels;
    const char *token_file, *authorities, *spool; /* NULL: none; the system's; the usual one */
    double spool_bytes;                           /* 0: as usual */
    const struct symbolizer_options *symbols;     /* NULL: addresses stay */
    bool quiet;
};

/* The options that ask for it, which set a struct continuous_options. */
extern const struct question_option continuous_rows[];

/* Takes a time from a second to a day, as such text. */
option_taker continuous_take_seconds;

/* Whether intervals are asked for; and if not so, the name of an option that needs them, or NULL. */
bool continuous_is_asked(const struct continuous_options *options);
const char *continuous_stray(const struct continuous_options *options);

struct continuous;

/* NULL with a message.  `guests`: the folder of the reports of watched interpreters, which the
 * profiles are made of; NULL: those of recorders. */
struct continuous *continuous_new(const struct continuous_options *options, const char *guests);

/* The pattern of names for the recorder's output. */
const char *continuous_pattern(const struct continuous *continuous);

/* Begins to take what comes; for run_command. */
void continuous_start(void *continuous);

/* After the end of the command, of process `ended`: takes what is left, and says on standard error
 * what there was.  Returns how many profiles there were. */
size_t continuous_end(struct continuous *continuous, pid_t ended);

void continuous_free(struct continuous *continuous);

#endif
