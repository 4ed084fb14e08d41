/* What a trace holds is a record of each part in JSON; its figures are one table in CSV, and sentences for people. */
#include "report/info/info.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profile/run_bounds.h"
#include "report/file.h"
#include "report/head.h"
#include "report/info/info_parts.h"
#include "report/info/info_profile.h"
#include "report/info/summary_memtrace.h"

/* ---- Options ------------------------------------------------------------------------- */

static const struct option_word forms[] = {
    {"text", 0, REPORT_TEXT}, {"memtrace", 0, REPORT_MEMTRACE}, {NULL, 0}};

const struct question_option info_options[] = {
    {"format", 'f', OPTION_FORM, 0, "text|memtrace",
     "text (the default), or memtrace: exactly what memtrace's identify prints", .words = forms},
    {NULL},
};

bool info_check(struct question *question, struct heaptap_error *error)
{
    return question_accept(question->format == REPORT_MEMTRACE && question->filter.size > 0
                               ? "--format=memtrace is about the whole trace: it takes no filter"
                               : NULL,
                           error);
}

const char *info_refuse(const struct report *report)
{
    return report->file->model && report->options->format == REPORT_MEMTRACE
               ? "this is a pprof profile: --format=memtrace is for traces"
               : NULL;
}

/* ---- What records and domains there are ---------------------------------------------- */

bool info_next_domain(const struct info *info, unsigned number, struct info_domain *domain)
{
    while (number < INFO_DOMAINS && !info->summary->domains[number])
        number++;
    if (number == INFO_DOMAINS)
        return false;
    *domain = (struct info_domain){number, info->summary->domains[number], NULL};
    for (size_t i = 0; i < info->metadata_count && !domain->thread; i++)
        if (info->metadata[i].kind == HEAPTAP_THREAD && info->metadata[i].domain == number)
            domain->thread = &info->metadata[i];
    return true;
}

const struct heaptap_metadata *info_next_record(const struct info *info, size_t *at,
                                                enum heaptap_metadata_kind kind)
{
    while (*at < info->metadata_count)
        if (info->metadata[(*at)++].kind == kind)
            return &info->metadata[*at - 1];
    return NULL;
}

const struct heaptap_metadata *info_stop(const struct info *info)
{
    size_t at = 0;
    return info_next_record(info, &at, HEAPTAP_STOPPED);
}

struct estimate_range info_peak_range(const struct info *info)
{
    const struct summary *summary = info->summary;
    return peak_range(&summary->peak, &summary->estimate);
}

/* ---- Getters ------------------------------------------------------------------------- */

enum { HAS_NO_FILTER = 1 };

/* The blocks of one source. */
struct source {
    uint64_t samples;
    double objects;
};

static struct answer_value bounded_bytes(const struct info *info, uint64_t samples,
                                         struct estimate_range range)
{
    return answer_estimate(info_bytes(info, (double)samples), range);
}

static struct answer_value bytes_an_event(const struct info *info)
{
    uint64_t events = summary_events(info->summary);
    return events > 0 ? answer_number((double)info->notes->bytes / (double)events)
                      : answer_nothing();
}

/* "2026-11-23T08:05:00Z"; "" where it is not known. */
static struct answer_value date(int64_t start_us)
{
    char text[40] = "";
    time_t seconds = (time_t)(start_us / 1000000);
    struct tm tm;
    if (seconds != 0 && gmtime_r(&seconds, &tm))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return answer_made(strdup(text));
}

/* The file. */
INFO_GETTER(struct info, bytes_per_event, bytes_an_event(of))
INFO_GETTER(struct info, started, date(of->trace->start_us))

/* The program's whole. */
INFO_GETTER(struct summary, events, info_count(summary_events(of)))
INFO_GETTER(struct summary, allocated_bytes,
            bounded_bytes(info, summary_allocated_samples(of), summary_bytes_range(of)))
INFO_GETTER(struct summary, allocated_objects,
            answer_estimate(summary_allocated_objects(of), summary_objects_range(of)))
INFO_GETTER(struct summary, allocated_samples, info_count(summary_allocated_samples(of)))
INFO_GETTER(struct summary, live_bytes,
            bounded_bytes(info, of->live_samples, summary_live_bytes_range(of)))
INFO_GETTER(struct summary, live_objects,
            answer_estimate(of->live_objects, summary_live_objects_range(of)))
INFO_GETTER(struct summary, peak_low, answer_number(info_peak_range(info).low))
INFO_GETTER(struct summary, peak_high, answer_number(info_peak_range(info).high))
INFO_GETTER(struct summary, peak_is_few, answer_number_if(info_peak_range(info).is_few, 1))
INFO_GETTER(struct summary, peak_exact, answer_number(peak_is_exact(&of->peak, &of->estimate)))

/* ---- Tables -------------------------------------------------------------------------- */

#define OF_INFO(member) ANSWER_FIELD(struct info, member)
#define OF_NOTES(member) ANSWER_FIELD_OF(struct info, notes, member)
#define OF_TRACE(member) ANSWER_FIELD_OF(struct info, trace, member)
#define OF_SUMMARY(member) ANSWER_FIELD(struct summary, member)
#define OF_SOURCE(member) ANSWER_FIELD(struct source, member)

static const struct answer_column head_columns[] = {
    SCHEMA_COLUMN,
    {"filter", NULL, ANSWER_TEXT, OF_INFO(filter), "the filter; empty for none"},
};

static const struct answer_column trace_columns[] = {
    {"name", NULL, ANSWER_TEXT, OF_INFO(name), "the file, as it was given"},
    {"complete", NULL, ANSWER_FLAG, OF_INFO(is_whole),
     "whether the file was read to its end, no sample was dropped, and recording went on to the program's end"},
    {"stored_bytes", NULL, ANSWER_BYTES, OF_INFO(stored_bytes), "the size of the file"},
    {"compression", NULL, ANSWER_TEXT, OF_INFO(compression), "none, gzip or zstd"},
    {"trace_bytes", NULL, ANSWER_BYTES, OF_NOTES(bytes), "the size of the trace, decompressed"},
    {"bytes_per_event", NULL, ANSWER_DECIMAL, get_bytes_per_event,
     "bytes of the trace, by its events", HAS_NO_FILTER},
    {"packets", NULL, ANSWER_WHOLE, OF_NOTES(packets), "packets that it is made of"},
    {"format_version", NULL, ANSWER_WHOLE, OF_TRACE(version), "of memtrace's format: 1, 2 or 3"},
    {"sample_rate", NULL, ANSWER_SHARE, OF_TRACE(sample_rate),
     "the part of all words that was sampled; 1: figures are exact"},
    {"word_bits", NULL, ANSWER_WHOLE, OF_TRACE(word_bits),
     "of what lengths are counted in: 64 or 32 for OCaml, 8 where they are bytes"},
    {"executable", NULL, ANSWER_TEXT, OF_TRACE(executable), "the program"},
    {"host", NULL, ANSWER_TEXT, OF_TRACE(host), "the machine"},
    {"pid", NULL, ANSWER_INTEGER, OF_TRACE(pid), "the process"},
    {"runtime_params", NULL, ANSWER_TEXT, OF_TRACE(runtime_params),
     "OCaml's parameters, as in OCAMLRUNPARAM"},
    {"context", NULL, ANSWER_TEXT, OF_TRACE(context), "a text given when the program was recorded"},
    {"started", NULL, ANSWER_TEXT, get_started, "when the trace begins, as in ISO 8601"},
    {"start_us", NULL, ANSWER_INTEGER, OF_TRACE(start_us),
     "the same in microseconds since 1970; times of events count from here"},
    {"initial_domain", NULL, ANSWER_WHOLE, OF_TRACE(initial_domain),
     "the domain that began the trace"},
};

static const struct answer_column event_columns[] = {
    {"total", NULL, ANSWER_WHOLE, get_events, "all"},
    {"alloc_minor", NULL, ANSWER_WHOLE, OF_SUMMARY(allocations[HEAPTAP_MINOR]),
     "allocations in the minor heap"},
    {"alloc_major", NULL, ANSWER_WHOLE, OF_SUMMARY(allocations[HEAPTAP_MAJOR]),
     "allocations in the major heap, or in the only one"},
    {"alloc_external", NULL, ANSWER_WHOLE, OF_SUMMARY(allocations[HEAPTAP_EXTERNAL]),
     "allocations outside the heaps"},
    {"promote", NULL, ANSWER_WHOLE, OF_SUMMARY(promotions), "promotions"},
    {"collect", NULL, ANSWER_WHOLE, OF_SUMMARY(collections), "ends of blocks"},
};

static const struct answer_column time_columns[] = {
    {"first_us", NULL, ANSWER_INTEGER, OF_SUMMARY(first_us), "of the earliest event"},
    {"last_us", NULL, ANSWER_INTEGER, OF_SUMMARY(last_us), "of the latest event"},
    {"final_us", NULL, ANSWER_INTEGER, OF_SUMMARY(final_us), "of the last event in the file"},
    {"end_us", NULL, ANSWER_INTEGER, OF_SUMMARY(end_us),
     "when the program ended, as its recorder says; else of the latest event"},
};

static const struct answer_column allocated_columns[] = {
    {"bytes", NULL, ANSWER_BYTES, get_allocated_bytes, "bytes", .flags = ANSWER_HAS_RANGE},
    {"objects", NULL, ANSWER_COUNT, get_allocated_objects, "blocks", .flags = ANSWER_HAS_RANGE},
    {"samples", NULL, ANSWER_WHOLE, get_allocated_samples, "samples that these rest on"},
    {"up_to_4_words_bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct summary, up_to_4_samples),
     "bytes in blocks of up to 4 words"},
    {"up_to_16_words_bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct summary, up_to_16_samples),
     "of up to 16"},
    {"up_to_256_words_bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct summary, up_to_256_samples),
     "of up to 256"},
    {"longest_words", NULL, ANSWER_WHOLE, OF_SUMMARY(longest_words),
     "words of the largest sampled block"},
};

static const struct answer_column source_columns[] = {
    {"samples", NULL, ANSWER_WHOLE, OF_SOURCE(samples), "samples that these rest on"},
    {"bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct source, samples), "bytes"},
    {"objects", NULL, ANSWER_COUNT, OF_SOURCE(objects), "blocks"},
};

static const struct answer_column promoted_columns[] = {
    {"promoted_bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct summary, promoted_samples),
     "moved from the minor heap to the major heap"},
    {"promoted_samples", NULL, ANSWER_WHOLE, OF_SUMMARY(promoted_samples),
     "samples that this rests on"},
};

static const struct answer_column collected_columns[] = {
    {"minor_bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct summary, collected_minor_samples),
     "in the minor heap"},
    {"minor_samples", NULL, ANSWER_WHOLE, OF_SUMMARY(collected_minor_samples),
     "samples that this rests on"},
    {"major_bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct summary, collected_major_samples),
     "everywhere else"},
    {"major_samples", NULL, ANSWER_WHOLE, OF_SUMMARY(collected_major_samples),
     "samples that this rests on"},
};

static const struct answer_column live_columns[] = {
    {"sampled_blocks", NULL, ANSWER_WHOLE, OF_SUMMARY(live_blocks), "sampled blocks"},
    {"bytes", NULL, ANSWER_BYTES, get_live_bytes, "bytes", .flags = ANSWER_HAS_RANGE},
    {"objects", NULL, ANSWER_COUNT, get_live_objects, "blocks", .flags = ANSWER_HAS_RANGE},
    {"samples", NULL, ANSWER_WHOLE, OF_SUMMARY(live_samples), "samples that these rest on"},
};

static const struct answer_column peak_columns[] = {
    {"bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct summary, peak.samples), "bytes"},
    {"low", NULL, ANSWER_BYTES, get_peak_low, "the lower bound of 95 %"},
    {"high", NULL, ANSWER_BYTES, get_peak_high, "the upper one"},
    {"too_few_samples", NULL, ANSWER_FLAG, get_peak_is_few,
     "too few for the estimate to say anything", .flags = ANSWER_OMIT},
    {"samples", NULL, ANSWER_WHOLE, OF_SUMMARY(peak.samples), "samples that these rest on"},
    {"time_us", NULL, ANSWER_INTEGER, OF_SUMMARY(peak.time_us), "when"},
    {"exact", NULL, ANSWER_FLAG, get_peak_exact,
     "every word was sampled, and the order of all events then is known"},
};

static const struct answer_column note_columns[] = {
    {"foreign_packets", NULL, ANSWER_WHOLE, OF_NOTES(foreign_packets),
     "packets of another process, skipped"},
    {"clock_steps", NULL, ANSWER_WHOLE, OF_NOTES(clock_steps),
     "events earlier than the one before"},
    {"location_conflicts", NULL, ANSWER_WHOLE, OF_NOTES(location_conflicts),
     "codes described twice, differently"},
    {"damaged_locations", NULL, ANSWER_WHOLE, OF_NOTES(damaged_locations),
     "packets of names that are damaged"},
    {"empty_gaps", NULL, ANSWER_WHOLE, OF_NOTES(empty_gaps), "runs of zeros between packets"},
    {"odd_promotions", NULL, ANSWER_WHOLE, ANSWER_FIELD_OF(struct info, summary, odd_promotions),
     "promotions of blocks that aren't in the minor heap"},
    {"unknown_promotions", NULL, ANSWER_WHOLE,
     ANSWER_FIELD_OF(struct info, summary, unknown_promotions),
     "promotions of blocks never seen being allocated"},
    {"unknown_collections", NULL, ANSWER_WHOLE,
     ANSWER_FIELD_OF(struct info, summary, unknown_collections),
     "ends of such blocks, or of blocks that have ended"},
};

static const struct answer_table head_table = ANSWER_JSON(ANSWER_RECORD, NULL, head_columns, NULL);
static const struct answer_table trace_table =
    ANSWER_JSON(ANSWER_RECORD, "trace", trace_columns, "of a trace: the file");
static const struct answer_table events_table =
    ANSWER_JSON(ANSWER_RECORD, "events", event_columns, "how many there are");
static const struct answer_table time_table =
    ANSWER_JSON(ANSWER_RECORD, "time", time_columns, "since the trace began");
static const struct answer_table allocated_table =
    ANSWER_JSON(ANSWER_RECORD, "allocated", allocated_columns, "what was allocated");
static const struct answer_table source_tables[SUMMARY_SOURCES] = {
    ANSWER_JSON(ANSWER_RECORD, "minor", source_columns, "in `allocated`: in the minor heap"),
    ANSWER_JSON(ANSWER_RECORD, "major", source_columns,
                "in `allocated`: in the major heap, or the only one there is"),
    ANSWER_JSON(ANSWER_RECORD, "external", source_columns, "in `allocated`: outside the heaps"),
};
static const struct answer_table promoted_table =
    ANSWER_JSON(ANSWER_RECORD, NULL, promoted_columns, "of a trace");
static const struct answer_table collected_table =
    ANSWER_JSON(ANSWER_RECORD, "collected", collected_columns, "what has ended");
static const struct answer_table live_table =
    ANSWER_JSON(ANSWER_RECORD, "live_at_end", live_columns, "what is alive at the end");
static const struct answer_table peak_table =
    ANSWER_JSON(ANSWER_RECORD, "peak", peak_columns, "the most alive at once");
static const struct answer_table notes_table =
    ANSWER_JSON(ANSWER_RECORD, "notes", note_columns, "what is wrong with the trace");
const struct answer_table *const info_tables[] = {&head_table,
                                                  &trace_table,
                                                  &events_table,
                                                  &time_table,
                                                  &allocated_table,
                                                  &source_tables[HEAPTAP_MINOR],
                                                  &source_tables[HEAPTAP_MAJOR],
                                                  &source_tables[HEAPTAP_EXTERNAL],
                                                  &promoted_table,
                                                  &collected_table,
                                                  &live_table,
                                                  &peak_table,
                                                  &info_processes_table,
                                                  &info_domains_table,
                                                  &info_properties_table,
                                                  &info_modules_table,
                                                  &info_threads_table,
                                                  &info_types_table,
                                                  &info_drops_table,
                                                  &info_stops_table,
                                                  &notes_table,
                                                  &info_figures_table,
                                                  &info_profile_table,
                                                  &info_values_table,
                                                  &info_samples_table,
                                                  &info_mappings_table,
                                                  &info_comments_table,
                                                  NULL};

/* ---- For programs -------------------------------------------------------------------- */

static void put(struct answer *answer, const struct info *info, const struct answer_table *table,
                const void *row)
{
    struct answer_section section = info_section(info, table);
    section.has = *info->filter ? 0 : HAS_NO_FILTER;
    answer_record(answer, &section, row);
}

static void put_allocated(struct answer *answer, const struct info *info)
{
    const struct summary *summary = info->summary;
    struct answer_section section = info_section(info, &allocated_table);
    answer_begin(answer, &section);
    answer_row(answer, summary);
    for (int i = 0; i < SUMMARY_SOURCES; i++)
        put(answer, info, &source_tables[i],
            &(struct source){summary->allocated_samples[i], summary->allocated_objects[i]});
    answer_end(answer);
}

static void put_records(struct answer *answer, const struct info *info)
{
    put(answer, info, &head_table, info);
    put(answer, info, &trace_table, info);
    put(answer, info, &events_table, info->summary);
    put(answer, info, &time_table, info->summary);
    put_allocated(answer, info);
    put(answer, info, &promoted_table, info->summary);
    put(answer, info, &collected_table, info->summary);
    put(answer, info, &live_table, info->summary);
    put(answer, info, &peak_table, info->summary);
}

static void put_trace(struct answer *answer, const struct info *info)
{
    if (answer_is_read(answer))
        info_say(answer, info);
    put_records(answer, info);
    info_put_domains(answer, info);
    info_put_metadata(answer, info);
    put(answer, info, &notes_table, info);
    info_put_figures(answer, info);
}

/* ---- The answer ---------------------------------------------------------------------- */

/* False when there is no memory; it is to be released in either case. */
static bool summarize(struct summary *summary, struct report_file *file)
{
    struct heaptap_event events[REPORT_EVENTS_AT_ONCE];
    size_t count;
    bool enough = summary_init(summary, heaptap_reader_info(file->reader));
    summary_select(summary, file->passing);
    while (enough && (count = file->next(file, events, REPORT_EVENTS_AT_ONCE)) > 0)
        enough = summary_add(summary, events, count);
    if (enough)
        summary_finish(summary);
    if (file->passing)
        summary->last_us = summary->final_us = file->end_us;
    summary->end_us = run_end_us(file->reader, summary->last_us);
    return enough;
}

static bool tell_trace(struct answer *answer, const struct report *report)
{
    struct summary summary;
    bool done = summarize(&summary, report->file);
    struct info info = {
        .name = report->input.subject,
        .stored_bytes = report->file->stored_bytes,
        .compression = report->file->compression,
        .trace = heaptap_reader_info(report->file->reader),
        .summary = &summary,
        .notes = heaptap_reader_notes(report->file->reader),
        .is_complete = report->input.status == 0,
        .is_whole = report->input.is_whole,
        .filter = report->filter.text,
    };
    info.metadata = heaptap_reader_metadata(report->file->reader, &info.metadata_count);
    if (done)
        put_trace(answer, &info);
    summary_release(&summary);
    return done;
}

static bool tell_profile(struct answer *answer, const struct report *report)
{
    struct info_profile info = {.model = report->file->model,
                                .name = report->input.subject,
                                .stored_bytes = report->file->stored_bytes,
                                .compression = report->file->compression,
                                .filter = report->filter.text,
                                .is_whole = report->input.is_whole};
    bool done = info_profile_sum(&info, *report->filter.text ? &report->matcher : NULL);
    if (done)
        info_profile_put(answer, &info);
    info_profile_release(&info);
    return done;
}

enum report_outcome info_put(struct answer *answer, const struct report *report)
{
    report->file->tells_notes = true;
    return report_outcome_of((report->file->model ? tell_profile : tell_trace)(answer, report));
}

bool info_write_memtrace(const struct report *report, FILE *file)
{
    struct summary summary;
    const struct report_file *from = report->file;
    bool done = summarize(&summary, report->file);
    struct summary_memtrace trace = {report->input.subject, from->stored_bytes,
                                     heaptap_reader_info(from->reader), &summary};
    if (done)
        summary_memtrace_print(file, &trace);
    summary_release(&summary);
    return done;
}
