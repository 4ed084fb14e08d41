/* heaptap memtracer: runs a program of an interpreted language with a tap in its interpreter's
 * heap, and tells which of its lines allocate what. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affix.h"
#include "cli/answer_output.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/filtering.h"
#include "cli/memtracer/interpreter.h"
#include "cli/memtracer/options.h"
#include "cli/memtracer/results.h"
#include "cli/next.h"
#include "cli/output_file.h"
#include "cli/record/run.h"
#include "cli/record/running.h"
#include "cli/record/trace_name.h"
#include "cli/record/variables.h"
#include "cli/report_output.h"
#include "tap/inside/environment.h"
#include "trace/mend.h"

/* ---- Running --------------------------------------------------------------------------------- */

/* Does a clause look at more of a stack than its end? */
static bool asks_for_calls(const struct filter *filter)
{
    bool asks = false;
    for (size_t i = 0; i < filter->count; i++)
        asks |= filter->clauses[i].word != FILTER_SITE && filter->clauses[i].word != FILTER_TYPE &&
                filter->clauses[i].word != FILTER_TAG;
    return asks;
}

/* A report by function or as a tree of calls is of stacks. */
static bool needs_stacks(const struct memtracer_settings *settings)
{
    const struct memtracer_question *table = memtracer_own(&settings->question);
    return table->stacks || asks_for_calls(&settings->filter) || settings->trace ||
           settings->question_count > 0 || continuous_is_asked(&settings->continuous) ||
           table->rows == MEMTRACER_FUNCTIONS || table->rows == MEMTRACER_CALLS;
}

static bool is_to_file(const struct memtracer_settings *settings)
{
    return settings->output_file && strcmp(settings->output_file, "-") != 0;
}

/* Then standard output holds nothing else, so that it can be piped: the program's own goes to
 * standard error. */
static bool has_data_on_output(const struct memtracer_settings *settings)
{
    return (settings->question.format == REPORT_JSON || settings->question.format == REPORT_CSV ||
            questions_are_for_programs(settings->questions, settings->question_count)) &&
           !is_to_file(settings) && !settings->quiet;
}

static bool run(const struct memtracer_settings *settings, const struct launch *launch,
                const char *folder, const char *trace, struct continuous *continuous,
                struct run_result *result)
{
    char *preload = launch_preload(launch->path);
    const struct variable variables[] = {
        {GUEST_FOLDER, folder},
        {GUEST_TRACE, trace},
        {GUEST_RATE, settings->rate},
        {GUEST_STACKS, needs_stacks(settings) ? "1" : NULL},
        {GUEST_FAST, settings->fast ? "1" : NULL},
        {"LD_PRELOAD", preload},
    };
    size_t count = sizeof variables / sizeof *variables - (preload ? 0 : 1);
    char **environment = variables_replaced(variables, count);
    int own_output = has_data_on_output(settings) ? run_lend_output() : -1;
    bool ran = environment && run_command(launch->path, launch->arguments, environment,
                                          continuous ? continuous_start : NULL, continuous, result);
    run_take_output_back(own_output);
    if (!ran)
        cli_warn("%s: %s", launch->path, strerror(errno));
    variables_free(environment);
    free(preload);
    return ran;
}

/* ---- Telling ---------------------------------------------------------------------- */

/* A child that outlives the program, and goes on. */
static bool is_running(const struct guest_profile *profile, pid_t ended)
{
    pid_t pid = (pid_t)profile->pid;
    return pid != ended && process_is_writing(pid, NULL, true);
}

struct told {
    const struct results *results;
    const struct memtracer_settings *settings;
    struct memtracer_process *processes; /* one for each of the results */
};

static bool print_report(void *context, FILE *to)
{
    const struct told *told = context;
    struct answer *answer = answer_output_on(to, told->settings->question.format);
    if (!answer)
        return false;
    bool done = memtracer_put(answer, memtracer_own(&told->settings->question), told->processes,
                              told->results->count);
    return answer_close(answer) && done;
}

static int write_report(const struct results *results, const struct memtracer_settings *settings,
                        pid_t first)
{
    if (settings->question_count > 0)
        return questions_ask(settings->questions, settings->question_count, results,
                             settings->output_file);
    struct told told = {results, settings, calloc(results->count, sizeof *told.processes)};
    if (!told.processes)
        return cli_out_of_memory();
    for (size_t i = 0; i < results->count; i++)
        told.processes[i] = (struct memtracer_process){&results->processes[i],
                                                       is_running(&results->processes[i], first)};
    int status = report_output_write(settings->output_file, print_report, &told);
    free(told.processes);
    return status;
}

/* Traces of programs that were killed become ones that memtrace's own tools read, too. */
static void finish_traces(const struct results *results, pid_t ended)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct guest_profile *process = &results->processes[i];
        struct heaptap_error error = {0};
        struct stat status;
        if (!process->trace || is_running(process, ended) || stat(process->trace, &status) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        if (trace_mend(process->trace, &error) != HEAPTAP_OK)
            cli_warn("%s: stays as the program left it, which heaptap can read, but not memtrace's "
                     "own tools: %s",
                     process->trace, error.message);
    }
}

/* ---- The Fermi check -------------------------------------------------------------- */

/* What was not watched can't be as expected, were it 0. */
static bool has_recorded(const struct results *results)
{
    double blocks = 0;
    for (size_t i = 0; i < results->count; i++)
        for (size_t k = 0; k < results->processes[i].heap_count; k++)
            blocks += results->processes[i].heaps[k].allocated;
    return blocks > 0;
}

static int check_expectations(const struct results *results,
                              const struct memtracer_settings *settings)
{
    struct expectation recorded = {0};
    for (size_t i = 0; i < results->count; i++) {
        struct guest_table table;
        for (size_t k = 0; k < results->processes[i].heap_count; k++)
            recorded.peak += results->processes[i].heaps[k].peak_bytes -
                             results->processes[i].heaps[k].start_live_bytes;
        if (!guest_table_make(&table, &results->processes[i], GUEST_BY_LINE,
                              &memtracer_own(&settings->question)->limits)) {
            cli_warn("out of memory");
            return CLI_FAILED;
        }
        for (size_t row = 0; row < table.count; row++) {
            const struct guest_tally *tally = &table.rows[row].self;
            recorded.objects += tally->of[GUEST_COUNT] - tally->of[GUEST_START_COUNT];
            recorded.bytes += tally->of[GUEST_BYTES] - tally->of[GUEST_START_BYTES];
        }
        guest_table_release(&table);
    }
    return expectation_judge(&settings->expectation, &recorded, !has_recorded(results));
}

/* ---- All of it -------------------------------------------------------------------- */

/* `lua -E` reads no LUA_INIT, which is how the tap gets into a Lua within a program.  Options end
 * at the first word that is none. */
static bool shuts_tap_out(const struct launch *launch)
{
    if (!begins_with(path_file(launch->arguments[0]), "lua"))
        return false;
    for (char **word = launch->arguments + 1; *word && (*word)[0] == '-'; word++)
        if (strcmp(*word, "-E") == 0)
            return true;
    return false;
}

static void tell_nothing(const struct launch *launch)
{
    if (shuts_tap_out(launch))
        cli_warn("nothing was recorded: with -E, %s ignores LUA_INIT, which heaptap needs; "
                 "run it without -E",
                 launch->arguments[0]);
    else
        cli_warn("nothing was recorded: no interpreter that heaptap knows ran (Lua 5.4, CPython "
                 "from 3.11 on, or one that embeds heaptap/guest.h)");
}

static int tell(const struct memtracer_settings *settings, const struct launch *launch,
                const char *folder, const struct run_result *result)
{
    struct results results;
    if (!results_read(&results, folder, result->pid, false)) {
        results_release(&results);
        return CLI_FAILED;
    }
    finish_traces(&results, result->pid);
    int status = CLI_DONE;
    for (size_t i = 0; i < results.count && settings->filter.count > 0 && status == CLI_DONE; i++)
        filtering_match(&results.processes[i].matcher, results.processes[i].model,
                        &settings->filter, &status);
    if (status != CLI_DONE)
        ;
    else if (results.count == 0)
        tell_nothing(launch);
    else if (!settings->quiet || settings->output_file)
        status = write_report(&results, settings, result->pid);
    if (status == CLI_DONE && expectation_is_given(&settings->expectation))
        status = check_expectations(&results, settings);
    if (status == CLI_DONE && results.count > 0 && settings->trace && !results.processes[0].trace) {
        cli_warn("%s: the trace can't be written", settings->trace);
        status = CLI_FAILED;
    }
    if (status == CLI_DONE && results.count > 0 && settings->trace && isatty(STDERR_FILENO))
        next_print("memtracer", settings->trace, NULL, stderr);
    results_release(&results);
    return status;
}

/* Nothing runs whose results would be lost. */
static int check_outputs(const struct memtracer_settings *settings)
{
    const char *paths[] = {settings->trace, settings->output_file};
    int spares = settings->output_file ? output_file_spares(settings->output_file) : 0;
    if (spares)
        return output_file_fail(settings->output_file, "this", spares);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int code = paths[i] ? output_file_check(paths[i]) : 0;
        if (code)
            return output_file_fail(paths[i], "this", code);
    }
    return CLI_DONE;
}

/* The absolute name of the trace that is written; NULL with errno, or where there is none. */
static char *trace_for(const struct memtracer_settings *settings, const char *folder)
{
    errno = 0;
    return settings->trace                ? trace_name_absolute(settings->trace)
           : settings->question_count > 0 ? questions_trace(folder, settings->command)
                                          : NULL;
}

static int run_and_tell(const struct memtracer_settings *settings, const struct launch *launch,
                        const char *folder, bool *is_misasked)
{
    struct run_result result;
    int status = CLI_FAILED;
    char *trace = trace_for(settings, folder);
    if (!trace && errno) {
        cli_warn("%s: %s", settings->trace ? settings->trace : folder, strerror(errno));
        return status;
    }
    bool is_continuous = continuous_is_asked(&settings->continuous);
    struct continuous *continuous =
        is_continuous ? continuous_new(&settings->continuous, folder) : NULL;
    if ((continuous || !is_continuous) &&
        run(settings, launch, folder, trace, continuous, &result)) {
        if (continuous)
            continuous_end(continuous, result.pid);
        if (result.exec_errno)
            cli_warn("%s: %s", launch->path, strerror(result.exec_errno));
        else
            status = tell(settings, launch, folder, &result);
        *is_misasked = settings->question_count > 0 && !settings->trace && status == CLI_USAGE;
        if (*is_misasked)
            cli_warn("the program has run, and its trace is kept: %s", trace);
        if (result.exec_errno || run_exit_status(&result) != 0)
            status = run_exit_status(&result);
    }
    continuous_free(continuous);
    free(trace);
    return status;
}

static int launch(const struct memtracer_settings *settings, const struct launch *launch)
{
    bool is_misasked = false;
    char *folder = results_folder_make(settings->question_count > 0 && !settings->trace);
    if (!folder)
        return CLI_FAILED;
    int status = run_and_tell(settings, launch, folder, &is_misasked);
    results_folder_remove(folder, is_misasked);
    free(folder);
    return status;
}

int cmd_memtracer(int argc, char **argv)
{
    struct memtracer_settings settings;
    struct launch found;
    cli_let_reader_leave();
    run_raise_files();
    memtracer_parse(argc, argv, &settings);
    int status = check_outputs(&settings);
    if (status != CLI_DONE)
        return status;
    status = launch_find(&found, &settings);
    if (status == 0)
        status = launch(&settings, &found);
    launch_release(&found);
    filter_release(&settings.filter);
    question_release(&settings.question);
    for (int i = 0; i < settings.question_count; i++)
        question_words_release(&settings.questions[i]);
    return status;
}
