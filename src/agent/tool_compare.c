/* compare: what changed between two recordings. */
#include "agent/result.h"
#include "agent/tool.h"

enum { ROWS_USUAL = 20 };

static const struct argument arguments[] = {
    {"before", ARGUMENT_TEXT, true, "The recording before the change"},
    {"after", ARGUMENT_TEXT, true, "The recording after it"},
    {"filter", ARGUMENT_TEXT, false, "Clauses, as in `ask`, on both"},
    {"smallest", ARGUMENT_TEXT, false,
     "The smallest change that matters, as part of the larger of both totals: 1% is the default, 0 for any"},
    ARGUMENT_OF_JSON,
    {NULL},
};

static bool begin(struct call *call)
{
    const char *smallest = call_text(call, "smallest");
    call_command(call, "compare");
    words_add(&call->command, "--node-count=%d", ROWS_USUAL);
    if (smallest)
        words_add(&call->command, "--smallest=%s", smallest);
    call_end_options(call);
    return call_add_file(call, call_text(call, "before")) &&
           call_add_file(call, call_text(call, "after"));
}

const struct tool tool_compare = {
    .name = "compare",
    .title = "Compare two recordings",
    .description =
        "What changed from one recording to another: totals, each with a verdict (is it beyond chance, does it depend on "
        "when a garbage collector ran), reasons to doubt the comparison, the functions that grew, shrank, came or "
        "went, and a budget that keeps what was gained. Record the same work at the same rate for both.",
    .arguments = arguments,
    .answer = "compare",
    .begin = begin,
    .finish = result_take,
};
