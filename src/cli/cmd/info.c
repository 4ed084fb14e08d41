/* heaptap info: what a trace is, and its figures.  Without a filter it is read once, from front to
 * back; with one, several times (cli/filtered_events.h). */
#include <stdlib.h>
#include <string.h>

#include "report/info/summary.h"
#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/filtered_events.h"
#include "cli/parse.h"
#include "cli/filtering.h"
#include "cli/report_options.h"
#include "cli/pprof_input.h"
#include "cli/trace_open.h"
#include "report/info/summary_memtrace.h"
#include "pprof/read/model.h"
#include "report/info/info.h"
#include "report/info/info_profile.h"

enum { EVENTS_AT_ONCE = 256 };

/* In true order, which the peak needs. */
static const struct heaptap_reader_options without_stacks = {.order = HEAPTAP_TRUE_ORDER,
                                                             .skip_stacks = true};

static bool is_memtrace(const struct question *question)
{
    return question->format == REPORT_MEMTRACE;
}

static int fail_memory(void)
{
    cli_warn("out of memory");
    return CLI_FAILED;
}

/* ---- Traces -------------------------------------------------------------------------- */

static const char *shown_name(const struct trace_input *input)
{
    return strcmp(input->path, "-") == 0 ? trace_input_name(input) : input->path;
}

static int print_memtrace(const struct trace_input *input, const struct summary *summary)
{
    struct summary_memtrace trace = {shown_name(input), heaptap_reader_stored_bytes(input->reader),
                                     heaptap_reader_info(input->reader), summary};
    summary_memtrace_print(stdout, &trace);
    return CLI_DONE;
}

static int print(const struct question *question, const struct trace_input *input,
                 const struct summary *summary, const char *filter)
{
    struct info info = {
        .name = shown_name(input),
        .stored_bytes = heaptap_reader_stored_bytes(input->reader),
        .compression = heaptap_reader_compression(input->reader),
        .trace = heaptap_reader_info(input->reader),
        .summary = summary,
        .notes = heaptap_reader_notes(input->reader),
        .is_complete = input->exit_status == CLI_DONE,
        .is_whole = trace_input_is_whole(input),
        .filter = filter,
    };
    int status;
    struct answer *answer =
        is_memtrace(question) ? NULL : answer_output_open(question->format, &status);
    if (!answer)
        return is_memtrace(question) ? print_memtrace(input, summary) : status;
    info.metadata = heaptap_reader_metadata(input->reader, &info.metadata_count);
    info_put(answer, &info);
    return answer_output_close(answer, true, CLI_DONE);
}

static int summarize(const struct question *question, struct filtered_events *events,
                     const struct filter *filter)
{
    struct summary summary;
    struct heaptap_event passing[EVENTS_AT_ONCE];
    size_t count;
    bool enough = summary_init(&summary, heaptap_reader_info(events->input.reader));
    summary_select(&summary, events->is_filtered ? &events->blocks : NULL);
    while (enough && (count = filtered_events_next_many(events, passing, EVENTS_AT_ONCE)) > 0)
        enough = summary_add(&summary, passing, count);
    if (enough)
        summary_finish(&summary);
    if (events->is_filtered)
        summary.last_us = summary.final_us = events->end_us;
    int status = enough ? print(question, &events->input, &summary, filter->text) : fail_memory();
    summary_release(&summary);
    return status;
}

static int show_trace(const struct question *question, const struct trace_input *input,
                      const struct filter *filter)
{
    struct filtered_events events;
    int status;
    if (!filtered_events_begin(&events, input, filter, &without_stacks, NULL, &status))
        return status;
    status = summarize(question, &events, filter);
    filtered_events_close(&events);
    return status != CLI_DONE ? status : events.input.exit_status;
}

/* ---- Profiles ------------------------------------------------------------------------ */

/* What the filter leaves of each type; false with a message and the status. */
static bool sum_filtered(const struct trace_input *input, struct info_profile *info,
                         const struct filter *filter, int *status)
{
    struct matcher matcher;
    struct model *model = pprof_model(info->pprof);
    bool done = model && filtering_match(&matcher, model, filter, status);
    if (done) {
        if (matcher_leaves_nothing(&matcher))
            filtering_note_empty(trace_input_subject(input));
        done = info_profile_sum(info, &matcher) || cli_fail_memory(status);
        matcher_release(&matcher);
    } else if (!model) {
        cli_fail_memory(status);
    }
    model_free(model);
    return done;
}

static int print_profile(const struct question *question, const struct trace_input *input,
                         struct info_profile *info, const struct filter *filter)
{
    int status;
    bool done = filter->count > 0 ? sum_filtered(input, info, filter, &status)
                                  : info_profile_sum(info, NULL) || cli_fail_memory(&status);
    struct answer *answer = done ? answer_output_open(question->format, &status) : NULL;
    if (answer) {
        info_profile_put(answer, info);
        status = answer_output_close(answer, true, CLI_DONE);
    }
    info_profile_release(info);
    return status;
}

static int show_profile(const struct question *question, struct trace_input *input,
                        struct input *file, const struct filter *filter)
{
    struct info_profile info = {.name = shown_name(input), .filter = filter->text};
    const struct input_names files = question_files(question);
    bool is_one = filter->count == 0 && files.more_count == 0;
    struct pprof *pprof =
        is_one ? pprof_input_read(input, file) : pprof_input_read_many(input, file, &files);
    int status = input->exit_status;
    info.pprof = pprof;
    info.stored_bytes = input_stored_bytes(file);
    info.compression = input_compression(file);
    input_close(file);
    if (pprof && is_memtrace(question)) {
        cli_warn("%s: this is a pprof profile: --format=memtrace is for traces", input->path);
        status = CLI_USAGE;
    } else if (pprof) {
        status = print_profile(question, input, &info, filter);
    }
    pprof_free(pprof);
    return status;
}

/* ---- The command --------------------------------------------------------------------- */

static int show(const void *command_options, const struct filter *filter)
{
    const struct question *question = command_options;
    struct trace_input input;
    struct input *other;
    static const struct heaptap_reader_options whole = {.order = HEAPTAP_TRUE_ORDER};
    const struct input_names files = question_files(question);
    if (!trace_input_open_any(&input, &files, filter->count > 0 ? &whole : &without_stacks, &other))
        return input.exit_status;
    if (other)
        return show_profile(question, &input, other, filter);
    input.quiet = !is_memtrace(question); /* it says all that itself */
    return show_trace(question, &input, filter);
}

int cmd_info(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("info");
    struct question question = question_of(entry);
    cli_parse(report_entry_argp(entry, NULL, NULL), argc, argv, 0, &question);
    return filtering_run(&question, show, &question);
}
