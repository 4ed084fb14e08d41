/* heaptap advice --try: what advice promises of a command, and what a change of its sources saves. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_command.h"
#include "cli/source_watch.h"
#include "report/advice/trial.h"

/* ---- Options ------------------------------------------------------------------------- */

enum { TRACE_BYTES = PATH_MAX + 32 };

struct trying {
    struct question question;
    const char *build;
    char **command;    /* ended by NULL */
    long wait_seconds; /* 0: without an end */
    bool all;
    char folder[PATH_MAX];
    struct source_watch watch;
    struct trial trial;
};

static bool take_seconds(void *field, const char *text, struct heaptap_error *error)
{
    uint64_t seconds;
    if (!cli_parse_whole(text, 1, 1000000, &seconds))
        return option_refuse(error, "a number of seconds", text);
    *(long *)field = (long)seconds;
    return true;
}

#define FIELD(name) offsetof(struct trying, name)

static const struct question_option rows[] = {
    {"try", 0, OPTION_TEXT, 0, "BUILD", "Run this in a shell once the sources have changed",
     FIELD(build)},
    {"wait", 0, OPTION_TAKEN, 0, "SECONDS", "Give up after so long without a change",
     FIELD(wait_seconds), .take = take_seconds},
    {"all", 0, OPTION_FLAG, 0, NULL, "Record every block; by default as record does", FIELD(all)},
    {.kind = OPTION_COMMAND, .field = FIELD(command)},
    {.kind = OPTION_QUESTION, .field = FIELD(question)},
    {0}};

static void check(struct argp_state *state)
{
    const struct trying *trying = state->input;
    if (!trying->build || !trying->command)
        argp_error(state, "%s",
                   !trying->build ? "--try takes a command that builds the program"
                                  : "the command to record is missing");
}

/* ---- Commands ------------------------------------------------------------------------ */

/* Where the answer is for a program to read, standard output is the answer's. */
static int run(const struct trying *trying, const char *path, char *const *words, bool *is_run)
{
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (trying->question.format != REPORT_TEXT)
            dup2(STDERR_FILENO, STDOUT_FILENO);
        execv(path, words);
        cli_warn("%s: %s", path, strerror(errno));
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    *is_run = child > 0 && WIFEXITED(status);
    return *is_run ? WEXITSTATUS(status) : -1;
}

static bool build(const struct trying *trying)
{
    char *words[] = {(char *)"sh", (char *)"-c", (char *)trying->build, NULL};
    bool is_run;
    int status = run(trying, "/bin/sh", words, &is_run);
    if (status != 0)
        cli_warn("'%s' failed%s", trying->build, is_run ? "" : " by a signal");
    return status == 0;
}

static size_t count_words(char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    return count;
}

static off_t size_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? file.st_size : 0;
}

/* Records the command; `trace` is then the file's name.  OCaml's library, where it is linked, writes a trace of its own heap, which
 * says more than that of malloc. */
static bool record(const struct trying *trying, const char *name, char trace[TRACE_BYTES])
{
    char native[TRACE_BYTES], ocaml[TRACE_BYTES];
    size_t count = count_words(trying->command), used = 0;
    char **words = calloc(count + 8, sizeof *words);
    bool is_run;
    if (!words)
        return cli_out_of_memory(), false;
    snprintf(native, sizeof native, "%s/%s.ctf", trying->folder, name);
    snprintf(ocaml, sizeof ocaml, "%s/%s-ocaml.ctf", trying->folder, name);
    setenv("MEMTRACE", ocaml, 1);
    setenv("MEMTRACE_RATE", trying->all ? "1" : "1e-2", 0);
    for (const char *const *word = (const char *const[]){"heaptap", "record", "-q", "-o", native,
                                                         trying->all ? "--all" : "--", NULL};
         *word; word++)
        words[used++] = (char *)*word;
    if (trying->all)
        words[used++] = (char *)"--";
    memcpy(words + used, trying->command, (count + 1) * sizeof *words);
    int status = run(trying, "/proc/self/exe", words, &is_run);
    free(words);
    snprintf(trace, TRACE_BYTES, "%s", size_of(ocaml) > 0 ? ocaml : native);
    if (status != 0 && size_of(trace) > 0)
        cli_warn("%s: ended with status %d", trying->command[0], status);
    else if (size_of(trace) == 0)
        cli_warn("%s: nothing was recorded", trying->command[0]);
    return size_of(trace) > 0;
}

/* ---- Sides --------------------------------------------------------------------------- */

static bool take_side(struct trying *trying, int side, struct report *report)
{
    bool done = trial_add(&trying->trial, side, report);
    if (done && side == 0)
        done = source_watch_add(&trying->watch, report->input.model, trying->question.source_path);
    if (!done)
        cli_out_of_memory();
    return done;
}

/* Reads a side; of that before, says the advice, as far as text goes to standard output. */
static bool read_side(struct trying *trying, int side, const char *trace, int *status)
{
    struct question question = question_of(report_entry_find("advice"));
    struct report report;
    question.path = trace;
    question.source_path = trying->question.source_path;
    if (!report_open(&report, &question, status)) {
        question_release(&question);
        return false;
    }
    struct report_command_sources sources = report_command_sources(&question);
    report.sources = &sources.sources;
    bool done = take_side(trying, side, &report);
    report.sources = NULL;
    report_close(&report);
    if (done && side == 0 && trying->question.format == REPORT_TEXT)
        report_command_answer(&question);
    question_release(&question);
    if (!done)
        *status = CLI_FAILED;
    return done;
}

/* Until the build succeeds.  False: in vain. */
static bool wait_and_build(struct trying *trying)
{
    bool has_terminal = isatty(STDIN_FILENO);
    if (trying->watch.count == 0 && !has_terminal) {
        cli_warn(
            "none of the program's sources is found below the present folder: name theirs by --source-path");
        return false;
    }
    fflush(stdout); /* the advice, which stands before that in a file or pipe, too */
    do {
        fprintf(stderr, "\nWaiting for a change of %zu source file%s%s ...\n", trying->watch.count,
                trying->watch.count == 1 ? "" : "s", has_terminal ? ", or Enter" : "");
        if (source_watch_wait(&trying->watch, trying->wait_seconds) == WATCH_LATE) {
            cli_warn("no source has changed within %ld s", trying->wait_seconds);
            return false;
        }
    } while (!build(trying));
    return true;
}

static int put(struct trying *trying)
{
    int status = CLI_DONE;
    struct answer *answer = answer_output_open(trying->question.format, &status);
    if (!answer)
        return status;
    trial_put(answer, &trying->trial);
    return answer_output_close(answer, true, CLI_DONE);
}

static int try_it(struct trying *trying)
{
    char before[TRACE_BYTES], after[TRACE_BYTES];
    int status = CLI_BAD_INPUT;
    if (!record(trying, "before", before) || !read_side(trying, 0, before, &status))
        return status;
    status = CLI_BAD_INPUT;
    if (!wait_and_build(trying) || !record(trying, "after", after) ||
        !read_side(trying, 1, after, &status))
        return status;
    return put(trying);
}

int cmd_try(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("trial");
    struct trying trying = {.question = question_of(entry)};
    const struct command_line line = report_line(entry, check);
    cli_parse(rows, &line, argc, argv, ARGP_IN_ORDER, &trying);
    if (!temporary_folder(trying.folder)) {
        cli_warn("a folder in %s: %s", temporary_place(), strerror(errno));
        return CLI_FAILED;
    }
    int status = try_it(&trying);
    temporary_folder_remove(trying.folder);
    source_watch_release(&trying.watch);
    trial_release(&trying.trial);
    question_release(&trying.question);
    return status;
}
