#include "trace/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool frames_init(struct frames *frames)
{
    return frames_number(frames, 0) == 0;
}

void frames_release(struct frames *frames)
{
    map_release(&frames->by_code);
    free(frames->items);
    free(frames->locations);
    names_release(&frames->names);
}

uint32_t frames_number(struct frames *frames, uint64_t code)
{
    bool fresh;
    if (!ARRAY_RESERVE(&frames->items, &frames->capacity, frames->count + 1))
        return UINT32_MAX;
    uint32_t *number = map_put(&frames->by_code, code, (uint32_t)frames->count, &fresh);
    if (!number)
        return UINT32_MAX;
    if (fresh)
        frames->items[frames->count++] = (struct frame){.code = code};
    return *number;
}

static bool same_locations(const struct heaptap_location *a, const struct heaptap_location *b,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].file != b[i].file || a[i].function != b[i].function || a[i].line != b[i].line ||
            a[i].start_char != b[i].start_char || a[i].end_char != b[i].end_char)
            return false;
    return true;
}

static bool put_locations(struct frames *frames, struct frame *frame,
                          const struct heaptap_location *locations, size_t count)
{
    if (!ARRAY_RESERVE(&frames->locations, &frames->location_capacity,
                       frames->location_count + count))
        return false;
    if (count > 0)
        memcpy(frames->locations + frames->location_count, locations, count * sizeof *locations);
    frame->first_location = (uint32_t)frames->location_count;
    frame->location_count = (uint8_t)count;
    frame->described = true;
    frames->location_count += count;
    return true;
}

bool frames_describe(struct frames *frames, uint64_t code, const struct heaptap_location *locations,
                     size_t count, bool *conflict)
{
    uint32_t number = frames_number(frames, code);
    if (number == UINT32_MAX)
        return false;
    struct frame *frame = &frames->items[number];
    if (frame->described) {
        *conflict = frame->location_count != count ||
                    (count > 0 &&
                     !same_locations(locations, frames->locations + frame->first_location, count));
        return true;
    }
    return put_locations(frames, frame, locations, count);
}

static bool intern(struct frames *frames, const char **text)
{
    *text = names_intern(&frames->names, *text, strlen(*text));
    return *text;
}

bool frames_rename(struct frames *frames, uint32_t number, const struct heaptap_location *locations,
                   size_t count)
{
    size_t first = frames->location_count;
    bool done = put_locations(frames, &frames->items[number], locations, count);
    for (size_t i = first; done && i < first + count; i++)
        done = intern(frames, &frames->locations[i].file) &&
               intern(frames, &frames->locations[i].function);
    return done;
}
