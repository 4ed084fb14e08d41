/* A recording when its command has ended: its traces are found, put right and named, and the answer is made of them. */
#include "cli/record/ended.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/plain.h"
#include "cli/answer_output.h"
#include "cli/apart.h"
#include "cli/cli.h"
#include "base/array.h"
#include "cli/copy_blocks.h"
#include "cli/next.h"
#include "cli/output_file.h"
#include "cli/record/descendants.h"
#include "cli/record/holders.h"
#include "cli/record/kept.h"
#include "cli/record/kept_beside.h"
#include "cli/record/kept_folder.h"
#include "cli/record/naming.h"
#include "cli/record/reading.h"
#include "cli/record/running.h"
#include "cli/record/trace_name.h"
#include "cli/report.h"
#include "cli/report_command.h"
#include "cli/symbolize/symbolize.h"
#include "cli/trace_open.h"
#include "trace/mend.h"
#include "trace/reader.h"

/* Is the process that writes this trace still at it?  A profile is not written before it ends, only what is gathered for it. */
static bool is_running(const struct record_settings *options, const struct written_trace *trace)
{
    char kept[PATH_MAX];
    if (!trace->is_profile)
        return process_is_writing((pid_t)trace->pid, trace->path, true);
    if (*options->keep && kept_in_folder(kept, options->keep, trace->path) &&
        access(kept, F_OK) == 0)
        return process_is_writing((pid_t)trace->pid, kept, true);
    char *beside = kept_path(trace->path);
    bool is_writing = process_is_writing((pid_t)trace->pid, beside, true);
    free(beside);
    return is_writing;
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
    if (!empty || unlink(path) != 0)
        return false;
    holders_move(path, NULL);
    return true;
}

/* One trace is kept, whatever is in it. */
static void drop_empty(const struct record_settings *options, struct written_traces *traces)
{
    size_t kept = 0;
    for (size_t i = 0; i < traces->count; i++) {
        struct written_trace *trace = &traces->items[i];
        bool is_last = kept == 0 && i + 1 == traces->count;
        if (is_running(options, trace) || is_last || !remove_if_empty(trace)) {
            traces->items[kept++] = *trace;
            continue;
        }
        free(trace->path);
        free(trace->executable);
    }
    traces->count = kept;
}

/* A script of a version manager, or a shell, becomes its last command, and has by then taken the name that was asked for.
 * That is the name of what the command's process was at last, or of the only trace there is.  It comes first, too. */
static void name_as_asked(const struct record_settings *options, struct written_traces *traces,
                          pid_t command)
{
    struct written_trace *last = naming_last(traces, command);
    if (last && !strchr(options->output, '%') && !is_running(options, last))
        naming_give(traces, last, options->output);
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
    struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER};
    if (!trace_input_open(&input, &(struct input_names){.path = path, .is_one = true}, &how))
        return;
    struct trace_output_options where = {
        .path = path, .encoding = OUTPUT_PLAIN, .info = *heaptap_reader_info(input.reader)};
    if (reader_thins(input.reader))
        copy_blocks(&input, &where, NULL, NULL);
    trace_input_close(&input);
}

/* What finishes the traces of a recording, one after the other. */
struct finisher {
    const struct record_settings *options;
    struct symbolizer *symbolizer; /* NULL: none could be made, after a message */
    bool split_told;               /* that .dwo files are missing */
};

/* False where the trace stays as it was recorded. `ended_us` is when the program did, for a trace that does not say so; 0: unknown. */
static bool finish_trace(struct finisher *finisher, const char *path, int64_t ended_us)
{
    const struct record_settings *options = finisher->options;
    bool has_names = options->no_symbols || options->is_ocaml;
    struct symbolize_options how = {
        .symbolizer = finisher->symbolizer,
        .output = path,
        .encoding = OUTPUT_BY_NAME,
        .only_rewrite = has_names,
        .ended_us = ended_us,
        .keep_readable = true,
        .quiet = true,
        .split_told = options->quiet ? NULL : &finisher->split_told,
    };
    if (!is_compressed_name(path) && !trace_name_is_profile(path))
        how.output = NULL; /* in place, and only where there is something to do */
    if (!trace_name_is_profile(path)) {
        mend(path);
        if (record_has_budget(options))
            settle_rate(path);
    }
    bool done = (!how.output && has_names && ended_us == 0) ||
                (how.symbolizer && symbolize_file(path, &how) != CLI_FAILED);
    if (!done)
        cli_warn("%s: stays without names%s", path,
                 how.output ? ", and as it was written: not compressed" : "");
    return done;
}

/* The recorder leaves no file without a byte. */
static void tell_unreadable(const char *path, const struct run_result *result)
{
    struct stat status;
    if (stat(path, &status) != 0 || status.st_size > 0)
        cli_warn("%s: the recording there could not be read", path);
    else if (WIFSIGNALED(result->status) && WTERMSIG(result->status) == SIGBUS)
        cli_warn(
            "%s: another program truncated it while the command ran, which ended the command (SIGBUS): a trace is "
            "mapped into the recorded program",
            path);
    else
        cli_warn("%s: another program truncated it while the command ran", path);
}

/* Of a command whose recorder wrote nothing at all: "trace", or "profile". */
static void tell_not_begun(const struct record_settings *options, const struct run_result *result,
                           const char *what)
{
    if (WIFSIGNALED(result->status) && result->seconds < 1)
        cli_warn("no %s was written: signal %d (%s) ended the command early", what,
                 WTERMSIG(result->status), strsignal(WTERMSIG(result->status)));
    else if (options->is_ocaml)
        cli_warn(
            "no %s was written: %s has memtrace in it, but did not begin to trace; --native records what its runtime takes "
            "from malloc",
            what, options->command[0]);
    else
        cli_warn("no %s was written: %s did not load the recorder", what, options->command[0]);
}

static void tell_nothing_written(const struct record_settings *options,
                                 const struct run_result *result, const struct notes *notes)
{
    struct stat status;
    if (notes->explained)
        return;
    if (stat(options->output, &status) == 0 && !S_ISREG(status.st_mode)) {
        cli_warn("the trace went to %s, which can't be read again", options->output);
        return;
    }
    int code = output_file_check(options->output);
    if (code) {
        cli_warn("no trace was written, because something changed while %s ran:",
                 options->command[0]);
        output_file_fail(options->output, "a trace", code);
        return;
    }
    if (notes->begun)
        tell_unreadable(options->output, result);
    else
        tell_not_begun(options, result, "trace");
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
        if (process_is_running(descendants->pids[i]) && !has_trace_of(traces, descendants->pids[i]))
            return true;
    return false;
}

/* A daemon's parent ends as soon as the daemon is made, which may come to begin its trace after
 * that: it is waited for, a little. */
static bool find_traces(const struct record_settings *options, struct written_traces *traces,
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

bool ended_save_kept(const struct record_settings *options, const struct run_result *result)
{
    int64_t end_us = WIFSIGNALED(result->status) ? clock_us(CLOCK_REALTIME) : 0;
    bool all_saved = !*options->keep || kept_folder_save(options->keep, result->pid, end_us);
    return kept_beside_save(options->output, result->pid, end_us) && all_saved;
}

/* The traces of a command that has ended, as its answer is made of them. */
struct telling {
    const struct record_settings *options;
    const struct written_traces *traces;
    int64_t ended_us;           /* when the command did, since the epoch */
    bool is_unnamed;            /* looking up names is too much for the memory that there is */
    struct recording recording; /* without its processes */
};

/* With --quiet, too: something else was asked for. */
static void tell_uncompressed(const struct record_settings *options,
                              const struct written_traces *traces)
{
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < traces->count; i++) {
        const struct written_trace *trace = &traces->items[i];
        if (trace->is_profile || !is_compressed_name(trace->path) || !is_running(options, trace))
            continue;
        first = count++ == 0 ? trace->path : first;
    }
    if (count == 1)
        cli_warn(
            "%s: is not compressed, in spite of its name, because its process goes on writing it; heaptap reads it so, and "
            "when the process has ended, `heaptap file symbolize -o %s %s` compresses it",
            first, first, first);
    else if (count > 1)
        cli_warn(
            "%s and %zu more traces are not compressed, in spite of their names, because their processes go on writing "
            "them; heaptap reads them so, and when they have ended, `heaptap file symbolize -o FILE FILE` compresses them",
            first, count - 1);
}

/* For a trace that does not say when its process ended; 0 where it does, as that of a command does that no signal has ended. */
static int64_t end_of(const struct telling *telling, const struct written_trace *trace)
{
    bool is_own = trace->pid == telling->recording.pid;
    return !is_own ? SYMBOLIZE_LAST_SEEN : telling->recording.end_signal ? telling->ended_us : 0;
}

/* Reads them where `recording` is not NULL. */
static void finish_traces(const struct telling *telling, struct recording *recording)
{
    struct finisher finisher = {
        .options = telling->options,
        .symbolizer = symbolize_with(&telling->options->symbols.options),
    };
    bool has_snapshot = false;
    for (size_t i = 0; i < telling->traces->count; i++) {
        const struct written_trace *trace = &telling->traces->items[i];
        bool running = is_running(telling->options, trace);
        bool finished = running || telling->is_unnamed ||
                        finish_trace(&finisher, trace->path, end_of(telling, trace));
        if (telling->options->holders && !running)
            has_snapshot |= holders_finish(trace->path);
        if (recording)
            reading_add(recording, trace, !telling->is_unnamed, running, !finished);
    }
    symbolizer_free(finisher.symbolizer);
    if (telling->options->holders && telling->traces->count > 0 && !has_snapshot)
        cli_warn("the program ended without a snapshot of what holds its memory");
}

/* ---- The answer ---------------------------------------------------------------------- */

/* Can the process's file be read as one with that of `most`?  Profiles have one kind of values each. */
static bool goes_with(const struct recorded_process *process, const struct recorded_process *most)
{
    bool is_alike =
        process->is_profile == most->is_profile && !process->language == !most->language;
    return process->file && process->events > 0 && (is_alike || !most->is_profile);
}

/* The question of the summary: the heaviest process's file, then the others'. */
static struct question summary_of(const struct recording *recording)
{
    const struct recorded_process *most = recording_main(recording);
    struct question question = question_of(report_entry_find("summary"));
    question.sample = "alloc_space";
    question.is_known = true;
    question.is_unnamed = recording->is_unnamed;
    question.path = most->file;
    for (size_t i = 0; i < recording->count; i++) {
        const struct recorded_process *process = &recording->processes[i];
        if (process != most && goes_with(process, most) &&
            ARRAY_RESERVE(&question.more, &question.more_capacity, question.more_count + 1))
            question.more[question.more_count++] = process->file;
    }
    (void)question.report->check(&question, NULL);
    return question;
}

static void print_next(const struct report *report)
{
    const struct question *question = report->options;
    size_t count = question->more_count + 1;
    const char **paths = malloc(count * sizeof *paths);
    if (!paths)
        return;
    paths[0] = question->path;
    for (size_t i = 1; i < count; i++)
        paths[i] = question->more[i - 1];
    next_print_line(paths, count, report->input.model, stderr);
    free(paths);
}

/* False without memory. */
static bool say_all(struct answer *answer, struct recording *recording, struct report *report)
{
    enum report_outcome outcome = REPORT_SAID;
    recording_put(answer, recording, report);
    if (report) {
        outcome = report_command_put(answer, report);
        recording->nameless = recording->is_unnamed ? NULL : reading_nameless(report);
    }
    recording_put_missing(answer, recording);
    return outcome == REPORT_SAID;
}

/* Text stands beside what the command printed; the other forms are alone on standard output, which is closed.  An exit status. */
static int print_answer(const struct record_settings *options, struct recording *recording)
{
    FILE *to = options->format == REPORT_TEXT ? stderr : stdout;
    struct report report;
    struct question question;
    int status = CLI_DONE;
    bool has_blocks = recording_has_blocks(recording);
    if (has_blocks)
        question = summary_of(recording);
    bool is_open = has_blocks && report_open(&report, &question, &status);
    if (is_open)
        report.input.is_partial = recording->is_partial;
    struct answer *answer = answer_output_on(to, options->format);
    bool done = answer && say_all(answer, recording, is_open ? &report : NULL);
    if (!answer || !answer_close(answer) || !done)
        status = cli_out_of_memory();
    if (options->format != REPORT_TEXT)
        status = cli_close_output(status);
    else if (is_open)
        print_next(&report);
    if (is_open)
        report_close(&report);
    if (has_blocks)
        question_release(&question);
    return status;
}

/* CLI_FOUND where what was recorded is not as expected. */
static int finish_and_answer(void *context)
{
    const struct telling *telling = context;
    const struct record_settings *options = telling->options;
    int status = CLI_DONE;
    bool is_judged = expectation_is_given(&options->expectation);
    struct recording recording = telling->recording;
    recording.is_unnamed = telling->is_unnamed;
    finish_traces(telling, !options->quiet || is_judged ? &recording : NULL);
    if (!options->quiet)
        status = print_answer(options, &recording);
    if (is_judged) {
        struct expectation recorded = {0};
        bool is_empty = !reading_sum(&recording, &recorded);
        int judged = expectation_judge(&options->expectation, &recorded, is_empty);
        status = status == CLI_DONE ? judged : status;
    }
    recording_release(&recording);
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
        cli_warn("%s: out of memory; run `heaptap %s%s%s` where there is more", what, command,
                 space, path);
    else
        cli_warn("%s: the process that did this ended early; try again with `heaptap %s%s%s`", what,
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
    telling->is_unnamed = true;
    if (!apart_run(finish_and_answer, telling, &status))
        tell_undone(telling, "the recording could not be summed up", "info");
    return status;
}

int ended_tell(const struct record_settings *options, const struct run_result *result,
               const struct notes *notes, bool all_saved, int64_t since_us)
{
    struct written_traces traces = {0};
    if (!find_traces(options, &traces, since_us, result->pid))
        cli_warn("out of memory");
    else if (traces.count == 0 && !options->quiet && all_saved)
        tell_nothing_written(options, result, notes);
    drop_empty(options, &traces);
    name_as_asked(options, &traces, result->pid);
    tell_uncompressed(options, &traces);
    struct telling telling = {
        .options = options,
        .traces = &traces,
        .ended_us = result->ended_us,
        .recording = {.seconds = result->seconds,
                      .was_paused = options->paused,
                      .is_explained = notes->explained || !all_saved,
                      .is_partial = notes->lost,
                      .was_toggled = options->toggle,
                      .pid = (uint64_t)result->pid,
                      .peak_rss_bytes = result->peak_rss_bytes,
                      .end_signal = WIFSIGNALED(result->status) ? WTERMSIG(result->status) : 0}};
    int status = answer_apart(&telling);
    written_traces_release(&traces);
    return status;
}

void ended_tell_nothing_sampled(const struct record_settings *options,
                                const struct run_result *result, const struct notes *notes)
{
    if (notes->begun)
        cli_warn("no profile was written: nothing was sampled in %s", options->command[0]);
    else
        tell_not_begun(options, result, "profile");
}
