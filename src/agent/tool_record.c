/* record and diagnose: both run one of the commands that the agent was started with, record it as the command line does, and answer
 * with a report on that: the summary, or the diagnosis. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/root.h"
#include "agent/result.h"
#include "agent/tool.h"

enum { SAID_MOST = 600, SECONDS_USUAL = 60, SECONDS_MOST = 3600, DIAGNOSIS_MOST = 2000 };

static void put_commands(struct text *text, const struct agent_options *options)
{
    for (size_t i = 0; i < options->program_count; i++) {
        text_put_string(text, i ? ", `" : " `");
        text_put_string(text, options->programs[i]);
        text_put_char(text, '`');
    }
    if (options->program_count == 0)
        text_put_string(text, " none (--allow-run)");
}

#define OF_RECORDING                                                                                                               \
    {"rate", ARGUMENT_TEXT, false,                                                                                                 \
     "Samples per 8-byte word, such as 1e-4; `all` records every allocation. By default small programs are recorded exactly. Use " \
     "the same for recordings that you compare"},                                                                                  \
    {                                                                                                                              \
        "seconds", ARGUMENT_WHOLE, false, "The program is ended after this time (60)", 1,                                          \
            SECONDS_MOST                                                                                                           \
    }

static const struct argument record_arguments[] = {
    {"command", ARGUMENT_WORDS, true,
     "The program and its arguments, a list that begins with the words of one of:",
     .describe = put_commands},
    {"name", ARGUMENT_TEXT, true, "Of the recording, such as before.ctf: a new file in the root"},
    OF_RECORDING,
    ARGUMENT_OF_JSON,
    {NULL},
};

static const struct argument diagnose_arguments[] = {
    {"command", ARGUMENT_WORDS, false,
     "What to run and record: the program and its arguments, a list that begins with the words of one of:",
     .describe = put_commands},
    {"file", ARGUMENT_TEXT, false, "In place of `command`: a recording or profile that is there"},
    {"name", ARGUMENT_TEXT, false,
     "Of the recording, a new file in the root; by default after the program"},
    OF_RECORDING,
    ARGUMENT_OF_FILTER,
    ARGUMENT_OF_JSON,
    {NULL},
};

/* ---- What may be run ------------------------------------------------------------------------ */

/* Does the command begin with a program, or all words of one, that was named? */
static bool begins_with(const json_t *command, const char *allowed)
{
    const char *word = json_string_value(json_array_get(command, 0));
    if (strcmp(word, allowed) == 0)
        return true;
    for (size_t i = 0; *allowed; i++) {
        size_t size = strcspn(allowed, " ");
        word = json_string_value(json_array_get(command, i));
        if (!word || strlen(word) != size || strncmp(word, allowed, size) != 0)
            return false;
        allowed += size + strspn(allowed + size, " ");
    }
    return true;
}

static bool is_allowed(struct call *call, const json_t *command)
{
    for (size_t i = 0; i < call->options->program_count; i++)
        if (begins_with(command, call->options->programs[i]))
            return true;
    const char *word = json_string_value(json_array_get(command, 0));
    return call_refuse(
        call, "'%.100s' may not be run: heaptap agent was not started with --allow-run=%.100s",
        word, word);
}

/* ---- The recording -------------------------------------------------------------------------- */

/* "app-1.ctf": the first of such names that is free. */
static char *free_name(struct call *call, const json_t *command)
{
    const char *program = json_string_value(json_array_get(command, 0));
    const char *slash = strrchr(program, '/');
    struct heaptap_error taken;
    char name[64];
    for (int i = 1; i < 10000; i++) {
        int size = snprintf(name, sizeof name, "%.40s-%d.ctf", slash ? slash + 1 : program, i);
        for (char *at = name; at < name + size; at++)
            if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", *at) ||
                (at == name && strchr(".-", *at)))
                *at = '_';
        char *path = root_new_file(call->options->root, name, &taken);
        free(path);
        if (path)
            return strdup(name);
    }
    return NULL;
}

/* Where the recording goes, into call->file. */
static bool name_recording(struct call *call, const json_t *command)
{
    const char *name = call_text(call, "name");
    char *path = name ? root_new_file(call->options->root, name, &call->error) : NULL;
    free(path);
    if (name && !path)
        return false;
    call->file = name ? strdup(name) : free_name(call, command);
    return call->file;
}

static bool begin_recording(struct call *call)
{
    const json_t *word, *command = json_object_get(call->arguments, "command"),
                        *seconds = json_object_get(call->arguments, "seconds");
    const char *rate = call_text(call, "rate");
    size_t i;
    if (!is_allowed(call, command) || !name_recording(call, command))
        return false;
    call->seconds = seconds ? (long)json_integer_value(seconds) : SECONDS_USUAL;
    call_command(call, "record --json");
    words_add(&call->command, "--output=%s", call->file); /* it runs in the root */
    if (rate && strcmp(rate, "all") == 0)
        words_add(&call->command, "--all");
    else if (rate)
        words_add(&call->command, "--rate=%s", rate);
    words_add(&call->command, "--");
    json_array_foreach (command, i, word)
        words_add(&call->command, "%s", json_string_value(word));
    return true;
}

/* ---- What came of it ------------------------------------------------------------------------ */

static void say_process(struct call *call, const json_t *process)
{
    const char *recorded = json_string_value(json_object_get(process, "recorded"));
    const char *otherwise = json_string_value(json_object_get(process, "otherwise"));
    const char *stopped = json_string_value(json_object_get(process, "stopped"));
    const char *file = json_string_value(json_object_get(process, "file"));
    bool is_malloc = recorded && strcmp(recorded, "malloc") == 0;
    bool is_exact = json_is_true(json_object_get(process, "exact"));
    bool lacks_some = stopped || json_number_value(json_object_get(process, "dropped")) > 0;
    call_say(call, "file=%s: %s%s", file ? file : "?", recorded ? recorded : "still running",
             is_exact     ? ", every block"
             : lacks_some ? ", not every block"
                          : ", sampled");
    if (otherwise && is_malloc)
        call_say(call, "the program's own heap is not in it: %s", otherwise);
    if (stopped)
        call_say(call, "recording ended before the program: %s", stopped);
}

/* The end of what the program said, which is where results and errors stand. */
static void quote_end(struct call *call, const struct text *said)
{
    size_t from = said->size > SAID_MOST ? said->size - SAID_MOST : 0;
    if (said->size > 0)
        call_quote(call, said->bytes + from, said->size - from);
}

/* The command's process comes first. */
static void finish_recording(struct call *call, int status)
{
    enum { PROCESSES_MOST = 3 };
    const struct text *said = &call->job.said;
    char *path = root_file(call->options->root, call->file, &call->error);
    json_t *recording = said->size > 0 ? json_loadb(said->bytes, said->size, 0, NULL) : NULL;
    const json_t *process, *processes = json_object_get(recording, "processes");
    size_t i;
    if (!path) { /* what was said tells why */
        call->error = (struct heaptap_error){0};
        call->job.said.size = 0;
        call_failed(call, status);
        json_decref(recording);
        return;
    }
    free(path);
    call->text_budget = call->options->budget;
    call_say(call, "ran, with exit status %d%s", status,
             call->job.is_late ? ", ended for its time (`seconds`)" : "");
    json_array_foreach (processes, i, process)
        if (i < PROCESSES_MOST)
            say_process(call, process);
    if (json_array_size(processes) > PROCESSES_MOST)
        call_say(call, "and %zu more processes, as `files` lists them",
                 json_array_size(processes) - PROCESSES_MOST);
    if (status != 0 || call->tool == &tool_record)
        quote_end(call, &call->job.warned);
    json_object_set_new(call->arguments, "file", json_string(call->file));
    json_decref(recording);
    call->step = CALL_TEXT;
    call->seconds = call->options->timeout;
}

/* ---- The tools ------------------------------------------------------------------------------ */

static const char *report(const struct call *call)
{
    return call->tool == &tool_record ? "summary" : "diagnose";
}

static bool begin_report(struct call *call)
{
    const char *file = call_text(call, "file");
    call_command(call, report(call));
    call_end_options(call);
    return call_add_file(call, file);
}

static bool begin(struct call *call)
{
    const char *file = call_text(call, "file");
    if (call->step == CALL_RUN && file)
        return call_refuse(call, "either 'command' or 'file', not both");
    if (call->step != CALL_RUN && !file)
        return call_refuse(call, "'command' or 'file' is missing");
    return call->step == CALL_RUN ? begin_recording(call) : begin_report(call);
}

static void finish(struct call *call, int status)
{
    if (call->step == CALL_RUN)
        finish_recording(call, status);
    else
        result_take(call, status);
}

const struct tool tool_record = {
    .name = "record",
    .title = "Record a program",
    .description =
        "Runs a program, records where it allocates, in Python and Lua by lines of the script, and sums it up. Choose a run that is "
        "short, repeatable and does the work in question; record it again in the same way after a change, and compare.",
    .arguments = record_arguments,
    .answer = "summary",
    .is_writing = true,
    .runs = true,
    .begin = begin,
    .finish = finish,
    .report = report,
};

const struct tool tool_diagnose = {
    .name = "diagnose",
    .title = "Find the three costliest causes",
    .description =
        "Begin here. Runs a command and records it, or takes a recording, and names in at most 2 kB the three causes that cost most "
        "memory: each with its line, its callers' lines, what a remedy saves, and the `heaptap check` that keeps the gain. The "
        "recording stays, for further questions.",
    .arguments = diagnose_arguments,
    .answer = "diagnose",
    .most = DIAGNOSIS_MOST,
    .runs = true,
    .begin = begin,
    .finish = finish,
};
