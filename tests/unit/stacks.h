/* Profiles made by hand, for tests of what reads them.  Frame n is described by `frames[n]`; a
 * sample stands for one byte, and blocks have as many words as samples. */
#ifndef TESTS_STACKS_H
#define TESTS_STACKS_H

#include <stdlib.h>

#include "profile/stack_profile.h"
#include "profile/symbols.h"

enum { FRAMES = 7 };

static const char file_a[] = "a.c", file_b[] = "b.c";
static const char name_main[] = "main", name_f[] = "f", name_g[] = "g", name_h[] = "h";

static const struct {
    size_t count;
    struct heaptap_location locations[2];
} frames[FRAMES] = {
    {0, {{0}}}, /* nothing is known of it */
    {1, {{file_a, name_main, 1, 0, 5}}},
    {1, {{file_a, name_f, 2, 0, 5}}},
    {1, {{file_a, name_f, 3, 0, 5}}},
    {1, {{file_b, name_g, 4, 0, 5}}},
    {2, {{file_b, name_g, 5, 0, 5}, {file_b, name_h, 6, 1, 5}}}, /* h is inlined into g */
    {1, {{file_a, name_h, 7, 0, 5}}},                            /* another h */
};

static const struct heaptap_location *locations_of(void *context, uint32_t frame, size_t *count)
{
    *count = frames[frame].count;
    return frames[frame].locations;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    return 0x1000 + frame;
}

static const struct frame_source source = {locations_of, code_of, FRAMES, NULL};

static inline void profile_begin(struct stack_profile *profile)
{
    struct heaptap_trace_info info = {.sample_rate = 1, .word_bits = 8};
    if (!stack_profile_init(profile, &info))
        abort();
}

/* Adds `samples` under a stack given as digits, caller first: "123". */
static inline void profile_stack(struct stack_profile *profile, uint64_t samples,
                                 const char *digits)
{
    uint32_t stack[64], length = 0;
    for (; digits[length]; length++)
        stack[length] = (uint32_t)(digits[length] - '0');
    struct heaptap_event event = {.kind = HEAPTAP_ALLOC,
                                  .length = samples,
                                  .samples = samples,
                                  .stack = stack,
                                  .stack_length = length};
    if (!stack_profile_add(profile, &event))
        abort();
}

#endif
