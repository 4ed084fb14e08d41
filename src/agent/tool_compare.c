/* compare: what changed between two recordings. */
#include "agent/next.h"
#include "agent/tool.h"

enum { ROWS_USUAL = 20 };

static json_t *schema(const struct agent_options *options)
{
    (void)options;
    return tool_schema(
        json_pack("{s:o,s:o,s:o,s:o}", "before",
                  tool_property("string", "The recording before the change"), "after",
                  tool_property("string", "The recording after it"), "filter",
                  tool_property("string", "Clauses, as in `ask`, on both"), "sample",
                  tool_property("string", "alloc_space (the default), inuse_space, ...")),
        "before after");
}

static bool begin(struct call *call)
{
    const char *sample = call_text(call, "sample");
    words_add(&call->command, "%s", call->options->heaptap);
    words_add(&call->command, "diff");
    words_add(&call->command, "--json");
    words_add(&call->command, "--node-count=%d", ROWS_USUAL);
    if (sample)
        words_add(&call->command, "--sample=%s", sample);
    return call_add_filter(call) && call_add_file(call, "before") && call_add_file(call, "after");
}

/* The totals of both as a ratio: what a change is judged by. */
static void add_ratio(json_t *answer)
{
    double before = json_number_value(json_object_get(answer, "base_total"));
    double after = json_number_value(json_object_get(answer, "new_total"));
    if (before > 0)
        json_object_set_new(answer, "total_change", json_real(after / before - 1));
}

static void finish(struct call *call, int status)
{
    json_t *answer = call_answer(call, status);
    const char *filter = json_string_value(json_object_get(call->arguments, "filter"));
    if (!answer)
        return;
    add_ratio(answer);
    call->result = tool_result(
        call, answer,
        next_questions("diff", answer, json_string_value(json_object_get(call->arguments, "after")),
                       filter ? filter : ""));
}

const struct tool tool_compare = {
    .name = "compare",
    .title = "Compare two recordings",
    .description =
        "What changed from one recording to another: totals, and the functions that grew, shrank, came or "
        "went. Record the same work at the same rate for both.",
    .schema = schema,
    .begin = begin,
    .finish = finish,
};
