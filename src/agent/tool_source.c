/* source: functions line by line, with the bytes beside. */
#include "agent/result.h"
#include "agent/tool.h"

static const struct argument arguments[] = {
    ARGUMENT_OF_FILE,
    {"function", ARGUMENT_TEXT, true, "A regular expression of functions' names"},
    ARGUMENT_OF_FILTER,
    {"sample", ARGUMENT_TEXT, false, "alloc_space (the default), alloc_objects, inuse_space, ..."},
    ARGUMENT_OF_JSON,
    {NULL},
};

static bool begin(struct call *call)
{
    const char *sample = call_text(call, "sample");
    call_command(call, "list");
    if (sample)
        words_add(&call->command, "--sample=%s", sample);
    call_end_options(call);
    if (!call_add_file(call, call_text(call, "file")))
        return false;
    words_add(&call->command, "%s", call_text(call, "function"));
    return true;
}

static const char *report(const struct call *call)
{
    (void)call;
    return "list";
}

const struct tool tool_source = {
    .name = "source",
    .title = "Look at source lines",
    .description =
        "Functions line by line: what each line allocates itself (flat) and with what it calls (cum), beside "
        "its source where that is below the root.",
    .arguments = arguments,
    .answer = "list",
    .begin = begin,
    .finish = result_take,
    .report = report,
};
