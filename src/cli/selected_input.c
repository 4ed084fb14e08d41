#include "cli/selected_input.h"

#include "cli/cli.h"
#include "cli/trace_frames.h"
#include "cli/trace_open.h"
#include "profile/wrappers.h"

static void take_report(struct selected_input *input)
{
    struct report *report = &input->report;
    const struct model *model = report->input.model;
    input->has_report = true;
    input->trace = (struct trace_input){.path = report->input.path,
                                        .exit_status = report->input.status,
                                        .ended_early = !report->input.is_whole};
    input->is_values = model->kind == MODEL_SAMPLES;
    input->info = input->is_values ? NULL : &model->info;
    input->profile = report->selection.profile;
    input->frames = report->selection.frames;
    input->hides_libraries = report->filter.hides_libraries;
    input->hidden = report->selection.hidden;
    input->weight = report->weight;
    input->quantity = report->sample;
}

/* False without memory. */
static bool hide_libraries(struct selected_input *input)
{
    if (!wrappers_find_in(&input->wrappers, &input->profile, &input->frames))
        return false;
    input->frames.wrappers = &input->wrappers;
    input->hides_libraries = true;
    input->all_frames = input->frames;
    input->frames = library_hidden_frames(&input->shortened, &input->all_frames);
    return library_take_off(&input->profile, &input->all_frames, &input->hidden);
}

static bool stream(struct selected_input *input, const struct question *options, int *status)
{
    if (!trace_read_stacks(&input->trace, &input->profile)) {
        *status = input->trace.exit_status;
        trace_input_close(&input->trace);
        return false;
    }
    input->info = heaptap_reader_info(input->trace.reader);
    input->frames = trace_frames(&input->trace);
    if (options->by_site && !hide_libraries(input)) {
        cli_warn("out of memory");
        *status = CLI_FAILED;
        selected_input_close(input);
        return false;
    }
    input->weight = WEIGHT_BYTES;
    input->quantity = "alloc_space";
    return true;
}

bool selected_input_open(struct selected_input *input, const struct question *options, int *status)
{
    struct input *other = NULL;
    struct heaptap_reader_options how = {.only_allocations = true};
    *input = (struct selected_input){0};
    if (options->sample || options->filter.size > 0 || options->more_count > 0 ||
        options->tag_root || options->tag_leaf) {
        if (!report_open(&input->report, options, status))
            return false;
    } else if (!trace_input_open_any(&input->trace, options->path, &how, &other)) {
        *status = input->trace.exit_status;
        return false;
    } else if (!other) {
        return stream(input, options, status);
    } else if (!report_open_other(&input->report, options, &input->trace, other, status)) {
        return false;
    }
    if (!selection_compact(&input->report.selection)) {
        cli_warn("out of memory");
        report_close(&input->report);
        *status = CLI_FAILED;
        return false;
    }
    take_report(input);
    return true;
}

void selected_input_close(struct selected_input *input)
{
    if (input->has_report) {
        report_close(&input->report);
    } else {
        wrappers_release(&input->wrappers);
        stack_profile_release(&input->profile);
        trace_input_close(&input->trace);
    }
}
