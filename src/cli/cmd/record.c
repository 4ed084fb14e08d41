/* heaptap record: runs a command with the recorder inside, and tells what it allocated. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/same_file.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/lack.h"
#include "cli/output_file.h"
#include "cli/parse.h"
#include "cli/record/claim.h"
#include "cli/record/command_line.h"
#include "cli/record/ended.h"
#include "cli/record/guest.h"
#include "cli/record/kept_folder.h"
#include "cli/record/library.h"
#include "cli/record/program.h"
#include "cli/record/runtime_heap.h"
#include "cli/record/trace_name.h"
#include "cli/record/variables.h"
#include "tap/inside/environment.h"
#include "tap/inside/program.h"

/* Of OCaml programs: a MB of words has about a hundred samples. */
#define OCAML_RATE "1e-3"

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

static bool is_same_file(const char *path, const struct stat *file)
{
    struct stat other;
    return path && stat(path, &other) == 0 && S_ISREG(other.st_mode) && same_file(&other, file);
}

/* The recorder empties its file before the command reads a byte of it. */
static bool is_no_part_of_command(const struct record_settings *options, const char *output)
{
    struct stat file;
    if (stat(output, &file) != 0)
        return true;
    char *program = program_find(options->command[0]);
    bool is_part = is_same_file(program, &file);
    free(program);
    for (char **word = options->command; !is_part && *word; word++)
        is_part = is_same_file(*word, &file);
    if (is_part)
        cli_warn("%s: is the command's own file, or one that it is given; name another with -o",
                 output);
    return !is_part;
}

/* Two recordings into one file would leave one, damaged. */
static bool is_free(const struct record_settings *options, const char *output)
{
    bool free = claim_output(output);
    if (!free)
        cli_warn(
            "%s: another heaptap record is writing to it; wait until it ends, or give another name "
            "with -o",
            options->output);
    return free;
}

/* What is done to the command, and where it goes. */
struct plan {
    const struct record_settings *options;
    const char *library;  /* of the recorder */
    const char *path;     /* of the program */
    const char *language; /* whose lines are recorded; NULL: none */
    const char *output;   /* the pattern of names */
    struct guest_recording guest;
    struct continuous *continuous; /* NULL where there are no intervals */
};

/* With what the recorder reads; NULL with errno. */
static char **recorder_environment(const struct plan *plan, const char *preload, const char *notes)
{
    const struct record_settings *options = plan->options;
    const struct guest_recording *guest = &plan->guest;
    bool is_continuous = plan->continuous, is_profile = trace_name_is_profile(plan->output);
    char parent[16]; /* of the command's process */
    snprintf(parent, sizeof parent, "%d", (int)getpid());
    const struct variable variables[] = {
        {ENVIRONMENT_PRELOAD, preload},
        {SETTING_TRACE, plan->output},
        {SETTING_ALL, options->all ? "1" : NULL},
        {SETTING_BUDGET, record_has_budget(options) ? RECORD_BUDGET : NULL},
        {SETTING_CALLSTACK, options->callstack_size},
        {SETTING_CONTEXT, options->context},
        {SETTING_FOLLOW, options->follow ? "1" : "0"},
        {SETTING_DURATION, options->duration},
        {SETTING_MAX_SIZE, options->max_bytes[0] ? options->max_bytes : NULL},
        {SETTING_TOGGLE, options->toggle ? "1" : NULL},
        {SETTING_HOLDERS, options->holders ? parent : NULL},
        {SETTING_HOLDERS_ABOVE, options->holders_above[0] ? options->holders_above : NULL},
        {SETTING_HOLDERS_EVERY, options->holders_every[0] ? options->holders_every : NULL},
        {SETTING_START, options->paused ? "0" : NULL},
        {SETTING_RATE, record_rate(options)},
        {SETTING_NOTES, *notes ? notes : NULL},
        {SETTING_GUESTS, guest->language ? "1" : NULL},
        {SETTING_EVERY, is_continuous ? options->continuous.every : NULL},
        {SETTING_KEEP, *options->keep ? options->keep
                       : is_profile   ? SETTING_KEEP_BESIDE
                                      : NULL},
    };
    struct variable given[GUEST_VARIABLES + 1] = {{GUEST_NOTES, *notes ? notes : NULL}};
    memcpy(given + 1, guest->variables, sizeof guest->variables);
    return variables_put(given, guest->language ? GUEST_VARIABLES + 1 : 0, variables,
                         sizeof variables / sizeof *variables);
}

/* With what an OCaml program's own tracer reads. */
static char **ocaml_environment(const struct plan *plan)
{
    const struct record_settings *options = plan->options;
    const char *rate = options->all ? "1" : record_rate(options);
    const struct variable variables[] = {{"MEMTRACE", plan->output},
                                         {"MEMTRACE_RATE", rate ? rate : OCAML_RATE}};
    return variables_replaced(variables, sizeof variables / sizeof *variables);
}

/* Runs the command with what records it, or if nothing is to be preloaded, as it is. */
static bool run(const struct plan *plan, const char *preload, const char *notes,
                struct run_result *result)
{
    const struct record_settings *options = plan->options;
    struct continuous *continuous = plan->continuous;
    char **environment = options->is_ocaml ? ocaml_environment(plan)
                         : preload         ? recorder_environment(plan, preload, notes)
                                           : environ;
    int own_output = options->format == REPORT_TEXT ? -1 : run_lend_output();
    bool ran = environment && run_command(plan->path, options->command, environment,
                                          continuous ? continuous_start : NULL, continuous, result);
    run_take_output_back(own_output);
    if (!ran)
        cli_warn("%s: %s", plan->path, strerror(errno));
    if (environment != environ)
        variables_free(environment);
    return ran;
}

/* ---- The recording ------------------------------------------------------------------- */

static int tell_continuous(const struct record_settings *options, struct continuous *continuous,
                           const struct run_result *result, const struct notes *notes)
{
    if (continuous_end(continuous, result->pid) == 0 && !notes->explained && !options->quiet)
        ended_tell_nothing_sampled(options, result, notes);
    return CLI_DONE;
}

static bool records_all(const struct record_settings *options)
{
    const char *rate = record_rate(options);
    return options->all || (rate && strtod(rate, NULL) == 1);
}

/* Looks at the program, and at what it is to be started with: its environment, its limits. */
static bool judge(const struct record_settings *options, const char *path,
                  struct program_verdict *verdict)
{
    const char *preload = environment_last(environ, ENVIRONMENT_PRELOAD);
    const char *lack = options->has_files ? program_lacks_room(records_all(options))
                                          : " is started with less than 16 open files (ulimit -n)";
    program_judge(path, getenv("PATH"), verdict);
    if (verdict->kind == PROGRAM_REACHABLE && lack) {
        verdict->kind = PROGRAM_CRAMPED;
        snprintf(verdict->why, sizeof verdict->why, "%s%s", path, lack);
    }
    if (verdict->kind == PROGRAM_REACHABLE && preload && program_preloads_sanitizer(preload)) {
        verdict->kind = PROGRAM_SANITIZED;
        snprintf(verdict->why, sizeof verdict->why,
                 "%s is started with a sanitizer's runtime in LD_PRELOAD, which must come before "
                 "every other library",
                 path);
    }
    return verdict->kind == PROGRAM_REACHABLE;
}

static bool preload_and_run(const struct plan *plan, bool reachable, const char *notes,
                            struct run_result *result)
{
    const char *others = plan->guest.preload ? plan->guest.preload : getenv(ENVIRONMENT_PRELOAD);
    char *preload =
        reachable && !plan->options->is_ocaml ? library_preload(plan->library, others) : NULL;
    bool ran = run(plan, preload, notes, result);
    free(preload);
    return ran;
}

/* What the command has left; an exit status. */
static int tell(const struct plan *plan, const struct run_result *result, const struct notes *notes,
                const struct timespec *since)
{
    const struct record_settings *options = plan->options;
    bool has_guest_profiles = !plan->continuous && trace_name_is_profile(plan->output);
    bool all_saved =
        plan->continuous ||
        ended_save_kept(options, result); /* before an interpreter's, which may have that name */
    bool done = guest_end(&plan->guest, options, result, has_guest_profiles ? plan->output : NULL);
    int status = plan->continuous
                     ? tell_continuous(options, plan->continuous, result, notes)
                     : ended_tell(options, result, notes, all_saved,
                                  (int64_t)since->tv_sec * 1000000 + since->tv_nsec / 1000);
    return done ? status : CLI_FAILED;
}

/* Where no recording has told it. */
static void tell_heap(const struct plan *plan)
{
    const struct runtime_heap *heap = runtime_heap_of_file(plan->path);
    char *text = heap ? runtime_heap_text(heap, plan->path) : NULL;
    if (text)
        fprintf(stderr, "\n%s\n", text);
    free(text);
}

static int record(const struct plan *plan)
{
    const struct record_settings *options = plan->options;
    struct program_verdict verdict;
    struct run_result result;
    struct timespec now;
    struct notes notes;
    int status = CLI_DONE;
    bool reachable = judge(options, plan->path, &verdict);
    if (!reachable) /* with --quiet, too: nothing of what was asked for is there */
        lack_warn("%s: it runs without being recorded", verdict.why);
    notes_make(&notes);
    clock_gettime(CLOCK_REALTIME, &now);
    bool ran = preload_and_run(plan, reachable, notes.place, &result);
    if (ran)
        notes_print(&notes, options->quiet);
    notes.explained = notes.explained || !reachable;
    if (!ran) {
        notes_release(&notes);
        return CLI_FAILED;
    }
    if (result.exec_errno)
        cli_warn("%s: %s", plan->path, strerror(result.exec_errno));
    else
        status = tell(plan, &result, &notes, &now);
    notes_release(&notes);
    if (!result.exec_errno && !options->quiet && !plan->language &&
        (plan->continuous || !reachable))
        tell_heap(plan);
    int of_command = run_exit_status(&result);
    return of_command != 0 ? of_command : status;
}

static int record_continuous(struct plan *plan)
{
    int status = CLI_FAILED;
    kept_finish_folders(true);
    if (guest_begin(&plan->guest, plan->options, plan->language, NULL))
        plan->continuous = continuous_new(&plan->options->continuous, plan->guest.folder);
    if (plan->continuous) {
        plan->output = continuous_pattern(plan->continuous);
        status = record(plan);
    }
    continuous_free(plan->continuous);
    return status;
}

static void make_keep(struct record_settings *options)
{
    kept_finish_folders(false);
    if (!kept_folder_make(options->keep))
        options->keep[0] = 0;
}

static int record_named(struct plan *plan, struct record_settings *options)
{
    bool is_profile = trace_name_is_profile(plan->output);
    if (is_profile)
        make_keep(options);
    int status =
        guest_begin(&plan->guest, options, plan->language, is_profile ? NULL : plan->output)
            ? record(plan)
            : CLI_FAILED;
    if (*options->keep)
        kept_folder_leave(options->keep);
    return status;
}

static int record_trace(struct plan *plan, struct record_settings *options)
{
    char *output = trace_name_absolute(options->output);
    int status = CLI_FAILED;
    plan->output = output;
    if (!output)
        cli_warn("the present folder: %s; go to another, or give -o a path that begins with /",
                 strerror(errno));
    else if (is_writable(output) && is_no_part_of_command(options, output) &&
             is_free(options, output))
        status = record_named(plan, options);
    free(output);
    return status;
}

/* 127 or 126, with a message, where there is no such program; else 0, and its path, to be freed. */
static int find_command(const struct record_settings *options, char **path)
{
    *path = program_find(options->command[0]);
    if (*path)
        return 0;
    int code = errno;
    cli_warn("%s: %s", options->command[0], code == ENOENT ? "command not found" : strerror(code));
    return code == ENOENT ? 127 : 126;
}

/* Of an interpreter that can be recorded at all. */
static const char *choose_language(const struct record_settings *options, const char *path)
{
    struct program_verdict verdict;
    return judge(options, path, &verdict) ? guest_language(options, path) : NULL;
}

/* An OCaml program that traces its own heap is left to do so, unless it has been told where, or what is asked for is the
 * recorder's to do. */
static bool is_ocaml(const struct record_settings *options, const char *path)
{
    return !options->native && !continuous_is_asked(&options->continuous) && !options->holders &&
           !guest_stray(options, "OCaml") && !options->context &&
           (!options->output || !strchr(options->output, '%')) && !getenv("MEMTRACE") &&
           runtime_heap_has_memtrace(path);
}

static int refuse(const char *option, const char *language)
{
    cli_warn("%s is not for lines of %s: leave it out, or add --native to record the interpreter "
             "itself",
             option, language);
    return CLI_USAGE;
}

static int prepare(struct record_settings *options)
{
    char *path = NULL, *library = library_find();
    int status = library ? find_command(options, &path) : CLI_FAILED;
    if (path) {
        struct plan plan = {.options = options,
                            .library = library,
                            .path = path,
                            .language = choose_language(options, path)};
        options->is_ocaml = is_ocaml(options, path);
        const char *stray = plan.language ? guest_stray(options, plan.language) : NULL;
        status = stray                                       ? refuse(stray, plan.language)
                 : continuous_is_asked(&options->continuous) ? record_continuous(&plan)
                                                             : record_trace(&plan, options);
        guest_release(&plan.guest);
    }
    free(path);
    free(library);
    return status;
}

int cmd_record(int argc, char **argv)
{
    struct record_settings options = {.follow = true, .expectation = EXPECTATION_NONE};
    cli_let_reader_leave();
    cli_parse(record_rows, &record_line, argc, argv, ARGP_IN_ORDER, &options);
    options.has_files = run_raise_files();
    int status = prepare(&options);
    symbol_arguments_release(&options.symbols);
    return status;
}
