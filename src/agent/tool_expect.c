/* expect: an estimate that was made before looking, held against what was measured: `heaptap check` judges it. */
#include <string.h>

#include "agent/result.h"
#include "agent/tool.h"

/* What can be estimated, and the option of `heaptap check` for it. */
static const struct measure {
    const char *name, *option;
} measures[] = {
    {"allocated", "expect-bytes"},
    {"objects", "expect"},
    {"live", "expect-live-at-end"},
    {"peak", "expect-peak"},
};

static const char *measure_name(size_t i)
{
    return i < sizeof measures / sizeof measures[0] ? measures[i].name : NULL;
}

static const struct argument arguments[] = {
    ARGUMENT_OF_FILE,
    {"measure", ARGUMENT_TEXT, true,
     "allocated: bytes; objects: blocks; live: bytes alive at the end; peak: bytes alive at once",
     .word = measure_name},
    {"estimate", ARGUMENT_TEXT, true,
     "What you expect, before looking: 20MB, 317kB, 1.5M (objects)"},
    ARGUMENT_OF_FILTER,
    ARGUMENT_OF_JSON,
    {NULL},
};

static bool begin(struct call *call)
{
    size_t i = 0;
    while (strcmp(measures[i].name, call_text(call, "measure")) != 0)
        i++;
    call_command(call, "check");
    words_add(&call->command, "--verbose");
    words_add(&call->command, "--%s=%s", measures[i].option, call_text(call, "estimate"));
    call_end_options(call);
    return call_add_file(call, call_text(call, "file"));
}

const struct tool tool_expect = {
    .name = "expect",
    .title = "Check an estimate",
    .description =
        "Compares an estimate that you made before looking with what was measured. A difference of an order of magnitude "
        "means that something is misunderstood.",
    .arguments = arguments,
    .answer = "check",
    .begin = begin,
    .finish = result_take,
};
