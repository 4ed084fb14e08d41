#include "cli/record/command_line.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/amount.h"
#include "base/error.h"
#include "base/same_file.h"
#include "cli/cli.h"
#include "cli/record/settings.h"
#include "cli/record/trace_name.h"

/* ---- Options ------------------------------------------------------------------------ */

static bool take_duration(void *field, const char *text, struct heaptap_error *error)
{
    double seconds;
    *(const char **)field = text;
    return (amount_plain(text, &seconds) && seconds > 0 && seconds <= 1e9) ||
           option_refuse(error, "a number of seconds over 0 and at most 1e9", text);
}

static bool take_frames(void *field, const char *text, struct heaptap_error *error)
{
    uint64_t frames;
    *(const char **)field = text;
    return cli_parse_whole(text, 1, 4096, &frames) ||
           option_refuse(error, "a number from 1 to 4096", text);
}

static bool take_bytes(void *field, const char *text, struct heaptap_error *error)
{
    double bytes;
    bool done = option_take_bytes(&bytes, text, error);
    if (done)
        snprintf(field, RECORD_BYTES, "%.0f", bytes);
    return done;
}

static bool take_form(enum report_format *format, enum report_format form,
                      struct heaptap_error *error)
{
    if (*format != REPORT_TEXT)
        error_set(error, HEAPTAP_BAD_ARGUMENT, "is a second format: one at a time");
    bool is_first = *format == REPORT_TEXT;
    *format = form;
    return is_first;
}

static bool take_json(void *field, const char *unused, struct heaptap_error *error)
{
    (void)unused;
    return take_form(field, REPORT_JSON, error);
}

static bool take_markdown(void *field, const char *unused, struct heaptap_error *error)
{
    (void)unused;
    return take_form(field, REPORT_MARKDOWN, error);
}

static bool take_no_follow(void *follow, const char *unused, struct heaptap_error *error)
{
    (void)unused, (void)error;
    *(bool *)follow = false;
    return true;
}

#define FIELD(name) offsetof(struct record_settings, name)

const struct question_option record_rows[] = {
    {"output", 'o', OPTION_TEXT, 0, "FILE",
     "Write the trace to FILE (" TRACE_NAME_DEFAULT
     "). In its name %p is the pid, %e the program's name, %t the time of its start, %% a %. If "
     "the name ends in .pb.gz or .pb, write a pprof profile without a trace in between, in memory "
     "bounded by the places that allocate; with any other .gz or .zst, the trace is compressed at "
     "the end. With --every, FILE is a folder for profiles",
     FIELD(output)},
    {"rate", 'r', OPTION_TAKEN, 0, "RATE",
     "Samples per 8-byte word, over 0 and at most 1. By default every block is recorded, and beyond "
     "21000 blocks a sample that keeps at least 10000",
     FIELD(rate), .take = option_take_rate},
    {"all", 0, OPTION_FLAG, 0, NULL, "Record every allocation", FIELD(all)},
    {"holders", 0, OPTION_FLAG, 0, NULL,
     "At the end, and when SIGUSR1 comes, look through what each block is held, for `heaptap holders` (implies --all, unless --rate is given)",
     FIELD(holders)},
    {"holders-above", 0, OPTION_TAKEN, 0, "BYTES",
     "Look also when the process's memory reaches BYTES (k, M, G: powers of 1024), twice that, and so on (implies --holders)",
     FIELD(holders_above), .take = take_bytes},
    {"holders-every", 0, OPTION_TAKEN, 0, "TIME",
     "Look also every TIME (10s, 5min; at least 1s) (implies --holders)", FIELD(holders_every),
     .take = continuous_take_seconds},
    {"callstack-size", 0, OPTION_TAKEN, 0, "N", "Record at most N frames per stack",
     FIELD(callstack_size), .take = take_frames},
    {"follow", 0, OPTION_FLAG, 0, NULL,
     "Record the processes that the command starts too, each in a trace of its own (the default)",
     FIELD(follow)},
    {"no-follow", 0, OPTION_TAKEN, 0, NULL,
     "Record only the command's own process, and not beyond an exec", FIELD(follow),
     .take = take_no_follow},
    {"context", 0, OPTION_TEXT, 0, "TEXT", "Put TEXT into the trace, to distinguish it from others",
     FIELD(context)},
    {"native", 0, OPTION_FLAG, 0, NULL,
     "If COMMAND is an interpreter, CPython or Lua, record what the interpreter itself allocates with malloc, and of an OCaml program with memtrace what its "
     "runtime does. By default the lines "
     "of the program that it runs are recorded, in the heap of its language",
     FIELD(native)},
    {"duration", 0, OPTION_TAKEN, 0, "SECONDS",
     "Stop recording after this time; the command goes on", FIELD(duration), .take = take_duration,
     .group = 1},
    {"max-size", 0, OPTION_TAKEN, 0, "BYTES",
     "Stop recording when the trace has this many bytes (k, M, G: powers of 1024)",
     FIELD(max_bytes), .take = take_bytes, .group = 1},
    {"toggle", 0, OPTION_FLAG, 0, NULL, "SIGUSR2 stops the recording and starts it again",
     FIELD(toggle), .group = 1},
    {"paused", 0, OPTION_FLAG, 0, NULL, "Begin stopped, and wait for SIGUSR2 (implies --toggle)",
     FIELD(paused), .group = 1},
    {"no-symbols", 0, OPTION_FLAG, 0, NULL,
     "Leave addresses in the trace; `heaptap file symbolize` can look them up later",
     FIELD(no_symbols), .group = 9},
    {"json", 0, OPTION_TAKEN, 0, NULL,
     "Print the answer as JSON on standard output; the command's output goes to standard error",
     FIELD(format), .take = take_json, .group = 11},
    {"markdown", 0, OPTION_TAKEN, 0, NULL, "The same in Markdown, for pull requests and the like",
     FIELD(format), .take = take_markdown, .group = 11},
    {"quiet", 'q', OPTION_FLAG, 0, NULL, "Print only errors", FIELD(quiet), .group = 11},
    {.kind = OPTION_ROWS, .rows = symbol_rows, .field = FIELD(symbols)},
    {.kind = OPTION_ROWS, .rows = expectation_rows, .field = FIELD(expectation)},
    {.kind = OPTION_ROWS, .rows = continuous_rows, .field = FIELD(continuous)},
    {.kind = OPTION_COMMAND, .field = FIELD(command)},
    {0}};

/* ---- What goes together ------------------------------------------------------------- */

/* Whether it names something that is there and can't be read again: a pipe, a socket, a terminal.
 */
static bool is_passing(const char *path)
{
    enum { MEMORY_DEVICES = 1 }; /* /dev/null and its like */
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ||
           (S_ISCHR(status.st_mode) && major(status.st_rdev) != MEMORY_DEVICES);
}

/* Whether it is where the command's own output goes.  Into memory devices (/dev/null) anybody may write. */
static bool is_standard_stream(const char *path)
{
    struct stat status, stream;
    if (stat(path, &status) != 0 || S_ISCHR(status.st_mode))
        return false;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &stream) == 0 && same_file(&stream, &status))
            return true;
    return false;
}

/* The recorder in the program knows endings as they are usually written. */
static void note_capitals(const char *pattern)
{
    static const char *const endings[] = {".pb.gz", ".pb", ".gz", ".zst"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_alike(pattern, endings[i]) && !ends_with(pattern, endings[i])) {
            cli_warn("%s: note: the ending is not taken for %s, which has small letters only",
                     pattern, endings[i]);
            return;
        }
}

static void check_output(const char *pattern, struct argp_state *state)
{
    const char *fault = trace_name_fault(pattern);
    if (!fault && is_standard_stream(pattern))
        argp_error(state, "-o takes a file: %s is the command's standard output or standard error",
                   pattern);
    if (!fault && is_passing(pattern))
        fault = "is not of a file, which the answer could be read from";
    if (fault)
        argp_error(state, "-o %s: the name %s", *pattern ? pattern : "''", fault);
    note_capitals(pattern);
}

/* The folder, where there are intervals. */
static void check_continuous(struct record_settings *options, struct argp_state *state)
{
    const char *contradiction = options->max_bytes[0]                         ? "max-size"
                                : options->format == REPORT_JSON              ? "json"
                                : options->format == REPORT_MARKDOWN          ? "markdown"
                                : options->holders                            ? "holders"
                                : expectation_is_given(&options->expectation) ? "expect"
                                                                              : NULL;
    if (contradiction)
        argp_error(state, "--every and --%s exclude each other", contradiction);
    if (!options->output && !options->continuous.push)
        argp_error(state, "--every needs -o FOLDER, where the profiles go, or --push URL");
    if (!options->continuous.every[0])
        strcpy(options->continuous.every, "60");
    options->continuous.folder = options->output;
    options->continuous.quiet = options->quiet;
    if (!options->no_symbols)
        options->continuous.symbols = &options->symbols.options;
}

static void imply(struct record_settings *options)
{
    options->holders |= options->holders_above[0] || options->holders_every[0];
    options->all |= options->holders && !options->rate;
    options->toggle |= options->paused;
}

static void check(struct argp_state *state)
{
    struct record_settings *options = state->input;
    imply(options);
    if (!options->command)
        argp_error(state, "no command given: name it, with its arguments, after the options");
    if (options->all && options->rate)
        argp_error(state, "--all and --rate exclude each other");
    if (options->output && strcmp(options->output, "-") == 0)
        argp_error(state, "-o takes a file: standard output is the command's");
    if (options->quiet && options->format != REPORT_TEXT)
        argp_error(state, "--quiet leaves out the answer that --json and --markdown are forms of");
    const char *stray = continuous_stray(&options->continuous);
    if (stray)
        argp_error(state, "--%s needs --push URL", stray);
    if (continuous_is_asked(&options->continuous)) {
        check_continuous(options, state);
        return;
    }
    if (options->output)
        check_output(options->output, state);
    else
        options->output = TRACE_NAME_DEFAULT;
    if (options->max_bytes[0] && trace_name_is_profile(options->output))
        argp_error(state,
                   "--max-size is for traces: a profile grows with the places that allocate, "
                   "not with time");
    if (options->holders && trace_name_is_profile(options->output))
        argp_error(state, "--holders is for traces: a profile does not know single blocks");
    if (options->expectation.peak >= 0 && trace_name_is_profile(options->output))
        argp_error(state, "--expect-peak is for traces: a profile has no peak");
}

const struct command_line record_line = {
    .check = check,
    .arguments = "[--] COMMAND [ARGUMENT...]",
    .about =
        "Runs COMMAND, records where it allocates memory, and prints a summary.\v"
        "The command is run as it is: its standard streams, signals and exit status are passed "
        "through. Afterwards the names of functions, files and lines are added to the trace, and a "
        "short answer goes to standard error.",
};
