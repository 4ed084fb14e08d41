/* heaptap timeline: what is alive and what is allocated, over time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/passing_series.h"
#include "cli/report.h"
#include "cli/report_output.h"
#include "cli/store_input.h"
#include "cli/store_services.h"
#include "profile/folded_rows.h"
#include "render/table.h"
#include "render/text_chart.h"
#include "report/timeline.h"

struct options {
    struct question question;
    struct series_builder *builder; /* of all; NULL where series are made of the model */
    struct series passing;          /* with a builder and a filter: of what passes it */
};

enum { PLAIN_COLUMNS = 80, PICTURE_STEPS = 480 };

/* ---- Output ---------------------------------------------------------------------------- */

/* `timeline` is a struct timeline. */
static bool print(void *timeline, FILE *file)
{
    const struct timeline *told = timeline;
    struct answer *answer = answer_output_on(file, told->report->options->format);
    bool done = answer && timeline_tell(answer, told);
    return answer && answer_close(answer) && done;
}

/* ---- The command ----------------------------------------------------------------------- */

static size_t steps_of(const struct options *options)
{
    int width = table_width();
    const struct timeline_question *own = (const struct timeline_question *)options->question.own;
    if (own->steps > 0)
        return (size_t)own->steps;
    if (options->question.format == REPORT_SVG)
        return PICTURE_STEPS;
    return text_chart_steps(width > 0 ? width : PLAIN_COLUMNS);
}

static int show(struct options *options, const struct report *report)
{
    struct timeline timeline;
    bool done = options->builder
                    ? timeline_init_built(&timeline, report, options->builder,
                                          *report->filter.text ? &options->passing : NULL)
                    : timeline_init(&timeline, report, steps_of(options));
    options->builder = NULL;
    if (!done)
        return cli_out_of_memory();
    int status = report_output_write(options->question.output, print, &timeline);
    timeline_release(&timeline);
    return status != CLI_DONE ? status : report_status(report);
}

/* ---- Made while the trace is read ---------------------------------------------------------
 *
 * The model has folded rows then.  What passes a filter is summed up in readings of its own, where the file is large. */

static bool begin_series(void *context, const struct model *model)
{
    struct options *options = context;
    options->builder = series_builder_new(model, steps_of(options));
    return options->builder;
}

static void add_block(void *context, const struct matcher_life *life,
                      const struct model_shape *shape)
{
    series_builder_add(((struct options *)context)->builder, life, shape);
}

/* The series of what passes the filter, where that is not made of the model.  False with a message and the status. */
static bool read_passing(struct options *options, const struct report *report, int *status)
{
    const struct passing_input input = {report->input.path, report->input.model,
                                        report->is_filtered_empty, report->input.status};
    return !options->builder || !*report->filter.text ||
           passing_series(&options->passing, &input, &report->filter, steps_of(options), status);
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
static int show_store(const struct options *options)
{
    const struct question *question = &options->question;
    const char *label = ((const struct timeline_question *)question->own)->label;
    struct services services = {.label = label ? label : services_usual.label};
    size_t steps = steps_of(options);
    if (!label_is_key(services.label, strlen(services.label))) {
        cli_warn("--by takes the name of a label, not '%s'", label);
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

/* ---- Of a trace -------------------------------------------------------------------------- */

static int show_trace(struct options *options)
{
    struct report report;
    int status = CLI_DONE;
    const struct folded_watcher watcher = {begin_series, add_block, options};
    if (options->question.filter.size == 0 || large_file_is(options->question.path)) {
        options->question.folds_blocks = options->question.at_peak = true;
        options->question.watcher = &watcher;
    }
    if (report_open(&report, &options->question, &status)) {
        if (!report_needs_objects(&report))
            status = CLI_BAD_INPUT;
        else if (read_passing(options, &report, &status))
            status = show(options, &report);
        report_close(&report);
    }
    series_release(&options->passing);
    series_builder_free(options->builder);
    return status;
}

static int show_any(struct options *options)
{
    const struct timeline_question *own = (const struct timeline_question *)options->question.own;
    if (store_input_is(options->question.path))
        return show_store(options);
    if (!own->label)
        return show_trace(options);
    cli_warn("--by is for a store: store:FILE");
    return CLI_USAGE;
}

int cmd_timeline(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("timeline");
    struct options options = {.question = question_of(entry)};
    cli_parse(report_entry_argp(entry, NULL, NULL), argc, argv, 0, &options.question);
    int status = show_any(&options);
    question_release(&options.question);
    return status;
}
