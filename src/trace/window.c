#include "trace/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { FIRST_CAPACITY = 1 << 18 };

/* Moves what is there to the front and, where that leaves no room, doubles. */
static bool make_room(struct window *window)
{
    size_t held = window->end - window->begin;
    if (window->begin > 0 && held <= window->capacity / 2) {
        memmove(window->bytes, window->bytes + window->begin, held);
    } else {
        size_t capacity = window->capacity ? window->capacity * 2 : FIRST_CAPACITY;
        uint8_t *bytes = malloc(capacity + WINDOW_SLACK_BYTES);
        if (!bytes)
            return false;
        if (held > 0)
            memcpy(bytes, window->bytes + window->begin, held);
        free(window->bytes);
        window->bytes = bytes;
        window->capacity = capacity;
    }
    window->begin = 0;
    window->end = held;
    return true;
}

enum heaptap_status window_fill(struct window *window, size_t size, size_t *available,
                                struct heaptap_error *error)
{
    while (window->end - window->begin < size && !window->ended) {
        size_t got;
        if (window->end == window->capacity && !make_room(window))
            return error_no_memory(error);
        enum heaptap_status status =
            input_read(window->input, window->bytes + window->end, window->capacity - window->end,
                       &got, &window->input_error);
        if (status != HEAPTAP_OK && status != HEAPTAP_BAD_INPUT) {
            if (error)
                *error = window->input_error;
            return status;
        }
        window->end += got;
        window->ended = got == 0;
        memset(window->bytes + window->end, 0, WINDOW_SLACK_BYTES);
    }
    *available = window->end - window->begin;
    return HEAPTAP_OK;
}

enum heaptap_status window_move(struct window *window, uint64_t offset, struct heaptap_error *error)
{
    while (window->offset < offset) {
        size_t available;
        enum heaptap_status status = window_fill(window, 1, &available, error);
        if (status != HEAPTAP_OK || available == 0)
            return status;
        uint64_t rest = offset - window->offset;
        window_skip(window, rest < available ? (size_t)rest : available);
    }
    return HEAPTAP_OK;
}

void window_release(struct window *window)
{
    free(window->bytes);
    *window = (struct window){0};
}
