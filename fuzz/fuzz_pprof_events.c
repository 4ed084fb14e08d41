/* Any bytes at all, given as the events of a small sound profile; and as a whole profile.  Events
 * that are read must be such as a trace could have. */
#include <stdlib.h>

#include "spec/pprof_events.h"
#include "spec/pprof_fields.h"
#include "pprof/read/events.h"
#include "pprof/write/protobuf.h"

enum { SAMPLES = 3, EVENTS_MAX = 100000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static int keep(void *context, const void *data, size_t size)
{
    struct text *text = context;
    text_put(text, data, size);
    return text->failed;
}

static void put_pair(struct protobuf *out, unsigned field, uint64_t a, uint64_t b)
{
    protobuf_begin(out, field);
    protobuf_number(out, 1, a);
    protobuf_number(out, 2, b);
    protobuf_end(out);
}

/* Three samples of up to three locations, of two lines each; `data` are the events. */
static void make_profile(struct text *profile, const uint8_t *data, size_t size)
{
    static const char *const strings[] = {"", "space", "bytes", "f"};
    struct protobuf out;
    protobuf_init(&out, (struct heaptap_sink){keep, profile});
    put_pair(&out, PROFILE_SAMPLE_TYPE, 1, 2);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        protobuf_begin(&out, PROFILE_SAMPLE);
        for (uint64_t k = 0; k <= i; k++)
            protobuf_number(&out, SAMPLE_LOCATION, 1 + (i + k) % 3);
        protobuf_number(&out, SAMPLE_VALUE, i);
        protobuf_begin(&out, SAMPLE_LABEL);
        protobuf_number(&out, LABEL_KEY, 2);
        protobuf_number(&out, LABEL_NUMBER, 8 * i);
        protobuf_end(&out);
        protobuf_end(&out);
        protobuf_begin(&out, PROFILE_LOCATION);
        protobuf_number(&out, LOCATION_ID, i + 1);
        put_pair(&out, LOCATION_LINE, 1, i);
        put_pair(&out, LOCATION_LINE, 1, 5);
        protobuf_end(&out);
    }
    put_pair(&out, PROFILE_FUNCTION, 1, 3);
    for (int i = 0; i < 4; i++)
        protobuf_bytes(&out, PROFILE_STRING, strings[i], strlen(strings[i]));
    protobuf_begin(&out, PROFILE_PERIOD_TYPE);
    protobuf_bytes(&out, TYPE_EVENTS, data, size);
    protobuf_end(&out);
    require(protobuf_finish(&out) == 0);
}

static void check_event(const struct model *model, const struct pprof_events_reader *reader,
                        const struct heaptap_event *event)
{
    struct heaptap_location locations[4];
    if (event->kind != HEAPTAP_ALLOC)
        return;
    require(event->samples > 0 && event->source <= HEAPTAP_EXTERNAL);
    require(event->stack_shared <= event->stack_length);
    for (uint32_t i = 0; i < event->stack_length; i++) {
        require(event->stack[i] < model->frame_count);
        uint64_t code = pprof_events_code(reader, event->stack[i]);
        require(pprof_events_describe((void *)reader, code, locations, 4) <= 4);
    }
}

static void read_events(const struct model *model)
{
    struct pprof_events_reader *reader;
    struct heaptap_event event;
    struct heaptap_error error;
    enum heaptap_status status = pprof_events_open(&reader, model, &error);
    size_t count;
    if (status != HEAPTAP_OK) {
        require(!reader && error.status == status && error.message[0]);
        return;
    }
    const struct heaptap_metadata *records = pprof_events_metadata(reader, &count);
    for (size_t i = 0; i < count; i++)
        require(records[i].name && records[i].value);
    for (int i = 0; i < EVENTS_MAX && status == HEAPTAP_OK; i++) {
        status = pprof_events_next(reader, &event, &error);
        if (status == HEAPTAP_OK)
            check_event(model, reader, &event);
    }
    require(status == HEAPTAP_OK || status == HEAPTAP_END || error.message[0]);
    pprof_events_close(reader);
}

static void try(const void *data, size_t size)
{
    struct model *model;
    if (pprof_decode(&model, data, size, NULL) == HEAPTAP_OK && pprof_has_events(model))
        read_events(model);
    model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text profile = {0};
    make_profile(&profile, data, size);
    try(profile.bytes, profile.size);
    text_release(&profile);
    try(data, size);
    return 0;
}
