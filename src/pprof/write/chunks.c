/* Events stand in chunks, each of them a period type with a field that pprof skips: whoever merges
 * messages takes the chunks of a profile for one, and its name and unit for the last one's. */
#include "pprof/write/writing.h"

#include "spec/pprof_events.h"

static void begin_chunk(struct pprof_writing *writing)
{
    protobuf_begin(&writing->encoding.out, PROFILE_PERIOD_TYPE);
    pprof_encode_type(&writing->encoding, &writing->encoding.model->file->period_type);
    protobuf_begin(&writing->encoding.out, TYPE_EVENTS);
}

static void end_chunk(struct pprof_writing *writing)
{
    protobuf_end(&writing->encoding.out);
    protobuf_end(&writing->encoding.out);
}

void pprof_export_chunk(struct pprof_writing *writing)
{
    begin_chunk(writing);
    pprof_events_put(writing->export->events, &writing->encoding.out);
    end_chunk(writing);
}

static void put_codes(struct pprof_writing *writing)
{
    uint64_t last = 0;
    protobuf_begin(&writing->encoding.out, CHUNK_CODES);
    for (uint32_t i = 0; i < writing->location_count; i++) {
        uint64_t code = pprof_places_code(writing, writing->locations[i]);
        protobuf_item(&writing->encoding.out, pprof_events_zigzag((int64_t)(code - last)));
        last = code;
    }
    protobuf_end(&writing->encoding.out);
}

/* The characters of each line of each location, as the profile has these. */
static void put_characters(struct pprof_writing *writing)
{
    const struct frame_source *frames = writing->export->frames;
    protobuf_begin(&writing->encoding.out, CHUNK_CHARACTERS);
    for (uint32_t i = 0; i < writing->location_count; i++) {
        size_t count = 0;
        const struct heaptap_location *locations =
            writing->locations[i] < frames->frame_count
                ? frames->locations(frames->context, writing->locations[i], &count)
                : NULL;
        while (count-- > 0) {
            protobuf_item(&writing->encoding.out, locations[count].start_char);
            protobuf_item(&writing->encoding.out,
                          pprof_events_zigzag((int64_t)locations[count].end_char -
                                              locations[count].start_char));
        }
    }
    protobuf_end(&writing->encoding.out);
}

/* Locations whose line is no more than their code in words. */
static void put_nameless(struct pprof_writing *writing)
{
    const struct frame_source *frames = writing->export->frames;
    protobuf_begin(&writing->encoding.out, CHUNK_NAMELESS);
    for (uint32_t i = 0; i < writing->location_count; i++) {
        size_t count = 1;
        if (writing->locations[i] < frames->frame_count)
            frames->locations(frames->context, writing->locations[i], &count);
        if (count == 0)
            protobuf_item(&writing->encoding.out, (uint64_t)i + 1);
    }
    protobuf_end(&writing->encoding.out);
}

/* The last chunk: what the profile itself has no place for. */
void pprof_chunks_put_last(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    begin_chunk(writing);
    pprof_events_put(export->events, &writing->encoding.out);
    pprof_events_put_metadata(export->metadata, export->metadata_count, &writing->encoding.out);
    put_codes(writing);
    put_characters(writing);
    put_nameless(writing);
    if (writing->location_ids[export->frames->frame_count])
        protobuf_number(&writing->encoding.out, CHUNK_NO_FRAME,
                        writing->location_ids[export->frames->frame_count]);
    end_chunk(writing);
    writing->encoding.failed |= export->events->failed;
}
