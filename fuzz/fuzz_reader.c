/* Any bytes at all, given to the trace reader: in both orders, with and without stacks.  Whatever
 * events it finds are then written by the writer, and must be read back as they were. */
#include <stdlib.h>

#include "helpers/recording.h"
#include "helpers/rewrite.h"

enum {
    COMPARED_FRAMES = 2000,     /* deeper stacks may not fit a packet: the writer shortens them */
    REWRITTEN_FRAMES = 1 << 20, /* of all stacks: a few damaged bytes can ask for any number */
    MAX_DOMAINS = 32,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up_everything(const uint8_t *data, size_t size)
{
    struct heaptap_reader *reader;
    struct heaptap_event event;
    struct heaptap_error error;
    size_t count;
    if (heaptap_reader_open_memory(&reader, data, size, NULL, &error) != HEAPTAP_OK)
        return;
    while (heaptap_reader_next(reader, &event, &error) == HEAPTAP_OK)
        ;
    for (uint32_t i = 0; i < heaptap_reader_frame_count(reader); i++)
        recording_frame_hash(reader, i);
    const struct heaptap_metadata *metadata = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++)
        if (!metadata[i].name || (metadata[i].kind == HEAPTAP_PROPERTY && !metadata[i].value) ||
            metadata[i].build_id_size > HEAPTAP_BUILD_ID_MAX)
            abort();
    heaptap_reader_close(reader);
}

static uint64_t frames_of(const struct recording *recording)
{
    uint64_t frames = 0;
    for (size_t i = 0; i < recording->count; i++)
        frames += recording->events[i].event.stack_length;
    return frames;
}

static unsigned domains_of(const struct recording *recording)
{
    static bool seen[1 << 16];
    unsigned count = 0;
    for (size_t i = 0; i < recording->count; i++) {
        count += !seen[recording->events[i].event.domain];
        seen[recording->events[i].event.domain] = true;
    }
    for (size_t i = 0; i < recording->count; i++)
        seen[recording->events[i].event.domain] = false;
    return count;
}

/* The two tell the same, or the stack was too deep for the writer. */
static bool survived(const struct recorded *before, const struct recorded *after)
{
    struct recorded expected = *before;
    if (before->event.kind == HEAPTAP_ALLOC && before->event.stack_length > COMPARED_FRAMES) {
        expected.event.stack_length = after->event.stack_length;
        expected.stack_hash = after->stack_hash;
    }
    return recorded_same(&expected, after);
}

/* By domain, and within it as in the file: the writer may order packets of several domains anew. */
static int compare(const void *a, const void *b)
{
    const struct heaptap_event *x = &((const struct recorded *)a)->event,
                               *y = &((const struct recorded *)b)->event;
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* A damaged reference may ask for the block before the first, whose number is that of none: the writer leaves it out. */
static void leave_out_none(struct recording *recording)
{
    size_t kept = 0;
    for (size_t i = 0; i < recording->count; i++)
        if (recording->events[i].event.id != HEAPTAP_NO_ID)
            recording->events[kept++] = recording->events[i];
    recording->count = kept;
}

/* Writes the events and reads them again. */
static void check_rewrite(const uint8_t *data, size_t size, struct recording *before)
{
    struct bytes written = {0};
    struct recording after;
    if (frames_of(before) > REWRITTEN_FRAMES || domains_of(before) > MAX_DOMAINS)
        return;
    if (rewrite(data, size, NULL, 3, MAX_DOMAINS, &written) != before->end)
        abort();
    leave_out_none(before);
    recording_read(&after, written.items, written.size, NULL);
    if (after.end != HEAPTAP_END || after.count != before->count)
        abort();
    if (after.count > 1) {
        qsort(before->events, before->count, sizeof *before->events, compare);
        qsort(after.events, after.count, sizeof *after.events, compare);
    }
    for (size_t i = 0; i < before->count; i++)
        if (!survived(&before->events[i], &after.events[i]))
            abort();
    recording_release(&after);
    bytes_release(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recording recordings[4];
    for (int i = 0; i < 4; i++) {
        struct heaptap_reader_options options = {
            .order = i & 1 ? HEAPTAP_TRUE_ORDER : HEAPTAP_FILE_ORDER,
            .skip_stacks = i & 2,
        };
        recording_read(&recordings[i], data, size, &options);
    }
    look_up_everything(data, size);
    if (recordings[0].count > 0)
        check_rewrite(data, size, &recordings[0]);
    for (int i = 0; i < 4; i++)
        recording_release(&recordings[i]);
    return 0;
}
