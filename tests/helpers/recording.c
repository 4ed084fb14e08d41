#include "helpers/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 32;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = mix(hash, (uint8_t)*text);
    return mix(hash, 0x100);
}

void recording_release(struct recording *recording)
{
    free(recording->events);
    *recording = (struct recording){0};
}

/* Hashes of the last stack's beginnings: one frame, two, ...  A stack is hashed from the first
 * frame that is new. */
struct prefixes {
    uint64_t *hashes;
    uint32_t *frames;
    size_t hash_capacity, frame_capacity;
    uint32_t length;
    uint32_t domain; /* whose stack it is */
};

static uint64_t stack_hash(struct prefixes *prefixes, const struct heaptap_reader *reader,
                           const struct heaptap_event *event)
{
    uint32_t known = heaptap_reader_frame_count(reader), length = event->stack_length;
    uint32_t shared = event->domain == prefixes->domain ? event->stack_shared : 0;
    if (shared > length || shared > prefixes->length ||
        (shared > 0 && (prefixes->frames[0] != event->stack[0] ||
                        prefixes->frames[shared - 1] != event->stack[shared - 1])))
        abort();
    if (!ARRAY_RESERVE(&prefixes->hashes, &prefixes->hash_capacity, length) ||
        !ARRAY_RESERVE(&prefixes->frames, &prefixes->frame_capacity, length))
        abort();
    uint64_t hash = shared > 0 ? prefixes->hashes[shared - 1] : 0;
    for (uint32_t i = shared; i < length; i++) {
        if (event->stack[i] >= known)
            abort();
        hash = mix(hash, heaptap_reader_frame_code(reader, event->stack[i]));
        prefixes->hashes[i] = hash;
        prefixes->frames[i] = event->stack[i];
    }
    prefixes->length = length;
    prefixes->domain = event->domain;
    return hash;
}

static void add(struct recording *recording, struct prefixes *prefixes,
                const struct heaptap_reader *reader, const struct heaptap_event *event)
{
    struct recorded recorded = {.event = *event};
    recorded.event.stack = NULL;
    if (event->kind > HEAPTAP_COLLECT)
        abort();
    if (event->kind == HEAPTAP_ALLOC) {
        if (event->source > HEAPTAP_EXTERNAL || event->samples < 1 ||
            event->stack_shared > event->stack_length)
            abort();
        recorded.stack_hash = stack_hash(prefixes, reader, event);
    }
    if (!ARRAY_RESERVE(&recording->events, &recording->capacity, recording->count + 1))
        abort();
    recording->events[recording->count++] = recorded;
}

void recording_take(struct recording *recording, struct heaptap_reader *reader)
{
    struct prefixes prefixes = {.domain = UINT32_MAX};
    struct heaptap_event event;
    memset(&event, 0, sizeof event);
    while ((recording->end = heaptap_reader_next(reader, &event, &recording->error)) == HEAPTAP_OK)
        add(recording, &prefixes, reader, &event);
    free(prefixes.hashes);
    free(prefixes.frames);
    struct heaptap_error again;
    if (heaptap_reader_next(reader, &event, &again) != recording->end)
        abort();
    recording->notes = *heaptap_reader_notes(reader);
}

void recording_read(struct recording *recording, const void *data, size_t size,
                    const struct heaptap_reader_options *options)
{
    struct heaptap_reader *reader;
    *recording = (struct recording){0};
    recording->end = heaptap_reader_open_memory(&reader, data, size, options, &recording->error);
    if (recording->end != HEAPTAP_OK) {
        if (reader)
            abort();
        return;
    }
    recording_take(recording, reader);
    heaptap_reader_close(reader);
}

bool recorded_same(const struct recorded *a, const struct recorded *b)
{
    const struct heaptap_event *x = &a->event, *y = &b->event;
    if (x->kind != y->kind || x->domain != y->domain || x->time_us != y->time_us || x->id != y->id)
        return false;
    return x->kind != HEAPTAP_ALLOC ||
           (x->source == y->source && x->length == y->length && x->samples == y->samples &&
            x->stack_length == y->stack_length && a->stack_hash == b->stack_hash);
}

size_t recording_common(const struct recording *a, const struct recording *b)
{
    size_t count = 0;
    while (count < a->count && count < b->count &&
           recorded_same(&a->events[count], &b->events[count]))
        count++;
    return count;
}

uint64_t recording_frame_hash(const struct heaptap_reader *reader, uint32_t frame)
{
    size_t count;
    const struct heaptap_location *locations =
        heaptap_reader_frame_locations(reader, frame, &count);
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = mix_text(mix_text(hash, locations[i].file), locations[i].function);
        hash = mix(mix(hash, locations[i].line), locations[i].start_char);
        hash = mix(hash, locations[i].end_char);
    }
    return hash;
}
