/* The figures come from the fold of `info`, so they are the same as its. */
#include "cli/record/reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/path.h"
#include "base/property.h"
#include "report/info/summary.h"
#include "report/sites/hot_sites.h"
#include "base/array.h"
#include "cli/cli.h"
#include "cli/expectation.h"
#include "cli/record/runtime_heap.h"
#include "cli/pprof_input.h"
#include "cli/trace_open.h"
#include "spec/pprof_fields.h"
#include "spec/trace_format.h"
#include "profile/list/rows.h"
#include "profile/model_trace.h"
#include "symbol/symbolizer.h"

static const double NOTABLE_SHARE = 0.05;
enum { SITES_LOOKED_AT = 5 };

/* ---- Reading ------------------------------------------------------------------------ */

static void take_heap(struct recorded_process *process, const struct runtime_heap *heap)
{
    if (!heap || process->own_heap || process->language)
        return;
    process->own_heap = runtime_heap_text(heap, process->program);
    process->otherwise = strdup(heap->way);
}

static void take_language(struct recorded_process *process, const char *language)
{
    if (process->language)
        return;
    process->language = strdup(language);
    process->otherwise = strdup("heaptap record --native");
}

static void take_metadata(struct recorded_process *process, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_DROPS)
            process->dropped += records[i].number;
    const struct heaptap_metadata *own;
    for (size_t at = 0; (own = property_next(records, count, &at, RECORDER_RESIDENT_PROPERTY));)
        process->recorder_bytes = fmax(process->recorder_bytes, strtod(own->value, NULL));
    const char *language = property_text(records, count, "language");
    if (language)
        take_language(process, language);
}

static void take_stop(struct recorded_process *process, const struct trace_input *input)
{
    const struct heaptap_metadata *stop = trace_input_stop(input);
    if (!stop)
        return;
    process->stop = strdup(stop->name);
    process->stop_seconds = (double)stop->number * 1e-6;
}

static void take_summary(struct recorded_process *process, const struct summary *summary)
{
    process->was_read = true;
    for (int source = 0; source < SUMMARY_SOURCES; source++) {
        process->events += summary->allocations[source];
        process->samples += summary->allocated_samples[source];
        process->allocated.objects += summary->allocated_objects[source];
    }
    process->is_exact = summary->estimate.sample_rate == 1;
    process->allocated.bytes = estimate_bytes(&summary->estimate, (double)process->samples);
    process->peak_bytes = estimate_bytes(&summary->estimate, (double)summary->peak.samples);
    process->peak_seconds = (double)summary->peak.time_us * 1e-6;
    process->live.bytes = estimate_bytes(&summary->estimate, (double)summary->live_samples);
    process->live.objects = summary->live_objects;
    process->allocated.bytes_range = summary_bytes_range(summary);
    process->allocated.objects_range = summary_objects_range(summary);
    process->live.bytes_range = summary_live_bytes_range(summary);
    process->live.objects_range = summary_live_objects_range(summary);
    process->peak_range = peak_range(&summary->peak, &summary->estimate);
}

static bool has_function(const struct frame_source *frames, const char *name)
{
    for (uint32_t frame = 0; frame < frames->frame_count; frame++) {
        size_t count;
        const struct heaptap_location *lines = frames->locations(frames->context, frame, &count);
        for (size_t i = 0; i < count; i++)
            if (strcmp(lines[i].function, name) == 0)
                return true;
    }
    return false;
}

/* Which heaps the program has besides. */
static void take_model(struct recorded_process *process, const struct model *model)
{
    struct frame_source frames = model_frames(model);
    process->is_ocaml = model->kind == MODEL_OBJECTS && (has_function(&frames, "caml_main") ||
                                                         has_function(&frames, "caml_startup"));
    take_heap(process, runtime_heap_of(&frames, frames.program));
}

/* False without memory. */
static bool fold(struct recorded_process *process, struct trace_input *input)
{
    const struct heaptap_trace_info *info = heaptap_reader_info(input->reader);
    struct heaptap_event event;
    struct summary summary;
    struct stack_profile profile;
    bool done = summary_init(&summary, info);
    if (!stack_profile_init(&profile, info)) {
        summary_release(&summary);
        return false;
    }
    while (done && trace_input_next(input, &event))
        done = summary_add(&summary, &event, 1) &&
               (event.kind != HEAPTAP_ALLOC || stack_profile_add(&profile, &event));
    if (done) {
        summary_finish(&summary);
        take_metadata(process, input->reader);
        if (*info->runtime_params) /* which OCaml alone has */
            take_language(process, "OCaml");
        take_stop(process, input);
        take_summary(process, &summary);
        struct model *model = model_of_sums(&profile, input->reader);
        done = model;
        if (done)
            take_model(process, model);
        model_free(model);
    }
    stack_profile_release(&profile);
    summary_release(&summary);
    return done;
}

/* ---- Profiles ----------------------------------------------------------------------- */

static double total_of(const struct model *model, const char *type)
{
    long index = model_find_value_type(model, type);
    double total = 0;
    for (size_t i = 0; index >= 0 && i < model->file->sample_count; i++)
        total += (double)model->file->values[i * model->samples.type_count + (size_t)index];
    return total;
}

static double value_of(const struct model *model, size_t row, long type)
{
    return type < 0 ? 0
                    : (double)model->file->values[row * model->samples.type_count + (size_t)type];
}

/* A row is of blocks of one size. */
static struct estimate estimate_of_rows(const struct model *model)
{
    struct heaptap_trace_info info = {.sample_rate = 1 / fmax((double)model->file->period, 1),
                                      .word_bits = 8};
    struct estimate estimate = estimate_of(&info);
    long of_space = model_find_value_type(model, "alloc_space");
    long of_objects = model_find_value_type(model, "alloc_objects");
    for (size_t i = 0; i < model->file->sample_count; i++) {
        double bytes = value_of(model, i, of_space), count = value_of(model, i, of_objects);
        if (bytes > 0 && count > 0)
            estimate_see(&estimate, (uint64_t)fmax(1, round(bytes / count)));
    }
    return estimate;
}

/* So many bytes of a row are one sample, and what is counted as objects weighs the same for each.  How many of its blocks were seen
 * it doesn't say, but one was. */
static void sum_up(const struct model *model, const struct estimate *estimate, const char *space,
                   const char *objects, struct estimate_sum *bytes, struct estimate_sum *blocks)
{
    long of_space = model_find_value_type(model, space),
         of_objects = model_find_value_type(model, objects);
    *blocks = (struct estimate_sum){.heaviest = estimate_heaviest_object(estimate)};
    for (size_t i = 0; i < model->file->sample_count; i++) {
        double samples = round(value_of(model, i, of_space) / estimate->bytes_per_sample);
        double count = value_of(model, i, of_objects);
        blocks->samples += samples;
        blocks->value += count;
        blocks->squares += samples > 0 ? count * count / samples : 0;
        blocks->least += samples > 0;
    }
    *bytes = estimate_bytes_sum(estimate, blocks->samples);
}

static void take_ranges(struct recorded_process *process, const struct model *model)
{
    struct estimate estimate = estimate_of_rows(model);
    double rate = estimate.sample_rate;
    struct estimate_sum bytes, objects;
    sum_up(model, &estimate, "alloc_space", "alloc_objects", &bytes, &objects);
    process->samples = (uint64_t)bytes.samples;
    process->allocated.bytes_range = estimate_range(&bytes, rate);
    process->allocated.objects_range = estimate_range(&objects, rate);
    sum_up(model, &estimate, "inuse_space", "inuse_objects", &bytes, &objects);
    process->live.bytes_range = estimate_range(&bytes, rate);
    process->live.objects_range = estimate_range(&objects, rate);
    process->allocated.objects_range.is_few = process->live.objects_range.is_few =
        false; /* bytes say so */
}

static void take_totals(struct recorded_process *process, const struct model *model)
{
    const struct profile_file *file = model->file;
    process->is_profile = process->was_read = true;
    process->is_exact = file->period <= 1;
    process->events = file->sample_count;
    process->allocated.bytes = total_of(model, "alloc_space");
    process->allocated.objects = total_of(model, "alloc_objects");
    process->live.bytes = total_of(model, "inuse_space");
    process->live.objects = total_of(model, "inuse_objects");
    take_ranges(process, model);
    const char *dropped = profile_comment(file, PPROF_DROPPED);
    const char *stop = profile_comment(file, PPROF_ENDED_EARLY);
    const char *language = profile_comment(file, PPROF_LANGUAGE);
    process->dropped = dropped ? strtoull(dropped, NULL, 10) : 0;
    process->stop = stop ? strdup(stop) : NULL;
    if (language)
        take_language(process, language);
}

/* False without memory. */
static bool take_profile(struct recorded_process *process, struct model *model)
{
    take_totals(process, model);
    bool done = profile_to_rows(model);
    if (done)
        take_model(process, model);
    return done;
}

static void read_profile(struct recorded_process *process, bool named)
{
    struct trace_input input;
    struct profile_input profile;
    static const struct heaptap_reader_options how = {.only_allocations = true};
    if (!trace_input_open_any(
            &input,
            &(struct input_names){.path = process->file, .is_one = true, .is_unnamed = true}, &how,
            &profile))
        return;
    input.quiet = true; /* the process's own line says what the profile lacks */
    struct model *model = !profile_input_is_open(&profile) ? NULL
                          : named ? pprof_input_read_named(&input, &profile)
                                  : pprof_input_read(&input, &profile);
    if (model && !take_profile(process, model))
        cli_warn("%s: out of memory", process->file);
    model_free(model);
    profile_input_close(&profile);
    trace_input_close(&input);
}

static void read_trace(struct recorded_process *process)
{
    struct trace_input input;
    static const struct heaptap_reader_options how = {.order = HEAPTAP_TRUE_ORDER};
    if (!trace_input_open(
            &input,
            &(struct input_names){.path = process->file, .is_one = true, .is_unnamed = true}, &how))
        return;
    input.quiet = true; /* symbolising it has told what was to be told */
    if (!fold(process, &input))
        cli_warn("%s: out of memory", process->file);
    process->is_cut = input.exit_status != CLI_DONE;
    trace_input_close(&input);
}

/* ---- Names ---------------------------------------------------------------------------- */

static bool is_nameless(const struct hotspot *site)
{
    return site->symbol.function && ends_with_offset(site->symbol.function) && site->symbol.file &&
           site->share >= NOTABLE_SHARE;
}

const char *reading_nameless(const struct report *report)
{
    struct hotspots spots;
    struct hotspots_options by = {GRAIN_FUNCTION, report->weight};
    const char *file = NULL;
    if (!hotspots_init(&spots, &report->selection.profile, &report->selection.frames, &by))
        return NULL;
    for (size_t i = 0; !file && i < spots.count && i < SITES_LOOKED_AT; i++)
        if (is_nameless(&spots.sites[i]))
            file = spots.sites[i].symbol.file;
    hotspots_release(&spots);
    return file;
}

/* ---- Both --------------------------------------------------------------------------- */

void reading_add(struct recording *recording, const struct written_trace *written, bool is_named,
                 bool is_running, bool is_raw)
{
    if (!ARRAY_RESERVE(&recording->processes, &recording->capacity, recording->count + 1))
        return;
    struct recorded_process *process = &recording->processes[recording->count++];
    *process = (struct recorded_process){
        .file = strdup(written->path),
        .program = strdup(path_file(written->executable)),
        .pid = written->pid,
        .is_running = is_running,
        .is_raw = is_raw,
    };
    if (process->file && !is_running)
        written->is_profile ? read_profile(process, is_named) : read_trace(process);
    take_heap(process, runtime_heap_of_file(written->executable));
}

bool reading_sum(const struct recording *recording, struct expectation *sum)
{
    uint64_t events = 0;
    for (size_t i = 0; i < recording->count; i++) {
        const struct recorded_process *process = &recording->processes[i];
        events += process->events;
        sum->objects += process->allocated.objects;
        sum->bytes += process->allocated.bytes;
        sum->peak = fmax(sum->peak, process->peak_bytes);
    }
    return events > 0;
}
