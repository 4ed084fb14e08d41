/* A recording when its command has ended: its traces are found, and the answer is made of them. */
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

#include "base/clock.h"
#include "base/path.h"
#include "cli/answer_output.h"
#include "cli/apart.h"
#include "cli/cli.h"
#include "base/array.h"
#include "cli/lack.h"
#include "cli/next.h"
#include "cli/output_file.h"
#include "cli/record/descendants.h"
#include "cli/record/finishing.h"
#include "cli/record/kept_beside.h"
#include "cli/record/kept_folder.h"
#include "cli/record/reading.h"
#include "cli/record/running.h"
#include "cli/report.h"
#include "cli/report_command.h"

/* The recorder leaves no file without a byte. */
static void tell_unreadable(const char *path, const struct run_result *result)
{
    struct stat status;
    if (stat(path, &status) != 0 || status.st_size > 0)
        lack_warn("%s: the recording there could not be read", path);
    else if (WIFSIGNALED(result->status) && WTERMSIG(result->status) == SIGBUS)
        lack_warn(
            "%s: another program truncated it while the command ran, which ended the command (SIGBUS): a trace is "
            "mapped into the recorded program",
            path);
    else
        lack_warn("%s: another program truncated it while the command ran", path);
}

/* Of a command whose recorder wrote nothing at all: "trace", or "profile". */
static void tell_not_begun(const struct record_settings *options, const struct run_result *result,
                           const char *what)
{
    if (WIFSIGNALED(result->status) && result->seconds < 1)
        lack_warn("no %s was written: signal %d (%s) ended the command early", what,
                  WTERMSIG(result->status), strsignal(WTERMSIG(result->status)));
    else if (options->is_ocaml)
        lack_warn(
            "no %s was written: %s has memtrace in it, but did not begin to trace; --native records what its runtime takes "
            "from malloc",
            what, options->command[0]);
    else
        lack_warn("no %s was written: %s did not load the recorder", what, options->command[0]);
}

static void tell_nothing_written(const struct record_settings *options,
                                 const struct run_result *result, const struct notes *notes)
{
    struct stat status;
    if (notes->explained)
        return;
    if (stat(options->output, &status) == 0 && !S_ISREG(status.st_mode)) {
        lack_warn("the trace went to %s, which can't be read again", options->output);
        return;
    }
    int code = output_file_check(options->output);
    if (code) {
        cli_warn("no trace was written, because something changed while %s ran:",
                 options->command[0]);
        lack_add("no trace was written, because something changed while the command ran");
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

/* The answer lacks them. */
static void tell_unsaved(const struct kept_unsaved *unsaved)
{
    char *text = kept_unsaved_text(unsaved, "");
    bool is_one = unsaved->count == 1;
    const char *kept = unsaved->kept;
    int size = (int)(is_one ? strlen(kept) : (size_t)(path_file(kept) - kept) - 1);
    lack_warn("%s", text ? text : strerror(ENOMEM));
    cli_warn("%.*s: the data gathered for %s stay there; the next heaptap record of a profile "
             "tries again",
             size, kept, is_one ? "it" : "them");
    free(text);
}

bool ended_save_kept(const struct record_settings *options, const struct run_result *result)
{
    int64_t end_us = WIFSIGNALED(result->status) ? clock_us(CLOCK_REALTIME) : 0;
    struct kept_unsaved unsaved = {0};
    if (*options->keep)
        kept_folder_save(options->keep, result->pid, end_us, &unsaved);
    kept_beside_save(options->output, result->pid, end_us, &unsaved);
    if (unsaved.count > 0)
        tell_unsaved(&unsaved);
    return unsaved.count == 0;
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
    finishing_all(telling, !options->quiet || is_judged ? &recording : NULL);
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
    finishing_drop_empty(options, &traces);
    finishing_name_as_asked(options, &traces, result->pid);
    finishing_tell_uncompressed(options, &traces);
    struct telling telling = {
        .options = options,
        .traces = &traces,
        .ended_us = result->ended_us,
        .recording = {.seconds = result->seconds,
                      .was_paused = options->paused,
                      .is_explained = notes->explained || !all_saved,
                      .is_partial = notes->lost || !all_saved,
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
