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
                  tool_property("string", "Clauses, as in `ask`, on both"), "smallest",
                  tool_property("string", "The smallest change that matters, as part of the "
                                          "larger of both totals: 1% is the default, 0 for any")),
        "before after");
}

static bool begin(struct call *call)
{
    const char *smallest = call_text(call, "smallest");
    words_add(&call->command, "%s", call->options->heaptap);
    words_add(&call->command, "compare");
    words_add(&call->command, "--json");
    words_add(&call->command, "--node-count=%d", ROWS_USUAL);
    if (smallest)
        words_add(&call->command, "--smallest=%s", smallest);
    return call_add_filter(call) && call_add_file(call, "before") && call_add_file(call, "after");
}

static void finish(struct call *call, int status)
{
    json_t *answer = call_answer(call, status);
    const char *after = json_string_value(json_object_get(call->arguments, "after"));
    const char *filter = json_string_value(json_object_get(call->arguments, "filter"));
    if (answer)
        call->result = tool_result(call, answer,
                                   next_questions("compare", answer, after, filter ? filter : ""));
}

const struct tool tool_compare = {
    .name = "compare",
    .title = "Compare two recordings",
    .description =
        "What changed from one recording to another: totals, each with a verdict (is it beyond chance, does it depend on "
        "when a garbage collector ran), reasons to doubt the comparison, and the functions that grew, shrank, came or "
        "went. Record the same work at the same rate for both.",
    .schema = schema,
    .begin = begin,
    .finish = finish,
};
