#include "cli/report_file.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "cli/filtered_events.h"
#include "cli/filtering.h"
#include "cli/passing_series.h"
#include "cli/pprof_input.h"
#include "cli/trace_open.h"
#include "profile/list/rows.h"
#include "report/file.h"
#include "report/reports.h"
#include "trace/input.h"

struct opened_file {
    struct report_file file; /* first: the report's functions get it */
    struct report *report;
    struct filtered_events events; /* of a trace */
};

static const struct heaptap_reader_options without_stacks = {.order = HEAPTAP_TRUE_ORDER,
                                                             .skip_stacks = true};

/* How well its reading went so far. */
static void take_status(struct report *report, const struct trace_input *input)
{
    report->input.is_whole = trace_input_is_whole(input);
    report->input.status = input->exit_status;
}

static void take_input(struct report *report, const struct trace_input *input)
{
    report->input.path = input->path;
    report->input.name = trace_input_name(input);
    report->input.subject = trace_input_subject(input);
    take_status(report, input);
}

/* ---- Traces -------------------------------------------------------------------------- */

static size_t next_events(struct report_file *file, struct heaptap_event *events, size_t max)
{
    struct opened_file *opened = (struct opened_file *)file;
    size_t count = filtered_events_next_many(&opened->events, events, max);
    file->end_us = opened->events.end_us;
    if (count == 0)
        take_status(opened->report, &opened->events.input);
    return count;
}

static bool begin_again(struct report_file *file)
{
    struct opened_file *opened = (struct opened_file *)file;
    bool done =
        filtered_events_again(&opened->events, &without_stacks, &opened->report->input.status);
    file->reader = opened->events.input.reader;
    return done;
}

static bool open_trace(struct opened_file *opened, const struct trace_input *input, int *status)
{
    struct report_file *file = &opened->file;
    struct filtered_events *events = &opened->events;
    const struct input_names names = question_files(opened->report->options);
    if (!filtered_events_begin(events, input, &opened->report->filter, &without_stacks, NULL,
                               status))
        return false;
    *file = (struct report_file){
        .stored_bytes = heaptap_reader_stored_bytes(events->input.reader),
        .compression = heaptap_reader_compression(events->input.reader),
        .reader = events->input.reader,
        .passing = events->is_filtered ? &events->blocks : NULL,
        .is_large = large_files_are(&names),
        .next = next_events,
        .again = begin_again,
    };
    take_input(opened->report, &events->input);
    return true;
}

/* ---- Profiles ------------------------------------------------------------------------ */

/* The samples that pass are those of a model. */
static bool match_profile(struct opened_file *opened, int *status)
{
    struct report *report = opened->report;
    if (report->filter.count == 0)
        return true;
    if (!profile_to_rows(report->input.model))
        return cli_fail_memory(status);
    if (!filtering_match(&report->matcher, report->input.model, &report->filter, status))
        return false;
    if (matcher_leaves_nothing(&report->matcher))
        filtering_note_empty(report->input.subject);
    return true;
}

static bool open_profile(struct opened_file *opened, struct trace_input *input,
                         struct profile_input *profile, int *status)
{
    struct input_names names = question_files(opened->report->options);
    input->quiet = names.is_known =
        true; /* `info` alone takes profiles, and shows all their comments */
    bool is_one = opened->report->filter.count == 0 && names.more_count == 0;
    struct model *model =
        is_one ? pprof_input_read(input, profile) : pprof_input_read_many(input, profile, &names);
    opened->report->input.model = model;
    opened->file = (struct report_file){.model = model, .compression = "none"};
    if (profile->file) {
        opened->file.stored_bytes = input_stored_bytes(profile->file);
        opened->file.compression = input_compression(profile->file);
    }
    profile_input_close(profile);
    take_input(opened->report, input);
    *status = input->exit_status;
    if (model && match_profile(opened, status))
        return true;
    model_free(model);
    opened->report->input.model = NULL;
    return false;
}

/* ---- What callers see ----------------------------------------------------------------- */

/* A report of blocks refuses profiles before it reads them. */
static bool open_input(struct trace_input *input, const struct report *report,
                       struct profile_input *profile)
{
    static const struct heaptap_reader_options whole = {.order = HEAPTAP_TRUE_ORDER};
    const struct heaptap_reader_options *how = report->filter.count > 0 ? &whole : &without_stacks;
    const struct input_names names = question_files(report->options);
    *profile = (struct profile_input){0};
    return report->options->report->traits & REPORT_NEEDS_BLOCKS
               ? trace_input_open(input, &names, how)
               : trace_input_open_any(input, &names, how, profile);
}

bool report_file_open(struct report *report, int *status)
{
    struct trace_input input;
    struct profile_input profile;
    struct opened_file *opened = calloc(1, sizeof *opened);
    if (!opened)
        return cli_fail_memory(status);
    opened->report = report;
    report->file = &opened->file;
    bool done = open_input(&input, report, &profile);
    if (!done)
        *status = input.exit_status;
    else if (profile_input_is_open(&profile))
        done = open_profile(opened, &input, &profile, status);
    else
        done = open_trace(opened, &input, status);
    if (!done)
        free(opened);
    return done;
}

void report_file_close(struct report *report)
{
    struct opened_file *opened = (struct opened_file *)report->file;
    if (opened->file.model && report->filter.count > 0)
        matcher_release(&report->matcher);
    model_free(report->input.model);
    if (opened->file.next) {
        opened->events.input.quiet = opened->file.tells_notes;
        filtered_events_close(&opened->events);
    }
    free(opened);
}
