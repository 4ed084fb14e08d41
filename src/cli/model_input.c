#include "cli/model_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "cli/cli.h"
#include "cli/lack.h"
#include "cli/pprof_input.h"
#include "cli/trace_open.h"
#include "profile/list/rows.h"
#include "profile/model_trace.h"
#include "profile/profile_file.h"
#include "trace/reader.h"

static bool fail_memory(struct trace_input *input)
{
    cli_warn("%s: out of memory", trace_input_subject(input));
    input->exit_status = CLI_FAILED;
    return false;
}

static bool add_label_frames(struct trace_input *input, struct model *model,
                             const struct profile_label_frames *frames)
{
    bool is_met;
    if (!frames)
        return true;
    if (!profile_add_label_frames(model, frames, &is_met))
        return fail_memory(input);
    if (!is_met)
        cli_warn(
            "%s: note: no sample has a label that --tagroot or --tagleaf names; `heaptap tags` lists labels",
            trace_input_subject(input));
    return true;
}

static void note_lost(const struct model_input *input)
{
    const struct profile_file *file = input->model ? input->model->file : NULL;
    char sentence[160];
    if (!file || file->lost_count == 0)
        return;
    snprintf(sentence, sizeof sentence, "values of less than a half count as 0: %zu, %.6g in all",
             file->lost_count, file->lost_sum);
    lack_say(trace_input_subject(&input->trace), sentence);
}

static void note_cut(const struct model_input *input)
{
    if (input->model && input->model->samples.is_cut)
        lack_say(trace_input_subject(&input->trace), saturate_note);
}

static bool open_pprof(struct model_input *input, struct profile_input *profile,
                       const struct model_wanted *wanted)
{
    struct model *model = pprof_input_read_many(&input->trace, profile, &wanted->files);
    profile_input_close(profile);
    if (!model)
        return false;
    input->model = model;
    if (!add_label_frames(&input->trace, model, wanted->label_frames) ||
        (!profile_to_rows(model) && !fail_memory(&input->trace)))
        model_input_close(input);
    note_cut(input);
    note_lost(input);
    return input->model;
}

/* For contributors, who compare the answers of both: docs/contributing.md. */
static bool is_whole_wanted(void)
{
    const char *value = getenv("HEAPTAP_WHOLE_MODEL");
    return value && *value && strcmp(value, "0") != 0;
}

/* Reads the trace for `bounds`, and begins again. */
static bool read_bounds(struct trace_input *input, struct run_bounds *bounds)
{
    static const struct heaptap_reader_options without_stacks = {.order = HEAPTAP_TRUE_ORDER,
                                                                 .skip_stacks = true},
                                               whole = {.order = HEAPTAP_TRUE_ORDER};
    enum heaptap_status status = reader_begin_again(&input->reader, &without_stacks, &input->error);
    if (status == HEAPTAP_OK && !run_bounds_read(bounds, input->reader))
        return fail_memory(input);
    if (status == HEAPTAP_OK)
        status = reader_begin_again(&input->reader, &whole, &input->error);
    if (status != HEAPTAP_OK)
        input->exit_status = cli_fail(trace_input_subject(input), &input->error);
    return status == HEAPTAP_OK;
}

struct model *model_input_read(struct trace_input *input, const struct folded_question *question)
{
    struct model *model;
    struct run_bounds bounds;
    enum heaptap_status status;
    bool has_bounds = question && folded_question_needs_bounds(question);
    if (!question || is_whole_wanted())
        status = model_read(&model, input->reader, &input->error);
    else if (has_bounds && !read_bounds(input, &bounds))
        return NULL;
    else
        status = model_read_folded(&model, input->reader, question, has_bounds ? &bounds : NULL,
                                   &input->error);
    if (status != HEAPTAP_OK)
        trace_input_end(input, status);
    return model;
}

static bool open_trace(struct model_input *input, const struct folded_question *question)
{
    input->model = model_input_read(&input->trace, question);
    trace_input_close(&input->trace);
    return input->model;
}

static bool open_sums(struct model_input *input)
{
    enum heaptap_status status =
        model_read_sums(&input->model, input->trace.reader, &input->trace.error);
    if (status != HEAPTAP_OK)
        trace_input_end(&input->trace, status);
    trace_input_close(&input->trace);
    return input->model;
}

/* What a row takes, with its part of all else. */
enum { BLOCK_BYTES = 48, EVENTS_AT_ONCE = 256 };

/* The sampled blocks of a trace, which begins again.  0 where it can't. */
static uint64_t count_blocks(struct trace_input *input)
{
    static const struct heaptap_reader_options without_stacks = {.order = HEAPTAP_TRUE_ORDER,
                                                                 .skip_stacks = true},
                                               whole = {.order = HEAPTAP_TRUE_ORDER};
    struct heaptap_event events[EVENTS_AT_ONCE];
    uint64_t blocks = 0;
    size_t count = 0;
    if (reader_begin_again(&input->reader, &without_stacks, &input->error) != HEAPTAP_OK)
        return 0;
    while (heaptap_reader_next_many(input->reader, events, EVENTS_AT_ONCE, &count, NULL) ==
           HEAPTAP_OK)
        for (size_t i = 0; i < count; i++)
            blocks += events[i].kind == HEAPTAP_ALLOC;
    return reader_begin_again(&input->reader, &whole, &input->error) == HEAPTAP_OK ? blocks : 0;
}

/* How far a trace has to be thinned to keep its model to so much memory: 0 for not at all.  Small files are not counted: each
 * block takes two bytes of a trace at least, and 20 of them one that is compressed. */
static double thinning_of(struct trace_input *input, uint64_t memory)
{
    static const double packed_blocks = 10, plain_blocks = 0.5;
    bool is_plain = strcmp(heaptap_reader_compression(input->reader), "none") == 0;
    double blocks = is_plain ? plain_blocks : packed_blocks;
    double most = (double)heaptap_reader_stored_bytes(input->reader) * blocks * BLOCK_BYTES;
    if (memory == 0 || most <= (double)memory)
        return 0;
    double bytes = (double)count_blocks(input) * BLOCK_BYTES;
    return bytes > (double)memory ? bytes / (double)memory : 0;
}

static bool open_watched(struct model_input *input, const struct model_watch *told)
{
    struct model_watch own = *told, *watch = &own;
    own.thinning = thinning_of(&input->trace, told->memory);
    if (!input->trace.reader) {
        input->trace.exit_status =
            cli_fail(trace_input_subject(&input->trace), &input->trace.error);
        return false;
    }
    enum heaptap_status status =
        model_read_watched(&input->model, input->trace.reader, watch, &input->trace.error);
    input->trace.quiet = watch->is_quiet;
    if (status != HEAPTAP_OK && input->trace.quiet)
        input->trace.exit_status = CLI_BAD_INPUT;
    else if (status != HEAPTAP_OK)
        trace_input_end(&input->trace, status);
    trace_input_close(&input->trace);
    return input->model;
}

static bool refuse_trace(struct trace_input *input)
{
    trace_input_close(input);
    cli_warn("%s: blocks of a trace have no labels: --tagroot and --tagleaf are for profiles",
             trace_input_subject(input));
    input->exit_status = CLI_USAGE;
    return false;
}

bool model_input_open(struct model_input *input, const struct model_wanted *wanted)
{
    struct profile_input profile;
    bool only_sums = wanted->only_sums && !is_whole_wanted();
    struct heaptap_reader_options how = {
        .order = only_sums && wanted->in_any_order ? HEAPTAP_FILE_ORDER : HEAPTAP_TRUE_ORDER,
        .only_allocations = only_sums};
    *input = (struct model_input){.files = wanted->files};
    if (!trace_input_open_any(&input->trace, &wanted->files, &how, &profile))
        return false;
    if (profile_input_is_open(&profile))
        return open_pprof(input, &profile, wanted);
    return wanted->label_frames ? refuse_trace(&input->trace)
           : wanted->watch      ? open_watched(input, wanted->watch)
           : only_sums          ? open_sums(input)
                                : open_trace(input, wanted->question);
}

bool model_input_to_base_units(struct model_input *input)
{
    if (model_to_base_units(input->model)) {
        note_cut(input);
        return true;
    }
    model_input_close(input);
    return fail_memory(&input->trace);
}

void model_input_close(struct model_input *input)
{
    model_free(input->model);
    input->model = NULL;
}
