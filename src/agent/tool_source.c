/* source: functions line by line, with the bytes beside. */
#include "agent/next.h"
#include "agent/tool.h"

static json_t *schema(const struct agent_options *options)
{
    (void)options;
    return tool_schema(
        json_pack(
            "{s:o,s:o,s:o,s:o}", "file",
            tool_property("string", "A recording or profile, as `files` lists it"), "function",
            tool_property("string", "A regular expression of functions' names"), "filter",
            tool_property("string", "Clauses, as in `ask`"), "sample",
            tool_property("string", "alloc_space (the default), alloc_objects, inuse_space, ...")),
        "file function");
}

static bool begin(struct call *call)
{
    const char *function = call_need(call, "function"), *sample = call_text(call, "sample");
    if (call->error.status != HEAPTAP_OK)
        return false;
    words_add(&call->command, "%s", call->options->heaptap);
    words_add(&call->command, "list");
    words_add(&call->command, "--json");
    if (sample)
        words_add(&call->command, "--sample=%s", sample);
    if (!call_add_filter(call) || !call_add_file(call, "file"))
        return false;
    words_add(&call->command, "%s", function);
    return true;
}

static void finish(struct call *call, int status)
{
    json_t *answer = call_answer(call, status);
    const char *filter = json_string_value(json_object_get(call->arguments, "filter"));
    if (answer)
        call->result =
            tool_result(call, answer,
                        next_questions("list", answer,
                                       json_string_value(json_object_get(call->arguments, "file")),
                                       filter ? filter : ""));
}

const struct tool tool_source = {
    .name = "source",
    .title = "Look at source lines",
    .description =
        "Functions line by line: what each line allocates itself (flat) and with what it calls (cum), beside "
        "its source where that is below the root.",
    .schema = schema,
    .begin = begin,
    .finish = finish,
};
