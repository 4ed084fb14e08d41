/* How a program is recorded, as the command line says it. */
#ifndef CLI_RECORD_SETTINGS_H
#define CLI_RECORD_SETTINGS_H

#include <limits.h>
#include <stdbool.h>

#include "cli/expectation.h"
#include "cli/record/continuous.h"
#include "cli/symbol_options.h"
#include "report/question.h"

enum { RECORD_BYTES = 32 }; /* of a number of bytes as text */

struct record_settings {
    char **command; /* with its arguments; ends with NULL */
    const char *output;
    const char *rate, *callstack_size, *context, *duration; /* as they go to the recorder */
    char max_bytes[RECORD_BYTES], holders_above[RECORD_BYTES], holders_every[CONTINUOUS_SECONDS];
    bool all, holders, follow, toggle, paused, no_symbols, quiet;
    bool has_files; /* this process may open as many as recording takes */
    bool is_ocaml;  /* the program traces its own heap: nothing is preloaded, nor looked up */
    bool native;    /* interpreters themselves, and not the lines of their programs */
    enum report_format format; /* of the answer */
    char keep[PATH_MAX];       /* where processes keep what they gather for profiles; "": nowhere */
    struct symbol_arguments symbols;
    struct expectation expectation;
    struct continuous_options continuous;
};

/* Blocks at which the rate is halved, where none is given: half of them are never less than 10 000. */
#define RECORD_BUDGET "21000"

/* The rate that is given, as text; NULL where none is. */
const char *record_rate(const struct record_settings *settings);

/* A recording without a given rate keeps as many blocks as its figures need. */
bool record_has_budget(const struct record_settings *settings);

#endif
