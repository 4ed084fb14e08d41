#include "cli/record/guest.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/memtracer/guest_intervals.h"
#include "cli/memtracer/interpreter.h"
#include "cli/memtracer/results.h"
#include "cli/pprof_output.h"
#include "cli/record/program.h"
#include "cli/record/running.h"
#include "cli/record/trace_name.h"
#include "pprof/write/encode.h"
#include "spec/pprof_fields.h"
#include "tap/inside/environment.h"
#include "tap/inside/interpreter.h"
#include "tap/inside/name_pattern.h"

/* Where profiles of intervals are made, and no rate is given: a block of 8 kB has a sample. */
#define RATE_OF_INTERVALS "0.001"

/* ---- Choosing ------------------------------------------------------------------------ */

/* The program that the command runs: that behind env(1), or its own.  To be freed; NULL where it can't be told. */
static char *program_of(char *const *command, const char *path)
{
    int at = 1;
    if (strcmp(path_file(path), "env") != 0)
        return strdup(path);
    while (command[at] && (command[at][0] == '-' || strchr(command[at], '=')))
        at++;
    return command[at] ? program_find(command[at]) : NULL;
}

/* Some version managers have scripts of the interpreter's name in its place. */
static const char *language_of_shim(const char *program, const char *behind)
{
    char *real = realpath(program, NULL);
    bool is_shim = real && strcmp(real, behind) != 0 && interpreter_has_name(program);
    free(real);
    return !is_shim ? NULL : begins_with(path_file(program), "lua") ? "Lua" : "Python";
}

/* The interpreter of Lua doesn't let us in then. */
static bool ignores_lua_init(char *const *command, const char *language)
{
    for (char *const *word = command + 1; strcmp(language, "Lua") == 0 && *word && **word == '-';
         word++)
        if (strcmp(*word, "-E") == 0)
            return true;
    return false;
}

static const char *judge(const struct record_settings *settings, const char *program,
                         const char *behind)
{
    struct interpreter interpreter;
    interpreter_judge(behind, &interpreter);
    if (!interpreter.language)
        return language_of_shim(program, behind);
    if (!interpreter.fault && ignores_lua_init(settings->command, interpreter.language))
        interpreter.fault = "with -E Lua ignores LUA_INIT, which lines need";
    if (interpreter.fault && !settings->quiet)
        cli_warn("%s: the interpreter itself is recorded, as with --native: %s", program,
                 interpreter.fault);
    return interpreter.fault ? NULL : interpreter.language;
}

const char *guest_language(const struct record_settings *settings, const char *path)
{
    char *program = settings->native ? NULL : program_of(settings->command, path);
    char *behind = program ? program_behind(program) : NULL;
    const char *language = behind ? judge(settings, program, behind) : NULL;
    free(behind);
    free(program);
    return language;
}

const char *guest_stray(const struct record_settings *settings, const char *language)
{
    return settings->holders_above[0]                   ? "--holders-above"
           : settings->holders_every[0]                 ? "--holders-every"
           : settings->holders && record_rate(settings) ? "--holders"
           : settings->callstack_size                   ? "--callstack-size"
           : !settings->follow                          ? "--no-follow"
           : settings->duration                         ? "--duration"
           : settings->max_bytes[0]                     ? "--max-size"
           : settings->paused                           ? "--paused"
           : settings->toggle                           ? "--toggle"
                                                        : NULL;
}

/* ---- Beginning ----------------------------------------------------------------------- */

static void set_variables(struct guest_recording *guest, const struct record_settings *settings,
                          const char *output)
{
    const char *rate = record_rate(settings);
    bool is_of_intervals = continuous_is_asked(&settings->continuous);
    if (!rate && !settings->all && is_of_intervals)
        rate = RATE_OF_INTERVALS;
    snprintf(guest->record, sizeof guest->record, "%ld", (long)getpid());
    const struct variable variables[GUEST_VARIABLES] = {
        {GUEST_FOLDER, guest->folder},
        {GUEST_TRACE, output},
        {GUEST_RATE, settings->all ? NULL : rate},
        {GUEST_BUDGET, settings->all || rate ? NULL : RECORD_BUDGET},
        {GUEST_STACKS, "1"},
        {GUEST_RECORD, guest->record},
        {GUEST_CONTEXT, settings->context},
        {GUEST_HOLDERS, settings->holders ? "1" : NULL},
        {"LD_PRELOAD", guest->preload},
    };
    memcpy(guest->variables, variables, sizeof variables);
}

bool guest_begin(struct guest_recording *guest, const struct record_settings *settings,
                 const char *language, const char *output)
{
    *guest = (struct guest_recording){.language = language};
    if (!language)
        return true;
    guest->folder = results_folder_make(false);
    guest->preload = guest->folder ? guest_preload() : NULL;
    set_variables(guest, settings, output);
    return guest->folder;
}

void guest_release(struct guest_recording *guest)
{
    if (guest->folder)
        results_folder_remove(guest->folder, false);
    free(guest->folder);
    free(guest->preload);
}

/* ---- The end ------------------------------------------------------------------------- */

static void tell_notes(const struct guest_profile *process)
{
    for (size_t i = 0; i < process->note_count; i++)
        cli_warn("process %llu: %s", (unsigned long long)process->pid, process->notes[i]);
}

/* As the recorder names its own: the command's process has the pattern, others that of children, and a number where that is
 * taken. */
static bool name_profile(char name[PATH_MAX], const struct guest_profile *process,
                         const char *output, bool is_command)
{
    char child[PATH_MAX], first[PATH_MAX];
    bool fits = name_pattern_of_child(child, sizeof child, "", output) &&
                name_pattern_expand(name, PATH_MAX, is_command ? output : child,
                                    process->executable ? process->executable : "", process->pid,
                                    process->start_us);
    memcpy(first, name, sizeof first);
    for (uint64_t i = 2; fits && !is_command && access(name, F_OK) == 0; i++)
        fits = name_pattern_number(name, PATH_MAX, first, i);
    return fits;
}

/* A child that outlives the command: its profile is made now, of what there is. */
static void tell_running(const struct guest_profile *process, const struct run_result *result,
                         const char *output)
{
    if (process->pid != (uint64_t)result->pid &&
        process_is_writing((pid_t)process->pid, NULL, true))
        cli_warn("%s: process %llu is still running, and what it allocates from now on is in no "
                 "profile; a trace, -o FILE.ctf, goes on to its end",
                 output, (unsigned long long)process->pid);
}

static int encode(const void *model, struct heaptap_sink sink)
{
    return pprof_encode(model, sink);
}

/* As the recorder's own say it. */
static bool tell_recording(struct model *model)
{
    char comment[48];
    snprintf(comment, sizeof comment, PPROF_RECORDING "%ld", (long)getpid());
    return profile_add_comment(model, comment);
}

static bool write_profile(const struct guest_profile *process, const char *output, bool is_command)
{
    char name[PATH_MAX];
    struct model *model = guest_profile_pprof(process);
    if (!model || !tell_recording(model) || !name_profile(name, process, output, is_command)) {
        cli_warn("%s: %s", output, model ? "the name is too long" : "out of memory");
        model_free(model);
        return false;
    }
    int status = pprof_output_replace(name, OUTPUT_GZIP, encode, model);
    model_free(model);
    return status == CLI_DONE;
}

bool guest_end(const struct guest_recording *guest, const struct record_settings *settings,
               const struct run_result *result, const char *output)
{
    struct results results;
    bool done = true, is_named = false;
    if (!guest->language)
        return true;
    done = results_read(&results, guest->folder, result->pid, settings->quiet);
    for (size_t i = 0; i < results.count && done; i++) {
        const struct guest_profile *process = &results.processes[i];
        bool is_command = !is_named && process->pid == (uint64_t)result->pid;
        is_named |= is_command;
        if (!settings->quiet)
            tell_notes(process);
        if (output)
            tell_running(process, result, output);
        if (output && guest_profile_rows(process) > 0)
            done = write_profile(process, output, is_command);
    }
    results_release(&results);
    return done;
}
