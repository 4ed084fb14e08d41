/* heaptap timeline: what is alive and what is allocated, over time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/report_command.h"
#include "cli/report_output.h"
#include "cli/store_input.h"
#include "cli/store_services.h"
#include "answer/table.h"
#include "answer/text_chart.h"
#include "report/blocks/timeline.h"

enum { PLAIN_COLUMNS = 80, PICTURE_STEPS = 480 };

static size_t steps_of(const struct question *question)
{
    int width = table_width();
    const struct timeline_question *own = (const struct timeline_question *)question->own;
    if (own->steps > 0)
        return (size_t)own->steps;
    if (question->format == REPORT_SVG)
        return PICTURE_STEPS;
    return text_chart_steps(width > 0 ? width : PLAIN_COLUMNS);
}

/* ---- Of a store -------------------------------------------------------------------------- */

/* `made` is a struct services. */
static bool print_services(void *made, FILE *file)
{
    const struct services *services = made;
    struct answer *answer = answer_output_on(file, services->options->format);
    if (answer)
        services_put(answer, services);
    return answer && answer_close(answer);
}

/* A store has times of profiles, not of blocks. */
static int show_store(const struct question *question)
{
    const char *label = ((const struct timeline_question *)question->own)->label;
    struct services services = {.label = label ? label : services_usual.label};
    size_t steps = steps_of(question);
    if (!label_is_key(services.label, strlen(services.label))) {
        cli_warn("--by takes the name of a label, not '%s'", label);
        return CLI_USAGE;
    }
    if (timeline_is_part(question)) {
        cli_warn("a store has its own clause for times: 'time=last 24h'");
        return CLI_USAGE;
    }
    if (((const struct timeline_question *)question->own)->functions > 0) {
        cli_warn("--by-function is for a trace: a store's profiles have no times of blocks");
        return CLI_USAGE;
    }
    if (question->filter.size > 0) {
        cli_warn("a store's timeline takes labels and times, such as service=api, and no filter");
        return CLI_USAGE;
    }
    services.steps = steps < SERVICES_STEPS_MAX ? steps : SERVICES_STEPS_MAX;
    int status = store_services_read(&services, question);
    if (status == CLI_DONE)
        status = report_output_write(question->output, print_services, &services);
    fleet_services_release(&services);
    return status;
}

/* ---- The command ------------------------------------------------------------------------- */

static int answer_it(struct question *question)
{
    struct timeline_question *own = (struct timeline_question *)question->own;
    if (store_input_is(question->path))
        return show_store(question);
    if (own->label) {
        cli_warn("--by is for a store: store:FILE");
        return CLI_USAGE;
    }
    own->steps = (long)steps_of(question);
    question->series_steps = timeline_needs_blocks(question) ? 0 : (size_t)own->steps;
    return report_command_answer(question);
}

int cmd_timeline(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("timeline");
    struct question question = question_of(entry);
    report_parse(&question, argc, argv);
    int status = answer_it(&question);
    question_release(&question);
    return status;
}
