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

static int gather(const struct question *question, const char *label)
{
    struct store *store;
    struct store_selector selector;
    struct heaptap_error error;
    struct gathering gathering = {
        .services = {.options = question, .store = question->path, .label = label}};
    enum heaptap_status opened = store_input_choose(&store, &selector, question->path, &error);
    if (opened == HEAPTAP_OK)
        opened = store_groups(store, &selector, label, take_group, &gathering, &error);
    int status = opened == HEAPTAP_OK ? put(&gathering) : cli_fail(question->path, &error);
    store_input_close(store, question->path);
    for (size_t i = 0; i < gathering.services.count; i++)
        free(gathering.services.items[i].name);
    free(gathering.services.items);
    return status;
}

int cmd_services(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("services");
    struct question question = question_of(entry);
    int status = CLI_USAGE;
    cli_parse(report_entry_argp(entry, NULL, NULL), argc, argv, 0, &question);
    const char *label = ((const struct services_question *)question.own)->label;
    if (label_is_key(label, strlen(label)))
        status = gather(&question, label);
    else
        cli_warn("--by takes the name of a label, not '%s'", label);
    question_release(&question);
    return status;
}
