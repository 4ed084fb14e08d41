/* What is about the whole trace stands in any of the chunks, so all are gone through once for that;
 * then again, one at a time, for the events.  Each column of a chunk is a list of its own, read in
 * step with `what`. */
#include "pprof/read/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "spec/pprof_events.h"
#include "pprof/read/events_whole.h"
#include "profile/block_list.h"

enum { COLUMNS = CHUNK_JUMPS - CHUNK_WHAT + 1, DOMAINS = 1 << 16 };

/* The last allocation of a domain. */
struct domain {
    uint64_t next_id; /* of its next one */
    uint64_t sample;  /* one more than its number; 0: none yet */
};

struct pprof_events_reader {
    struct pprof_events_whole whole;
    size_t chunk;                 /* the next one */
    struct wire columns[COLUMNS]; /* of the present one: what is left of them */
    uint64_t chunk_offset;        /* in the file */
    uint16_t domain;
    int64_t time_us;
    uint64_t last_id;
    uint64_t samples; /* met so far */
    struct domain *domains;
    struct block_list blocks;
    uint32_t *stack; /* of the last allocation, caller first */
    size_t stack_capacity;
};

/* ---- Opening and closing ------------------------------------------------------------- */

bool pprof_has_events(const struct model *model)
{
    return model->file->chunk_count > 0;
}

enum heaptap_status pprof_events_open(struct pprof_events_reader **result,
                                      const struct model *model, struct heaptap_error *error)
{
    struct pprof_events_reader *reader = calloc(1, sizeof *reader);
    *result = NULL;
    if (!reader)
        return error_no_memory(error);
    reader->domains = calloc(DOMAINS, sizeof *reader->domains);
    bool has_room = block_list_init(&reader->blocks) && reader->domains;
    enum heaptap_status status = pprof_events_whole_read(&reader->whole, model, error);
    if (status == HEAPTAP_OK && !has_room)
        status = error_no_memory(error);
    if (status != HEAPTAP_OK) {
        pprof_events_close(reader);
        return status;
    }
    *result = reader;
    return HEAPTAP_OK;
}

void pprof_events_close(struct pprof_events_reader *reader)
{
    if (!reader)
        return;
    pprof_events_whole_release(&reader->whole);
    block_list_release(&reader->blocks);
    free(reader->domains);
    free(reader->stack);
    free(reader);
}

const struct heaptap_trace_info *pprof_events_info(const struct pprof_events_reader *reader)
{
    return &reader->whole.info;
}

const struct heaptap_metadata *pprof_events_metadata(const struct pprof_events_reader *reader,
                                                     size_t *count)
{
    *count = reader->whole.metadata_count;
    return reader->whole.metadata;
}

uint64_t pprof_events_code(const struct pprof_events_reader *reader, uint32_t location)
{
    return reader->whole.codes[location];
}

size_t pprof_events_describe(void *reader, uint64_t code, struct heaptap_location *locations,
                             size_t max)
{
    const struct pprof_events_reader *own = reader;
    return pprof_events_whole_describe(&own->whole, code, locations, max);
}

/* ---- Events -------------------------------------------------------------------------- */

/* Begins the next chunk that has events; HEAPTAP_END after the last. */
static enum heaptap_status next_chunk(struct pprof_events_reader *reader,
                                      struct heaptap_error *error)
{
    const struct wire *what = &reader->columns[0];
    while (what->at == what->end) {
        if (reader->chunk == reader->whole.model->file->chunk_count)
            return HEAPTAP_END;
        const struct profile_chunk *chunk = &reader->whole.model->file->chunks[reader->chunk++];
        struct wire wire = pprof_chunk_wire(chunk);
        struct wire_field field;
        enum heaptap_status status;
        reader->chunk_offset = chunk->offset;
        for (unsigned i = 0; i < COLUMNS; i++)
            reader->columns[i] = (struct wire){chunk->bytes, chunk->bytes, chunk->bytes};
        while ((status = wire_next(&wire, &field, error)) == HEAPTAP_OK)
            if (field.number >= CHUNK_WHAT && field.number <= CHUNK_JUMPS)
                reader->columns[field.number - CHUNK_WHAT] = field.content;
        if (status != HEAPTAP_END)
            return status;
    }
    return HEAPTAP_OK;
}

/* The next number of a column, by its field. */
static enum heaptap_status take(struct pprof_events_reader *reader, unsigned field, uint64_t *value,
                                struct heaptap_error *error)
{
    struct wire *column = &reader->columns[field - CHUNK_WHAT];
    if (column->at == column->end)
        return error_at(error, wire_offset(column),
                        "field %u of the events ends before their field %d does", field,
                        CHUNK_WHAT);
    return wire_varint(column, value, error);
}

static enum heaptap_status fail_at(struct pprof_events_reader *reader, unsigned field,
                                   const char *what, uint64_t value, struct heaptap_error *error)
{
    return error_at(error, wire_offset(&reader->columns[field - CHUNK_WHAT]), what,
                    (unsigned long long)value);
}

static bool length_of_sample(const struct model *model, size_t sample, uint64_t *bytes)
{
    const struct profile_file *file = model->file;
    for (size_t i = file->first_label[sample]; i < file->first_label[sample + 1]; i++) {
        *bytes = (uint64_t)file->labels[i].number;
        if (strcmp(file->labels[i].key, "bytes") == 0)
            return true;
    }
    return false;
}

/* How many of the outermost frames two samples share. */
static uint32_t shared_frames(const struct model *model, size_t a, size_t b)
{
    const struct profile_file *file = model->file;
    size_t of_a = file->first_frame[a + 1], of_b = file->first_frame[b + 1];
    uint32_t shared = 0;
    while (of_a > file->first_frame[a] && of_b > file->first_frame[b] &&
           file->frames[of_a - 1] == file->frames[of_b - 1]) {
        of_a--;
        of_b--;
        shared++;
    }
    return shared;
}

/* Fills in the stack of a sample; false when there is no memory. */
static bool take_stack(struct pprof_events_reader *reader, size_t sample,
                       struct heaptap_event *event)
{
    const struct model *model = reader->whole.model;
    const struct profile_file *file = model->file;
    struct domain *domain = &reader->domains[reader->domain];
    size_t first = file->first_frame[sample], count = file->first_frame[sample + 1] - first;
    if (count == 1 && file->frames[first] == reader->whole.no_frame)
        count = 0;
    if (!ARRAY_RESERVE(&reader->stack, &reader->stack_capacity, count + 1))
        return false;
    for (size_t i = 0; i < count; i++)
        reader->stack[i] = file->frames[first + count - 1 - i];
    event->stack = reader->stack;
    event->stack_length = (uint32_t)count;
    event->stack_shared =
        domain->sample && count > 0 ? shared_frames(model, domain->sample - 1, sample) : 0;
    event->common_prefix = event->stack_shared;
    domain->sample = sample + 1;
    return true;
}

static uint64_t usual_samples(const struct pprof_events_reader *reader, uint64_t length)
{
    if (reader->whole.info.sample_rate < 1)
        return 1;
    uint64_t words = length + (reader->whole.info.word_bits > 8);
    return words ? words : 1;
}

static enum heaptap_status take_alloc(struct pprof_events_reader *reader, unsigned what,
                                      struct heaptap_event *event, struct heaptap_error *error)
{
    struct domain *domain = &reader->domains[reader->domain];
    unsigned kind = what & ~(unsigned)WHAT_EXPLICIT;
    bool is_new = kind < WHAT_ALLOC_KNOWN;
    uint64_t sample = reader->samples, back = 0, bytes;
    enum heaptap_status status = HEAPTAP_OK;
    if (!is_new) {
        status = take(reader, CHUNK_KNOWN, &back, error);
        sample -= back + 1;
    }
    if (status != HEAPTAP_OK)
        return status;
    if (back >= reader->samples + is_new || sample >= reader->whole.model->file->sample_count)
        return fail_at(reader, CHUNK_KNOWN, "there is no sample %llu", sample, error);
    reader->samples += is_new;
    if (!length_of_sample(reader->whole.model, sample, &bytes))
        return fail_at(reader, CHUNK_WHAT, "sample %llu has no label `bytes`", sample, error);
    event->kind = HEAPTAP_ALLOC;
    event->source = (enum heaptap_source)(kind - (is_new ? WHAT_ALLOC_NEW : WHAT_ALLOC_KNOWN));
    event->length = bytes / (reader->whole.info.word_bits / 8);
    event->samples = usual_samples(reader, event->length);
    event->id = domain->next_id++;
    reader->last_id = event->id;
    if (what & WHAT_EXPLICIT)
        status = take(reader, CHUNK_SAMPLES, &event->samples, error);
    if (status == HEAPTAP_OK && event->samples == 0)
        return fail_at(reader, CHUNK_SAMPLES, "a block here has %llu samples", 0, error);
    if (status == HEAPTAP_OK &&
        (!take_stack(reader, sample, event) || !block_list_add(&reader->blocks, event->id)))
        return error_no_memory(error);
    return status;
}

static enum heaptap_status take_other(struct pprof_events_reader *reader, unsigned what,
                                      struct heaptap_event *event, struct heaptap_error *error)
{
    unsigned cursor = what & ~(unsigned)WHAT_EXPLICIT;
    uint64_t value = 0;
    enum heaptap_status status =
        take(reader, what & WHAT_EXPLICIT ? CHUNK_BLOCKS : CHUNK_STEPS, &value, error);
    if (status != HEAPTAP_OK)
        return status;
    event->kind = cursor == WHAT_COLLECT ? HEAPTAP_COLLECT : HEAPTAP_PROMOTE;
    if (what & WHAT_EXPLICIT)
        event->id = reader->last_id + (uint64_t)wire_signed(value);
    else if (!block_list_at(&reader->blocks, cursor, wire_signed(value), &event->id))
        return fail_at(reader, CHUNK_STEPS, "the step %llu leads to no block", value, error);
    block_list_named(&reader->blocks, cursor, event->id, cursor == WHAT_COLLECT);
    return HEAPTAP_OK;
}

/* What is no event. */
static enum heaptap_status take_turn(struct pprof_events_reader *reader, unsigned what,
                                     struct heaptap_error *error)
{
    uint64_t value = 0;
    enum heaptap_status status =
        take(reader, what == WHAT_DOMAIN ? CHUNK_DOMAINS : CHUNK_JUMPS, &value, error);
    if (status != HEAPTAP_OK)
        return status;
    if (what == WHAT_DOMAIN && value >= DOMAINS)
        return fail_at(reader, CHUNK_DOMAINS, "there is no domain %llu", value, error);
    if (what == WHAT_DOMAIN)
        reader->domain = (uint16_t)value;
    else
        reader->domains[reader->domain].next_id += (uint64_t)wire_signed(value);
    return HEAPTAP_OK;
}

static enum heaptap_status take_event(struct pprof_events_reader *reader,
                                      struct heaptap_event *event, bool *is_event,
                                      struct heaptap_error *error)
{
    uint64_t what = 0, time = 0;
    enum heaptap_status status = take(reader, CHUNK_WHAT, &what, error);
    if (status != HEAPTAP_OK)
        return status;
    uint64_t kind = what & ~(uint64_t)WHAT_EXPLICIT;
    *is_event = kind < WHAT_DOMAIN;
    if (kind >= WHAT_KINDS || (!*is_event && what != kind))
        return fail_at(reader, CHUNK_WHAT, "there is no event of kind %llu", what, error);
    if (!*is_event)
        return take_turn(reader, (unsigned)kind, error);
    *event = (struct heaptap_event){.domain = reader->domain};
    status = kind >= WHAT_ALLOC_NEW ? take_alloc(reader, (unsigned)what, event, error)
                                    : take_other(reader, (unsigned)what, event, error);
    if (status == HEAPTAP_OK)
        status = take(reader, CHUNK_TIMES, &time, error);
    reader->time_us = (int64_t)((uint64_t)reader->time_us + (uint64_t)wire_signed(time));
    event->time_us = reader->time_us;
    return status;
}

enum heaptap_status pprof_events_next(struct pprof_events_reader *reader,
                                      struct heaptap_event *event, struct heaptap_error *error)
{
    bool is_event = false;
    enum heaptap_status status = HEAPTAP_OK;
    while (status == HEAPTAP_OK && !is_event) {
        status = next_chunk(reader, error);
        if (status == HEAPTAP_OK)
            status = take_event(reader, event, &is_event, error);
    }
    return pprof_at_chunk(status, reader->chunk_offset, error);
}
