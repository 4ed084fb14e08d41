#include <string.h>
#include <time.h>

#include "export/json.h"
#include "export/range_json.h"
#include "export/summary_report.h"

enum { DOMAINS = 1 << 16 };

static const char *const source_names[] = {"minor", "major", "external"};

double summary_allocated_objects(const struct summary *summary)
{
    const double *objects = summary->allocated_objects;
    return objects[0] + objects[1] + objects[2];
}

uint64_t summary_allocated_samples(const struct summary *summary)
{
    const uint64_t *samples = summary->allocated_samples;
    return samples[0] + samples[1] + samples[2];
}

uint64_t summary_domain_allocations(const struct domain_summary *domain)
{
    return domain->allocations[0] + domain->allocations[1] + domain->allocations[2];
}

uint64_t summary_events(const struct summary *summary)
{
    const uint64_t *allocations = summary->allocations;
    return allocations[0] + allocations[1] + allocations[2] + summary->promotions +
           summary->collections;
}

const struct heaptap_metadata *summary_stop(const struct summary_report *report)
{
    for (size_t i = 0; i < report->metadata_count; i++)
        if (report->metadata[i].kind == HEAPTAP_STOPPED)
            return &report->metadata[i];
    return NULL;
}

const struct heaptap_metadata *summary_thread(const struct summary_report *report, unsigned domain)
{
    for (size_t i = 0; i < report->metadata_count; i++)
        if (report->metadata[i].kind == HEAPTAP_THREAD && report->metadata[i].domain == domain)
            return &report->metadata[i];
    return NULL;
}

static void put_bytes(struct json *json, const struct summary_report *report, const char *key,
                      uint64_t samples)
{
    json_put_double(json, key, estimate_bytes(&report->summary->estimate, (double)samples));
}

static void put_trace(struct json *json, const struct summary_report *report)
{
    const struct heaptap_trace_info *info = report->info;
    uint64_t events = summary_events(report->summary);
    char date[40] = "";
    time_t seconds = (time_t)(info->start_us / 1000000);
    struct tm tm;
    if (info->start_us != 0 && gmtime_r(&seconds, &tm))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_key(json, "trace");
    json_object(json);
    json_put_string(json, "name", report->name);
    json_put_bool(json, "complete", report->complete && !summary_stop(report));
    json_put_uint(json, "stored_bytes", report->stored_bytes);
    json_put_string(json, "compression", report->compression);
    json_put_uint(json, "trace_bytes", report->notes->bytes);
    if (!*report->filter)
        json_put_double(json, "bytes_per_event", (double)report->notes->bytes / (double)events);
    json_put_uint(json, "packets", report->notes->packets);
    json_put_uint(json, "format_version", info->version);
    json_put_double(json, "sample_rate", info->sample_rate);
    json_put_uint(json, "word_bits", info->word_bits);
    json_put_string(json, "executable", info->executable);
    json_put_string(json, "host", info->host);
    json_put_uint(json, "pid", info->pid);
    json_put_string(json, "runtime_params", info->runtime_params);
    json_put_string(json, "context", info->context);
    json_put_string(json, "started", date);
    json_put_int(json, "start_us", info->start_us);
    json_put_uint(json, "initial_domain", info->initial_domain);
    json_end(json);
}

static void put_events(struct json *json, const struct summary *summary)
{
    json_key(json, "events");
    json_object(json);
    json_put_uint(json, "total", summary_events(summary));
    for (int i = 0; i < SUMMARY_SOURCES; i++) {
        static const char *const keys[] = {"alloc_minor", "alloc_major", "alloc_external"};
        json_put_uint(json, keys[i], summary->allocations[i]);
    }
    json_put_uint(json, "promote", summary->promotions);
    json_put_uint(json, "collect", summary->collections);
    json_end(json);
}

static void put_time(struct json *json, const struct summary *summary)
{
    json_key(json, "time");
    json_object(json);
    json_put_int(json, "first_us", summary->first_us);
    json_put_int(json, "last_us", summary->last_us);
    json_put_int(json, "final_us", summary->final_us);
    json_end(json);
}

static void put_allocated(struct json *json, const struct summary_report *report)
{
    const struct summary *summary = report->summary;
    json_key(json, "allocated");
    json_object(json);
    put_bytes(json, report, "bytes", summary_allocated_samples(summary));
    range_json_put(json, "bytes_",
                   summary_bytes_range(summary, summary_allocated_samples(summary)));
    json_put_double(json, "objects", summary_allocated_objects(summary));
    range_json_put(json, "objects_", summary_objects_range(summary));
    json_put_uint(json, "samples", summary_allocated_samples(summary));
    for (int i = 0; i < SUMMARY_SOURCES; i++) {
        json_key(json, source_names[i]);
        json_object(json);
        json_put_uint(json, "samples", summary->allocated_samples[i]);
        put_bytes(json, report, "bytes", summary->allocated_samples[i]);
        json_put_double(json, "objects", summary->allocated_objects[i]);
        json_end(json);
    }
    put_bytes(json, report, "up_to_4_words_bytes", summary->up_to_4_samples);
    put_bytes(json, report, "up_to_16_words_bytes", summary->up_to_16_samples);
    put_bytes(json, report, "up_to_256_words_bytes", summary->up_to_256_samples);
    json_put_uint(json, "longest_words", summary->longest_words);
    json_end(json);
}

static void put_ends(struct json *json, const struct summary_report *report)
{
    const struct summary *summary = report->summary;
    put_bytes(json, report, "promoted_bytes", summary->promoted_samples);
    json_key(json, "collected");
    json_object(json);
    put_bytes(json, report, "minor_bytes", summary->collected_minor_samples);
    put_bytes(json, report, "major_bytes", summary->collected_major_samples);
    json_end(json);
    json_key(json, "live_at_end");
    json_object(json);
    json_put_uint(json, "sampled_blocks", summary->live_blocks);
    put_bytes(json, report, "bytes", summary->live_samples);
    range_json_put(json, "bytes_", summary_bytes_range(summary, summary->live_samples));
    json_put_double(json, "objects", summary->live_objects);
    range_json_put(json, "objects_", summary_live_objects_range(summary));
    json_put_uint(json, "samples", summary->live_samples);
    json_end(json);
    json_key(json, "peak");
    json_object(json);
    put_bytes(json, report, "bytes", (uint64_t)summary->peak.samples);
    range_json_put(json, "",
                   estimate_peak_range(&summary->estimate, (double)summary->peak.samples,
                                       (double)summary->peak.highest));
    json_put_uint(json, "samples", (uint64_t)summary->peak.samples);
    json_put_int(json, "time_us", summary->peak.time_us);
    json_put_bool(json, "exact", summary->estimate.sample_rate >= 1);
    json_end(json);
}

static void put_domain(struct json *json, const struct summary_report *report, unsigned number)
{
    const struct domain_summary *domain = report->summary->domains[number];
    const struct heaptap_metadata *thread = summary_thread(report, number);
    json_object(json);
    json_put_uint(json, "domain", number);
    if (thread) {
        json_put_string(json, "thread", thread->name);
        json_put_uint(json, "thread_id", thread->number);
    }
    json_put_uint(json, "allocations", summary_domain_allocations(domain));
    json_put_uint(json, "promotions", domain->promotions);
    json_put_uint(json, "collections", domain->collections);
    json_put_uint(json, "samples", domain->allocated_samples);
    put_bytes(json, report, "allocated_bytes", domain->allocated_samples);
    put_bytes(json, report, "promoted_bytes", domain->promoted_samples);
    put_bytes(json, report, "collected_bytes", domain->collected_samples);
    json_put_int(json, "first_us", domain->first_us);
    json_put_int(json, "last_us", domain->last_us);
    json_end(json);
}

static void put_module(struct json *json, const struct heaptap_metadata *module)
{
    char build_id[2 * HEAPTAP_BUILD_ID_MAX + 1] = "";
    for (unsigned i = 0; i < module->build_id_size && i < HEAPTAP_BUILD_ID_MAX; i++)
        snprintf(build_id + 2 * i, 3, "%02x", module->build_id[i]);
    json_put_string(json, "path", module->name);
    json_put_uint(json, "address", module->address);
    json_put_uint(json, "size_bytes", module->size_bytes);
    json_put_uint(json, "file_offset", module->file_offset);
    json_put_int(json, "loaded_us", module->loaded_us);
    if (module->unloaded_us >= 0)
        json_put_int(json, "unloaded_us", module->unloaded_us);
    if (module->build_id_size > 0)
        json_put_string(json, "build_id", build_id);
}

static void put_record(struct json *json, const struct heaptap_metadata *record)
{
    json_object(json);
    switch (record->kind) {
    case HEAPTAP_PROPERTY:
        json_put_string(json, "name", record->name);
        json_put_string(json, "value", record->value);
        break;
    case HEAPTAP_MODULE:
        put_module(json, record);
        break;
    case HEAPTAP_THREAD:
        json_put_uint(json, "domain", record->domain);
        json_put_string(json, "name", record->name);
        json_put_uint(json, "thread_id", record->number);
        break;
    case HEAPTAP_TYPE:
        json_put_string(json, "name", record->name);
        json_put_uint(json, "id", record->number);
        break;
    case HEAPTAP_STOPPED:
        json_put_uint(json, "time_us", record->number);
        json_put_string(json, "reason", record->name);
        break;
    case HEAPTAP_DROPS:
        json_put_uint(json, "domain", record->domain);
        json_put_string(json, "reason", record->name);
        json_put_uint(json, "samples", record->number);
        break;
    }
    json_end(json);
}

static void put_metadata(struct json *json, const struct summary_report *report)
{
    static const struct {
        const char *key;
        enum heaptap_metadata_kind kind;
    } lists[] = {{"properties", HEAPTAP_PROPERTY}, {"modules", HEAPTAP_MODULE},
                 {"threads", HEAPTAP_THREAD},      {"types", HEAPTAP_TYPE},
                 {"drops", HEAPTAP_DROPS},         {"ended_early", HEAPTAP_STOPPED}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        json_key(json, lists[i].key);
        json_array(json);
        for (size_t k = 0; k < report->metadata_count; k++)
            if (report->metadata[k].kind == lists[i].kind)
                put_record(json, &report->metadata[k]);
        json_end(json);
    }
}

static void put_notes(struct json *json, const struct summary_report *report)
{
    const struct heaptap_reader_notes *notes = report->notes;
    const struct summary *summary = report->summary;
    json_key(json, "notes");
    json_object(json);
    json_put_uint(json, "foreign_packets", notes->foreign_packets);
    json_put_uint(json, "clock_steps", notes->clock_steps);
    json_put_uint(json, "location_conflicts", notes->location_conflicts);
    json_put_uint(json, "damaged_locations", notes->damaged_locations);
    json_put_uint(json, "empty_gaps", notes->empty_gaps);
    json_put_uint(json, "odd_promotions", summary->odd_promotions);
    json_put_uint(json, "unknown_promotions", summary->unknown_promotions);
    json_put_uint(json, "unknown_collections", summary->unknown_collections);
    json_end(json);
}

void summary_print_json(FILE *file, const struct summary_report *report)
{
    struct json json;
    json_init(&json, file);
    json_object(&json);
    put_trace(&json, report);
    json_put_string(&json, "filter", report->filter);
    put_events(&json, report->summary);
    put_time(&json, report->summary);
    put_allocated(&json, report);
    put_ends(&json, report);
    json_key(&json, "domains");
    json_array(&json);
    for (unsigned i = 0; i < DOMAINS; i++)
        if (report->summary->domains[i])
            put_domain(&json, report, i);
    json_end(&json);
    put_metadata(&json, report);
    put_notes(&json, report);
    json_end(&json);
}
