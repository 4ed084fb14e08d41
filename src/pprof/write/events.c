#include "pprof/write/events.h"

#include <stdlib.h>
#include <string.h>

#include "spec/pprof_events.h"

enum { DOMAINS = 1 << 16 };

/* Columns, in the order of their fields. */
enum column { WHAT, TIMES, KNOWN, SAMPLES, STEPS, BLOCKS, COLUMN_DOMAINS, JUMPS };

bool pprof_events_init(struct pprof_events *events, const struct heaptap_trace_info *info,
                       bool with_host)
{
    *events = (struct pprof_events){.info = info, .with_host = with_host};
    events->next_ids = calloc(DOMAINS, sizeof *events->next_ids);
    return block_list_init(&events->blocks) && events->next_ids;
}

void pprof_events_release(struct pprof_events *events)
{
    for (int i = 0; i < EVENT_COLUMNS; i++)
        text_release(&events->columns[i]);
    block_list_release(&events->blocks);
    free(events->next_ids);
    *events = (struct pprof_events){0};
}

static void put(struct pprof_events *events, enum column column, uint64_t value)
{
    protobuf_pack(&events->columns[column], value);
}

static void put_signed(struct pprof_events *events, enum column column, uint64_t value)
{
    put(events, column, pprof_events_zigzag((int64_t)value));
}

/* How many samples a block has where nothing is told of it. */
static uint64_t usual_samples(const struct pprof_events *events, uint64_t length)
{
    if (events->info->sample_rate < 1)
        return 1;
    uint64_t words = length + (events->info->word_bits > 8);
    return words ? words : 1;
}

static void add_alloc(struct pprof_events *events, const struct heaptap_event *event,
                      uint64_t sample)
{
    uint64_t *next_id = &events->next_ids[event->domain];
    bool is_new = sample == events->sample_count;
    bool is_told = event->samples != usual_samples(events, event->length);
    if (event->id != *next_id) {
        put(events, WHAT, WHAT_JUMP);
        put_signed(events, JUMPS, event->id - *next_id);
    }
    *next_id = event->id + 1;
    events->last_id = event->id;
    put(events, WHAT,
        (uint64_t)(is_new ? WHAT_ALLOC_NEW : WHAT_ALLOC_KNOWN) + event->source +
            (is_told ? WHAT_EXPLICIT : 0));
    if (!is_new)
        put(events, KNOWN, events->sample_count - 1 - sample);
    if (is_told)
        put(events, SAMPLES, event->samples);
    events->sample_count += is_new;
    events->failed |= !block_list_add(&events->blocks, event->id);
}

static void add_other(struct pprof_events *events, const struct heaptap_event *event)
{
    int64_t steps;
    bool ended = event->kind == HEAPTAP_COLLECT;
    unsigned what = ended ? WHAT_COLLECT : WHAT_PROMOTE;
    if (block_list_steps(&events->blocks, what, event->id, &steps)) {
        put(events, WHAT, what);
        put(events, STEPS, pprof_events_zigzag(steps));
    } else {
        put(events, WHAT, what + WHAT_EXPLICIT);
        put_signed(events, BLOCKS, event->id - events->last_id);
    }
    block_list_named(&events->blocks, what, event->id, ended);
}

void pprof_events_add(struct pprof_events *events, const struct heaptap_event *event,
                      uint64_t sample)
{
    if (event->domain != events->domain) {
        put(events, WHAT, WHAT_DOMAIN);
        put(events, COLUMN_DOMAINS, event->domain);
        events->domain = event->domain;
    }
    if (event->kind == HEAPTAP_ALLOC)
        add_alloc(events, event, sample);
    else
        add_other(events, event);
    put_signed(events, TIMES, (uint64_t)event->time_us - (uint64_t)events->time_us);
    events->time_us = event->time_us;
    events->count++;
}

static void put_text(struct protobuf *out, unsigned field, const char *text)
{
    if (text && *text)
        protobuf_bytes(out, field, text, strlen(text));
}

static void put_info(const struct pprof_events *events, struct protobuf *out)
{
    const struct heaptap_trace_info *info = events->info;
    uint64_t rate;
    memcpy(&rate, &info->sample_rate, sizeof rate);
    protobuf_begin(out, CHUNK_INFO);
    protobuf_number(out, INFO_RATE, rate);
    protobuf_number(out, INFO_WORD_BITS, info->word_bits);
    put_text(out, INFO_EXECUTABLE, info->executable);
    put_text(out, INFO_HOST, events->with_host ? info->host : NULL);
    put_text(out, INFO_RUNTIME_PARAMS, info->runtime_params);
    put_text(out, INFO_CONTEXT, info->context);
    protobuf_number(out, INFO_PID, info->pid);
    protobuf_number(out, INFO_START, pprof_events_zigzag(info->start_us));
    protobuf_number(out, INFO_INITIAL_DOMAIN, info->initial_domain);
    protobuf_number(out, INFO_VERSION, info->version);
    protobuf_end(out);
}

void pprof_events_put(struct pprof_events *events, struct protobuf *out)
{
    if (!events->begun) {
        protobuf_number(out, CHUNK_VERSION, EVENTS_VERSION);
        put_info(events, out);
    }
    events->begun = true;
    for (unsigned i = 0; i < EVENT_COLUMNS; i++) {
        struct text *column = &events->columns[i];
        if (column->size > 0)
            protobuf_bytes(out, CHUNK_WHAT + i, column->bytes, column->size);
        events->failed |= column->failed;
        column->size = 0;
    }
    events->count = 0;
}

static void put_record(const struct heaptap_metadata *record, struct protobuf *out)
{
    protobuf_begin(out, CHUNK_METADATA);
    protobuf_number(out, METADATA_KIND, record->kind);
    put_text(out, METADATA_NAME, record->name);
    put_text(out, METADATA_VALUE, record->value);
    protobuf_number(out, METADATA_NUMBER, record->number);
    protobuf_number(out, METADATA_DOMAIN, record->domain);
    if (record->kind == HEAPTAP_MODULE) {
        protobuf_number(out, METADATA_ADDRESS, record->address);
        protobuf_number(out, METADATA_SIZE, record->size_bytes);
        protobuf_number(out, METADATA_OFFSET, record->file_offset);
        protobuf_number(out, METADATA_LOADED, pprof_events_zigzag(record->loaded_us));
        protobuf_number(out, METADATA_UNLOADED, pprof_events_zigzag(record->unloaded_us));
        protobuf_bytes(out, METADATA_BUILD_ID, record->build_id, record->build_id_size);
    }
    if (record->kind == HEAPTAP_TEST) {
        protobuf_number(out, METADATA_BEGIN, pprof_events_zigzag(record->begin_us));
        protobuf_number(out, METADATA_END, pprof_events_zigzag(record->end_us));
    }
    protobuf_end(out);
}

void pprof_events_put_metadata(const struct heaptap_metadata *records, size_t count,
                               struct protobuf *out)
{
    for (size_t i = 0; i < count; i++)
        put_record(&records[i], out);
}
