/* heaptap record: runs a command with the recorder inside, and tells what it allocated. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/amount.h"
#include "base/temporary.h"
#include "cli/apart.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/copy_blocks.h"
#include "cli/expectation.h"
#include "cli/output_file.h"
#include "cli/parse.h"
#include "cli/record/answer.h"
#include "cli/record/claim.h"
#include "cli/record/continuous.h"
#include "cli/record/descendants.h"
#include "cli/record/kept.h"
#include "cli/record/kept_folder.h"
#include "cli/record/library.h"
#include "cli/record/notes.h"
#include "cli/record/program.h"
#include "cli/record/run.h"
#include "cli/record/runtime_heap.h"
#include "cli/record/trace_name.h"
#include "cli/record/variables.h"
#include "cli/symbol_options.h"
#include "cli/symbolize/symbolize.h"
#include "cli/trace_open.h"
#include "cli/trace_output.h"
#include "inside/environment.h"
#include "inside/program.h"
#include "trace/read/mend.h"
#include "trace/read/reader.h"

struct options {
    char **command; /* with its arguments; ends with NULL */
    const char *output;
    const char *rate, *callstack_size, *context, *duration; /* as they go to the recorder */
    char max_bytes[32];
    bool all, follow, toggle, paused, no_symbols, quiet;
    char keep[PATH_MAX]; /* where processes keep what they gather for profiles; "": nowhere */
    struct symbol_arguments symbols;
    struct expectation expectation;
    struct continuous_options continuous;
};

/* Blocks at which the rate is halved, where none is given: half of them are never less than 10 000. */
#define BUDGET "21000"

/* ---- Options ------------------------------------------------------------------------ */

enum {
    OPTION_ALL = 1000,
    OPTION_CALLSTACK_SIZE,
    OPTION_FOLLOW,
    OPTION_NO_FOLLOW,
    OPTION_CONTEXT,
    OPTION_DURATION,
    OPTION_MAX_SIZE,
    OPTION_TOGGLE,
    OPTION_PAUSED,
    OPTION_NO_SYMBOLS,
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0,
     "Write the trace to FILE (" TRACE_NAME_DEFAULT
     "). In its name %p is the pid, %e the program's name, %t the time of its start, %% a %. If "
     "the name ends in .pb.gz or .pb, write a pprof profile without a trace in between, in memory "
     "bounded by the places that allocate; with any other .gz or .zst, the trace is compressed at "
     "the end. With --every, FILE is a folder for profiles",
     0},
    {"rate", 'r', "RATE", 0,
     "Samples per 8-byte word, over 0 and at most 1; by default every block is recorded, and from "
     "21000 blocks on so many as leave at least 10000",
     0},
    {"all", OPTION_ALL, 0, 0, "Record every allocation", 0},
    {"callstack-size", OPTION_CALLSTACK_SIZE, "N", 0, "Record at most N frames of a stack", 0},
    {"follow", OPTION_FOLLOW, 0, 0,
     "Record the processes that the command starts too, each in a trace of its own (the default)",
     0},
    {"no-follow", OPTION_NO_FOLLOW, 0, 0,
     "Record only the command's own process, and not beyond an exec", 0},
    {"context", OPTION_CONTEXT, "TEXT", 0, "Put TEXT into the trace, to tell it from others", 0},
    {"duration", OPTION_DURATION, "SECONDS", 0,
     "Stop recording after this time; the command goes "
     "on",
     1},
    {"max-size", OPTION_MAX_SIZE, "BYTES", 0,
     "Stop recording when the trace has this many bytes (k, M, G: powers of 1024)", 1},
    {"toggle", OPTION_TOGGLE, 0, 0, "SIGUSR2 stops the recording and starts it again", 1},
    {"paused", OPTION_PAUSED, 0, 0, "Begin stopped, and wait for SIGUSR2 (implies --toggle)", 1},
    {"no-symbols", OPTION_NO_SYMBOLS, 0, 0,
     "Leave addresses in the trace; `heaptap file symbolize` can look them up later", 9},
    {"quiet", 'q', 0, 0, "Print only errors", 11},
    {0},
};

/* A number over 0 and at most `most`. */
static const char *number_of(const char *text, double most, const char *name,
                             struct argp_state *state)
{
    double value;
    if (!amount_plain(text, &value) || value <= 0 || value > most)
        argp_error(state, "--%s takes a number over 0%s, not '%s'", name,
                   most == 1 ? " and at most 1" : "", text);
    return text;
}

static const char *count_of(const char *text, struct argp_state *state)
{
    uint64_t value;
    if (!cli_parse_whole(text, 1, 4096, &value))
        argp_error(state, "--callstack-size takes a number from 1 to 4096, not '%s'", text);
    return text;
}

static void set_max_bytes(struct options *options, const char *text, struct argp_state *state)
{
    double bytes;
    if (!amount_bytes(text, &bytes) || bytes < 1 || bytes > 1e18)
        argp_error(state, "--max-size takes a size such as 100M, not '%s'", text);
    snprintf(options->max_bytes, sizeof options->max_bytes, "%.0f", bytes);
}

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
        if (fstat(fd, &stream) == 0 && stream.st_dev == status.st_dev &&
            stream.st_ino == status.st_ino)
            return true;
    return false;
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
        argp_error(state, "-o %s: the name %s", pattern, fault);
}

static bool is_continuous(const struct options *options)
{
    return continuous_is_asked(&options->continuous);
}

/* The folder, where there are intervals. */
static void check_continuous(struct options *options, struct argp_state *state)
{
    const char *contradiction = options->max_bytes[0]                         ? "max-size"
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

static error_t parse_end(struct options *options, struct argp_state *state)
{
    if (!options->command)
        argp_error(state, "no command given: name it, with its arguments, after the options");
    if (options->all && options->rate)
        argp_error(state, "--all and --rate exclude each other");
    if (options->output && strcmp(options->output, "-") == 0)
        argp_error(state, "-o takes a file: standard output is the command's");
    const char *stray = continuous_stray(&options->continuous);
    if (stray)
        argp_error(state, "--%s needs --push URL", stray);
    if (is_continuous(options)) {
        check_continuous(options, state);
        return 0;
    }
    if (options->output)
        check_output(options->output, state);
    else
        options->output = TRACE_NAME_DEFAULT;
    if (options->max_bytes[0] && trace_name_is_profile(options->output))
        argp_error(state,
                   "--max-size is for traces: a profile grows with the places that allocate, "
                   "not with time");
    if (options->expectation.peak >= 0 && trace_name_is_profile(options->output))
        argp_error(state, "--expect-peak is for traces: a profile has no peak");
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case 'r':
        options->rate = number_of(argument, 1, "rate", state);
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case OPTION_ALL:
        options->all = true;
        return 0;
    case OPTION_CALLSTACK_SIZE:
        options->callstack_size = count_of(argument, state);
        return 0;
    case OPTION_FOLLOW:
    case OPTION_NO_FOLLOW:
        options->follow = key == OPTION_FOLLOW;
        return 0;
    case OPTION_CONTEXT:
        options->context = argument;
        return 0;
    case OPTION_DURATION:
        options->duration = number_of(argument, 1e9, "duration", state);
        return 0;
    case OPTION_MAX_SIZE:
        set_max_bytes(options, argument, state);
        return 0;
    case OPTION_PAUSED:
        options->paused = options->toggle = true;
        return 0;
    case OPTION_TOGGLE:
        options->toggle = true;
        return 0;
    case OPTION_NO_SYMBOLS:
        options->no_symbols = true;
        return 0;
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->symbols;
        state->child_inputs[1] = &options->expectation;
        state->child_inputs[2] = &options->continuous;
        return 0;
    case ARGP_KEY_ARG: /* the command: what follows is its own */
        options->command = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        return parse_end(options, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&symbol_argp, 0, NULL, 0},
                                             {&expectation_argp, 0, NULL, 0},
                                             {&continuous_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "[--] COMMAND [ARGUMENT...]",
    "Runs COMMAND, records where it allocates memory, and prints a summary.\v"
    "The command is run as it is: its standard streams, signals and exit status are passed "
    "through. Afterwards the names of functions, files and lines are added to the trace, and a "
    "short answer goes to standard error.",
    children,
    0,
    0};

/* ---- Before ------------------------------------------------------------------------- */

/* Can the traces be made?  Of a name that is only known later, in the folder that it is in. */
static bool is_writable(const char *pattern)
{
    char *name = strdup(pattern);
    for (char *at = name; at && (at = strstr(at, "%%")); at++)
        memmove(at, at + 1, strlen(at));
    int code = name ? output_file_check(name) : ENOMEM;
    if (code)
        output_file_fail(name ? name : pattern, "a trace", code);
    free(name);
    return code == 0;
}

/* Two recordings into one file would leave one, damaged. */
static bool is_free(const struct options *options, const char *output)
{
    bool free = claim_output(output);
    if (!free)
        cli_warn(
            "%s: another heaptap record is writing to it; wait until it ends, or give another name "
            "with -o",
            options->output);
    return free;
}

static const char *rate_given(const struct options *options)
{
    return options->rate ? options->rate : getenv(SETTING_RATE);
}

/* What has a rate that nobody has fixed has as many blocks as tell enough of it. */
static bool has_budget(const struct options *options)
{
    return !rate_given(options) && !options->all;
}

/* Runs the command with what the recorder reads from its environment, or if nothing is to be
 * preloaded, as it is. */
static bool run(const struct options *options, const char *path, const char *output,
                const char *preload, const char *notes, struct continuous *continuous,
                struct run_result *result)
{
    const struct variable variables[] = {
        {ENVIRONMENT_PRELOAD, preload},
        {SETTING_TRACE, output},
        {SETTING_ALL, options->all ? "1" : NULL},
        {SETTING_BUDGET, has_budget(options) ? BUDGET : NULL},
        {SETTING_CALLSTACK, options->callstack_size},
        {SETTING_CONTEXT, options->context},
        {SETTING_FOLLOW, options->follow ? "1" : "0"},
        {SETTING_DURATION, options->duration},
        {SETTING_MAX_SIZE, options->max_bytes[0] ? options->max_bytes : NULL},
        {SETTING_TOGGLE, options->toggle ? "1" : NULL},
        {SETTING_START, options->paused ? "0" : NULL},
        {SETTING_RATE, rate_given(options)},
        {SETTING_NOTES, *notes ? notes : NULL},
        {SETTING_EVERY, continuous ? options->continuous.every : NULL},
        {SETTING_KEEP, continuous       ? "1"
                       : *options->keep ? options->keep
                                        : NULL},
    };
    char **environment =
        preload ? variables_added(variables, sizeof variables / sizeof *variables) : environ;
    bool ran = environment && run_command(path, options->command, environment,
                                          continuous ? continuous_start : NULL, continuous, result);
    if (!ran)
        cli_warn("%s: %s", path, strerror(errno));
    if (environment != environ)
        variables_free(environment);
    return ran;
}

/* ---- After -------------------------------------------------------------------------- */

/* Is the process that writes this trace still at it? */
static bool is_running(const struct written_trace *trace, pid_t ended)
{
    pid_t pid = (pid_t)trace->pid;
    return pid != ended && pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

/* Shells and launchers start many small processes; a trace without an event tells nothing. */
static bool remove_if_empty(const struct written_trace *trace)
{
    const char *path = trace->path;
    struct heaptap_reader *reader;
    if (trace->is_profile)
        return trace->is_empty && unlink(path) == 0;
    struct heaptap_event event;
    if (heaptap_reader_open(&reader, path, &(struct heaptap_reader_options){.skip_stacks = true},
                            NULL) != HEAPTAP_OK)
        return false;
    bool empty = heaptap_reader_next(reader, &event, NULL) == HEAPTAP_END;
    heaptap_reader_close(reader);
    return empty && unlink(path) == 0;
}

/* One trace is kept, whatever is in it. */
static void drop_empty(struct written_traces *traces, pid_t ended)
{
    size_t kept = 0;
    for (size_t i = 0; i < traces->count; i++) {
        struct written_trace *trace = &traces->items[i];
        bool is_last = kept == 0 && i + 1 == traces->count;
        if (is_last || is_running(trace, ended) || !remove_if_empty(trace)) {
            traces->items[kept++] = *trace;
            continue;
        }
        free(trace->path);
        free(trace->executable);
    }
    traces->count = kept;
}

/* A shell that becomes its last command leaves that command's trace under another name than the
 * one that was asked for; where nothing has that name in the end, it is given to the command's
 * process, or to the only one there is. */
static void name_as_asked(const struct options *options, struct written_traces *traces,
                          pid_t command)
{
    struct written_trace *first = traces->count > 0 ? &traces->items[0] : NULL;
    bool is_whose = first && (first->pid == (uint64_t)command || traces->count == 1);
    char *name = is_whose ? strdup(options->output) : NULL;
    if (!name || strchr(name, '%') || access(name, F_OK) == 0 || is_running(first, command) ||
        rename(first->path, name) != 0) {
        free(name);
        return;
    }
    free(first->path);
    first->path = name;
}

static bool is_compressed_name(const char *path)
{
    size_t size = strlen(path);
    return (size > 3 && strcmp(path + size - 3, ".gz") == 0) ||
           (size > 4 && strcmp(path + size - 4, ".zst") == 0);
}

/* A program that was killed leaves packets open, which memtrace's own tools can't read.  Where they
 * can't be finished, heaptap reads the trace all the same. */
static void mend(const char *path)
{
    struct heaptap_error error = {0};
    if (trace_mend(path, &error) != HEAPTAP_OK)
        cli_warn("%s: stays as the program left it, which heaptap can read, but not memtrace's own "
                 "tools: %s",
                 path, error.message);
}

/* Leaves out the blocks that the halvings of the rate have taken away, which other readers would not know of. */
static void settle_rate(const char *path)
{
    struct trace_input input;
    struct trace_output *output;
    struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER};
    if (!trace_input_open(&input, path, &how))
        return;
    struct trace_output_options where = {
        .path = path, .encoding = OUTPUT_PLAIN, .info = *heaptap_reader_info(input.reader)};
    if (reader_thins(input.reader) &&
        trace_output_open(&output, &where, &input, &input.exit_status)) {
        if (!copy_blocks(&input, output, NULL, NULL))
            trace_output_out_of_memory(output);
        trace_output_copy_metadata(output, input.reader);
        trace_output_close(output, &input.exit_status);
    }
    trace_input_close(&input);
}

/* False where the trace stays as it was recorded. */
static bool finish_trace(const struct options *options, const char *path, bool *split_told)
{
    struct symbolize_options how = {
        .symbols = options->symbols.options,
        .output = path,
        .encoding = OUTPUT_BY_NAME,
        .only_rewrite = options->no_symbols,
        .keep_readable = true,
        .quiet = true,
        .split_told = options->quiet ? NULL : split_told,
    };
    if (!is_compressed_name(path) && !trace_name_is_profile(path))
        how.output = NULL; /* in place, and only where there is something to do */
    if (!trace_name_is_profile(path)) {
        mend(path);
        if (has_budget(options))
            settle_rate(path);
    }
    return (!how.output && options->no_symbols) || symbolize_file(path, &how) != CLI_FAILED;
}

/* The recorder leaves no file without a byte. */
static void tell_unreadable(const char *path, const struct run_result *result)
{
    struct stat status;
    if (stat(path, &status) != 0 || status.st_size > 0)
        cli_warn("%s: what was recorded there could not be read", path);
    else if (WIFSIGNALED(result->status) && WTERMSIG(result->status) == SIGBUS)
        cli_warn(
            "%s: somebody cut it while the command ran, and so ended the command (SIGBUS): a trace is memory of the "
            "program that it is of",
            path);
    else
        cli_warn("%s: somebody cut it while the command ran", path);
}

static void tell_nothing_written(const struct options *options, const struct run_result *result,
                                 const struct notes *notes)
{
    struct stat status;
    if (notes->explained)
        return;
    if (stat(options->output, &status) == 0 && !S_ISREG(status.st_mode)) {
        cli_warn("the trace went to %s, from where it can't be read again", options->output);
        return;
    }
    int code = output_file_check(options->output);
    if (code) {
        cli_warn("no trace was written, as something changed while %s ran:", options->command[0]);
        output_file_fail(options->output, "a trace", code);
        return;
    }
    if (notes->begun)
        tell_unreadable(options->output, result);
    else if (WIFSIGNALED(result->status) && result->seconds < 1)
        cli_warn("no trace was written: signal %d (%s) ended the command early",
                 WTERMSIG(result->status), strsignal(WTERMSIG(result->status)));
    else
        cli_warn("no trace was written: %s did not load the recorder", options->command[0]);
}

static bool has_trace_of(const struct written_traces *traces, pid_t pid)
{
    for (size_t i = 0; i < traces->count; i++)
        if (traces->items[i].pid == (uint64_t)pid)
            return true;
    return false;
}

static bool is_any_missing(const struct written_traces *traces,
                           const struct descendants *descendants)
{
    for (size_t i = 0; i < descendants->count; i++)
        if (kill(descendants->pids[i], 0) == 0 && !has_trace_of(traces, descendants->pids[i]))
            return true;
    return false;
}

/* A daemon's parent ends as soon as the daemon is made, which may come to begin its trace after
 * that: it is waited for, a little. */
static bool find_traces(const struct options *options, struct written_traces *traces,
                        int64_t since_us, pid_t first)
{
    enum { TRIES = 30 };
    const struct timespec pause = {0, 10000000};
    struct descendants left = {0};
    if (options->follow)
        descendants_find(&left);
    bool found = written_traces_find(traces, options->output, since_us, first);
    for (int i = 0; found && i < TRIES && is_any_missing(traces, &left); i++) {
        nanosleep(&pause, NULL);
        written_traces_release(traces);
        found = written_traces_find(traces, options->output, since_us, first);
    }
    descendants_release(&left);
    return found;
}

/* Profiles that a process had no time to save.  False, after a message, where one can't be written. */
static bool save_kept(const struct options *options, const struct run_result *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return !*options->keep ||
           kept_folder_save(options->keep, result->pid,
                            WIFSIGNALED(result->status)
                                ? (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000
                                : 0);
}

/* The traces of a command that has ended, as its answer is made of them. */
struct telling {
    const struct options *options;
    const struct written_traces *traces;
    pid_t pid; /* of the command */
    struct answer_facts facts;
};

static void finish_traces(const struct telling *telling, struct answer *answer)
{
    bool split_told = false;
    for (size_t i = 0; i < telling->traces->count; i++) {
        const struct written_trace *trace = &telling->traces->items[i];
        bool running = is_running(trace, telling->pid);
        bool finished = running || telling->facts.unnamed ||
                        finish_trace(telling->options, trace->path, &split_told);
        if (answer)
            answer_add(answer, trace, running, !finished);
    }
}

/* CLI_FOUND where what was recorded is not as expected. */
static int finish_and_answer(void *context)
{
    const struct telling *telling = context;
    const struct options *options = telling->options;
    int status = CLI_DONE;
    bool is_judged = expectation_is_given(&options->expectation);
    bool is_answered = telling->traces->count > 0 && (!options->quiet || is_judged);
    struct answer *answer = is_answered ? answer_new(&telling->facts) : NULL;
    finish_traces(telling, answer);
    if (!options->quiet)
        answer_print(answer, stderr);
    if (is_judged) {
        struct expectation recorded = {0};
        bool is_empty = !answer_sum(answer, &recorded);
        status = expectation_judge(&options->expectation, &recorded, is_empty);
    }
    answer_free(answer);
    return status;
}

static bool is_memory_limited(void)
{
    struct rlimit space, data;
    return getrlimit(RLIMIT_AS, &space) == 0 && getrlimit(RLIMIT_DATA, &data) == 0 &&
           (space.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY);
}

/* Of what ended a child: what was not done, and the command that does it. */
static void tell_undone(const struct telling *telling, const char *what, const char *command)
{
    bool is_one = telling->traces->count == 1;
    const char *space = is_one ? " " : "", *path = is_one ? telling->traces->items[0].path : "";
    if (is_memory_limited())
        cli_warn(
            "%s: that takes more memory than there is; `heaptap %s%s%s` does it where there is more",
            what, command, space, path);
    else
        cli_warn("%s: the process that was at it ended early; `heaptap %s%s%s` tries again", what,
                 command, space, path);
}

/* Looking up names takes more memory than recording, and libdw ends the process that has too little.  Whatever befalls it,
 * the command's status is this process's to give. */
static int answer_apart(struct telling *telling)
{
    int status = CLI_FAILED;
    if (apart_run(finish_and_answer, telling, &status))
        return status;
    tell_undone(telling, "names could not be looked up", "file symbolize");
    telling->facts.unnamed = true;
    if (!apart_run(finish_and_answer, telling, &status))
        tell_undone(telling, "what was recorded could not be summed up", "info");
    return status;
}

static int tell(const struct options *options, const char *output, const struct run_result *result,
                const struct notes *notes, int64_t since_us)
{
    struct written_traces traces = {0};
    bool all_saved = save_kept(options, result);
    if (!find_traces(options, &traces, since_us, result->pid))
        cli_warn("out of memory");
    else if (traces.count == 0 && !options->quiet)
        tell_nothing_written(options, result, notes);
    drop_empty(&traces, result->pid);
    name_as_asked(options, &traces, result->pid);
    struct telling telling = {.options = options,
                              .traces = &traces,
                              .pid = result->pid,
                              .facts = {.seconds = result->seconds,
                                        .paused = options->paused,
                                        .explained = notes->explained || !all_saved,
                                        .toggled = options->toggle,
                                        .pid = (uint64_t)result->pid,
                                        .peak_rss_bytes = result->peak_rss_bytes,
                                        .killed = WIFSIGNALED(result->status)}};
    int status = answer_apart(&telling);
    written_traces_release(&traces);
    return status;
}

static void tell_nothing_sampled(const struct options *options, const struct run_result *result,
                                 const struct notes *notes)
{
    const char *command = options->command[0];
    if (notes->begun)
        cli_warn("no profile was written: nothing was sampled in %s", command);
    else if (WIFSIGNALED(result->status) && result->seconds < 1)
        cli_warn("no profile was written: signal %d (%s) ended the command early",
                 WTERMSIG(result->status), strsignal(WTERMSIG(result->status)));
    else
        cli_warn("no profile was written: %s did not load the recorder", command);
}

static int tell_continuous(const struct options *options, struct continuous *continuous,
                           const struct run_result *result, const struct notes *notes)
{
    if (continuous_end(continuous, result->pid) == 0 && !notes->explained && !options->quiet)
        tell_nothing_sampled(options, result, notes);
    return CLI_DONE;
}

/* Looks at the program, and at what it is to be started with. */
static bool judge(const char *path, struct program_verdict *verdict)
{
    const char *preload = environment_last(environ, ENVIRONMENT_PRELOAD);
    program_judge(path, getenv("PATH"), verdict);
    if (verdict->kind == PROGRAM_REACHABLE && preload && program_preloads_sanitizer(preload)) {
        verdict->kind = PROGRAM_SANITIZED;
        snprintf(verdict->why, sizeof verdict->why,
                 "%s is started with a sanitizer's runtime in LD_PRELOAD, which must come before "
                 "every other library",
                 path);
    }
    return verdict->kind == PROGRAM_REACHABLE;
}

/* `continuous` is NULL where there are no intervals. */
static int record(const struct options *options, const char *library, const char *output,
                  const char *path, struct continuous *continuous)
{
    struct program_verdict verdict;
    struct run_result result;
    struct timespec now;
    struct notes notes;
    int status = CLI_DONE;
    bool reachable = judge(path, &verdict);
    if (!reachable && !options->quiet)
        cli_warn("%s: it runs without being recorded", verdict.why);
    char *preload = reachable ? library_preload(library) : NULL;
    notes_make(&notes);
    clock_gettime(CLOCK_REALTIME, &now);
    bool ran = run(options, path, output, preload, notes.place, continuous, &result);
    free(preload);
    if (ran)
        notes_print(&notes, options->quiet);
    notes_release(&notes);
    notes.explained = notes.explained || !reachable;
    if (!ran)
        return CLI_FAILED;
    const struct runtime_heap *heap =
        !options->quiet && (continuous || !reachable) ? runtime_heap_of_file(path) : NULL;
    if (result.exec_errno)
        cli_warn("%s: %s", path, strerror(result.exec_errno));
    else if (continuous)
        status = tell_continuous(options, continuous, &result, &notes);
    else
        status = tell(options, output, &result, &notes,
                      (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    if (heap && !result.exec_errno)
        runtime_heap_print(heap, path, stderr);
    int of_command = run_exit_status(&result);
    return of_command != 0 ? of_command : status;
}

/* 127 or 126 where there is no such program, with a message. */
static int record_program(const struct options *options, const char *library, const char *output,
                          struct continuous *continuous)
{
    char *path = program_find(options->command[0]);
    if (path) {
        int status = record(options, library, output, path, continuous);
        free(path);
        return status;
    }
    int code = errno;
    cli_warn("%s: %s", options->command[0], code == ENOENT ? "command not found" : strerror(code));
    return code == ENOENT ? 127 : 126;
}

static int prepare_continuous(const struct options *options, const char *library)
{
    kept_finish_folders(true);
    struct continuous *continuous = continuous_new(&options->continuous, NULL);
    int status = continuous
                     ? record_program(options, library, continuous_pattern(continuous), continuous)
                     : CLI_FAILED;
    continuous_free(continuous);
    return status;
}

static void make_keep(struct options *options)
{
    kept_finish_folders(false);
    if (kept_folder_make(options->keep))
        return;
    cli_warn(
        "no folder can be made in %s (%s): of a program that is killed, the profile lacks the last seconds",
        temporary_place(), strerror(errno));
    options->keep[0] = 0;
}

static int prepare_trace(struct options *options, const char *library)
{
    char *output = trace_name_absolute(options->output);
    int status = CLI_FAILED;
    if (!output)
        cli_warn("the present folder: %s; go to another, or give -o a path that begins with /",
                 strerror(errno));
    else if (is_writable(output) && is_free(options, output)) {
        if (trace_name_is_profile(options->output))
            make_keep(options);
        status = record_program(options, library, output, NULL);
        if (*options->keep)
            kept_folder_leave(options->keep);
    }
    free(output);
    return status;
}

static int prepare(struct options *options)
{
    char *library = library_find();
    int status = CLI_FAILED;
    if (library)
        status = is_continuous(options) ? prepare_continuous(options, library)
                                        : prepare_trace(options, library);
    free(library);
    return status;
}

int cmd_record(int argc, char **argv)
{
    struct options options = {.follow = true, .expectation = EXPECTATION_NONE};
    cli_let_reader_leave();
    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &options);
    int status = prepare(&options);
    symbol_arguments_release(&options.symbols);
    return status;
}
