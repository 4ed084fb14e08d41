/* heaptap services: who allocates how much, of the profiles of a store. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report_options.h"
#include "cli/store_input.h"
#include "report/services.h"

struct options {
    struct question report; /* the path is that of the store, with its conditions */
    const char *label;
};

enum { OPTION_BY = 1000 };

static const struct argp_option option_table[] = {
    {"by", OPTION_BY, "LABEL", 0,
     "A row for each value of another label, such as version or host (default: service)", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    struct question *question = &options->report;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] = question;
        return 0;
    case OPTION_BY:
        if (!label_is_key(argument, strlen(argument)))
            argp_error(state, "--by takes the name of a label, not '%s'", argument);
        options->label = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (!question->path && store_input_is(argument))
            question->path = argument;
        else if (question->path && store_input_takes(question->path, argument))
            question->path = store_input_with(question->path, argument);
        else
            argp_error(state,
                       question->path ? "'%s' is neither a label nor a time"
                                      : "'%s' is no store: say store:FILE",
                       argument);
        return 0;
    case ARGP_KEY_END:
        if (!question->path)
            argp_error(state, "no store given: say store:FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_count_argp, 0, NULL, 0},
                                             {&report_format_argp, 0, NULL, 0},
                                             {&report_markdown_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "store:FILE [NAME=VALUE...]",
    "Lists the services of a store, or the values of another label, with what they allocate and "
    "have in use.\v"
    "Conditions choose profiles by labels and time: version=1.4, host!=a7, 'time=last 24h'.",
    children,
    0,
    0};

/* ---- Rows ---------------------------------------------------------------------------- */

struct gathering {
    struct services services;
    size_t capacity;
    bool no_memory;
};

static void take_group(void *context, const struct store_group *group)
{
    struct gathering *gathering = context;
    struct services *services = &gathering->services;
    char *name = strdup(group->value);
    if (!name || !ARRAY_RESERVE(&services->items, &gathering->capacity, services->count + 1)) {
        free(name);
        gathering->no_memory = true;
        return;
    }
    services->items[services->count++] = (struct service){
        .name = name,
        .profiles = group->profiles,
        .series = group->series,
        .from_us = group->from_us,
        .until_us = group->until_us,
        .allocated = group->allocated,
        .allocated_error = group->allocated_variance >= 0 ? sqrt(group->allocated_variance) : -1,
        .in_use = group->in_use,
        .has_allocated = group->has_allocated,
        .has_in_use = group->has_in_use,
    };
    services->allocated += group->allocated;
}

static int put(const struct gathering *gathering)
{
    int status = CLI_DONE;
    if (gathering->no_memory)
        return cli_out_of_memory();
    struct answer *answer = answer_output_open(gathering->services.options->format, &status);
    if (!answer)
        return status;
    services_put(answer, &gathering->services);
    return answer_output_close(answer, true, status);
}

int cmd_services(int argc, char **argv)
{
    struct options options = {.report = question_default(), .label = "service"};
    struct store *store;
    struct store_selector selector;
    struct heaptap_error error;
    cli_parse(&argp, argc, argv, 0, &options);
    const char *path = options.report.path;
    struct gathering gathering = {
        .services = {.options = &options.report, .store = path, .label = options.label}};
    enum heaptap_status opened = store_input_choose(&store, &selector, path, &error);
    if (opened == HEAPTAP_OK)
        opened = store_groups(store, &selector, options.label, take_group, &gathering, &error);
    int status = opened == HEAPTAP_OK ? put(&gathering) : cli_fail(path, &error);
    store_close(store);
    for (size_t i = 0; i < gathering.services.count; i++)
        free(gathering.services.items[i].name);
    free(gathering.services.items);
    question_release(&options.report);
    return status;
}
