/* record: runs one of the programs that the agent was started with, and records it. */
#include <stdlib.h>
#include <string.h>

#include "agent/root.h"
#include "agent/tool.h"

enum { SAID_MOST = 2000, SECONDS_USUAL = 60, SECONDS_MOST = 3600 };

static json_t *schema(const struct agent_options *options)
{
    json_t *program = tool_property("string", "Which program: one of those named"),
           *names = json_array();
    for (size_t i = 0; i < options->program_count; i++)
        json_array_append_new(names, json_string(options->programs[i]));
    json_object_set_new(program, "enum", names);
    json_t *arguments = tool_property("array", "Its arguments");
    json_object_set_new(arguments, "items", json_pack("{s:s}", "type", "string"));
    return tool_schema(
        json_pack(
            "{s:o,s:o,s:o,s:o,s:o}", "program", program, "arguments", arguments, "name",
            tool_property("string", "Of the recording, such as before.ctf: a new file in the root"),
            "rate",
            tool_property(
                "string",
                "Samples per 8-byte word, such as 1e-4; `all` records every allocation. Use the "
                "same for recordings that you compare"),
            "seconds", tool_property("integer", "The program is ended after this time (60)")),
        "program name");
}

static bool is_allowed(const struct call *call, const char *program)
{
    for (size_t i = 0; i < call->options->program_count; i++)
        if (strcmp(call->options->programs[i], program) == 0)
            return true;
    return false;
}

static bool add_rate(struct call *call)
{
    const char *rate = call_text(call, "rate");
    if (rate && strcmp(rate, "all") == 0)
        words_add(&call->command, "--all");
    else if (rate)
        words_add(&call->command, "--rate=%s", rate);
    return call->error.status == HEAPTAP_OK;
}

static bool add_arguments(struct call *call)
{
    const json_t *argument, *arguments = json_object_get(call->arguments, "arguments");
    size_t i;
    if (arguments && !json_is_array(arguments) && !json_is_null(arguments))
        return call_refuse(call, "'arguments' takes a list of texts");
    json_array_foreach (arguments, i, argument) {
        if (!json_is_string(argument))
            return call_refuse(call, "'arguments' takes a list of texts");
        words_add(&call->command, "%s", json_string_value(argument));
    }
    return true;
}

static bool take_seconds(struct call *call)
{
    const json_t *seconds = json_object_get(call->arguments, "seconds");
    json_int_t value =
        seconds && !json_is_null(seconds) ? json_integer_value(seconds) : SECONDS_USUAL;
    if (value < 1 || value > SECONDS_MOST)
        return call_refuse(call, "'seconds' takes a whole number from 1 to %d", SECONDS_MOST);
    call->seconds = (long)value;
    return true;
}

static bool begin(struct call *call)
{
    const char *program = call_need(call, "program"),
               *name = program ? call_need(call, "name") : NULL;
    if (!name)
        return false;
    if (!is_allowed(call, program))
        return call_refuse(
            call, "'%.100s' may not be run: heaptap agent was not started with --allow-run=%.100s",
            program, program);
    char *path = root_new_file(call->options->root, name, &call->error);
    if (!path)
        return false;
    words_add(&call->command, "%s", call->options->heaptap);
    words_add(&call->command, "record");
    words_add(&call->command, "--no-follow");
    words_add(&call->command, "--output=%s", name); /* it runs in the root */
    free(path);
    if (!add_rate(call) || !take_seconds(call))
        return false;
    words_add(&call->command, "--");
    words_add(&call->command, "%s", program);
    return add_arguments(call);
}

/* The end of what was said, which is where results and errors stand. */
static json_t *last_of(const struct text *text)
{
    size_t from = text->size > SAID_MOST ? text->size - SAID_MOST : 0;
    while (from > 0 && from < text->size && ((unsigned char)text->bytes[from] & 0xc0) == 0x80)
        from++;
    json_t *string = json_stringn(text->size ? text->bytes + from : "", text->size - from);
    return string ? string : json_string("(bytes that are no text)");
}

static void finish(struct call *call, int status)
{
    const char *name = json_string_value(json_object_get(call->arguments, "name"));
    char *path = root_file(call->options->root, name, &call->error);
    if (!path) { /* nothing was recorded: what was said tells why */
        call->error = (struct heaptap_error){0};
        json_decref(call_answer(call, 128));
        return;
    }
    free(path);
    json_t *answer = json_pack("{s:s,s:i,s:b,s:o,s:o}", "file", name, "status", status,
                               "ended_for_time", call->job.is_late, "output",
                               last_of(&call->job.said), "summary", last_of(&call->job.warned));
    json_t *next = json_pack("[{s:s,s:{s:s,s:s},s:s}]", "tool", "ask", "arguments", "file", name,
                             "report", "hotspots", "why", "which places allocate most");
    call->result = tool_result(call, answer, next);
}

const struct tool tool_record = {
    .name = "record",
    .title = "Record a program",
    .description =
        "Runs a program and records where it allocates. Choose a run that is short, repeatable and does the "
        "work in question; record it again in the same way after a change, and compare.",
    .is_writing = true,
    .schema = schema,
    .begin = begin,
    .finish = finish,
};
