/* Recording an interpreter: the lines of the program that it runs, by an adapter that is preloaded into it (tap/guest/), and
 * in the programs that are started besides what malloc gives, as in any recording. */
#ifndef CLI_RECORD_GUEST_H
#define CLI_RECORD_GUEST_H

#include "cli/record/settings.h"
#include "cli/record/run.h"
#include "cli/record/variables.h"

enum { GUEST_VARIABLES = 9 };

struct guest_recording {
    const char
        *language;   /* NULL: there is none; the interpreter itself is recorded, if it is one */
    char *folder;    /* of reports */
    char *preload;   /* of LD_PRELOAD: the adapters, and what the user has there */
    char record[24]; /* this process */
    struct variable variables[GUEST_VARIABLES]; /* which the command is given */
};

/* Is the command's program an interpreter, whose lines are to be recorded?  `path` is that of command[0].  Otherwise says
 * so, unless `quiet`, if the interpreter is none that this can be done with.  NULL: no; else the language. */
const char *guest_language(const struct record_settings *settings, const char *path);

/* The first of the options that ask for what is not done with lines; NULL where there is none. */
const char *guest_stray(const struct record_settings *settings, const char *language);

/* Prepares the recording of lines.  `output`: the pattern of traces; NULL where profiles are made.  False, after a message.  To be
 * released in either case. */
bool guest_begin(struct guest_recording *guest, const struct record_settings *settings,
                 const char *language, const char *output);

/* After the command's end: prints what its processes have to say, and writes those profiles that are to be named by the
 * pattern `output`, unless it is NULL.  False, after a message, where one can't be written. */
bool guest_end(const struct guest_recording *guest, const struct record_settings *settings,
               const struct run_result *result, const char *output);

void guest_release(struct guest_recording *guest);

#endif
