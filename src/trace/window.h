/* A sliding view of an input: the bytes from the present position on, as many as are asked for. */
#ifndef TRACE_WINDOW_H
#define TRACE_WINDOW_H

#include "trace/input.h"

/* Zero bytes that always follow what is in the window, so that decoders may read a little past it.
 */
enum { WINDOW_SLACK_BYTES = 64 };

struct window {
    struct input *input; /* borrowed */
    uint8_t *bytes;      /* capacity + WINDOW_SLACK_BYTES of them */
    size_t capacity;
    size_t begin, end;                /* what is in it */
    uint64_t offset;                  /* of `begin` in the input */
    bool ended;                       /* nothing more comes from the input */
    struct heaptap_error input_error; /* why it ended, where that was not the end of the data */
};

/* Tries to have `size` bytes at window_at, growing as data arrive; `*available` is how many there
 * are, fewer only before the end of the input. */
enum heaptap_status window_fill(struct window *window, size_t size, size_t *available,
                                struct heaptap_error *error);

static inline const uint8_t *window_at(const struct window *window)
{
    return window->bytes + window->begin;
}

static inline void window_skip(struct window *window, size_t size)
{
    window->begin += size;
    window->offset += size;
}

/* Goes on to `offset`, which is not before the window's, or to the end of the input. */
enum heaptap_status window_move(struct window *window, uint64_t offset,
                                struct heaptap_error *error);

void window_release(struct window *window);

#endif
