/* What the dialects of event_text.h differ in. */
#ifndef FORMAT_EXPORT_EVENT_STYLE_H
#define FORMAT_EXPORT_EVENT_STYLE_H

#include "base/text.h"
#include "heaptap/trace.h"

/* The parts of a stack that a style makes once and uses again. */
struct event_stack {
    const char *frames; /* the texts of its frames, one after another */
    size_t frames_size;
    const char *site; /* the site's text of the last frame; empty where the style has none */
    size_t site_size;
    uint32_t number; /* of the stack, from 1, where styles give numbers in place of stacks */
};

struct event_style {
    const char *heading; /* first line of the output; NULL for none */

    /* The text of a frame of `count` locations; NULL where the style shows no stacks. */
    void (*frame)(struct text *text, const struct heaptap_location *locations, size_t count);

    /* The same of a frame of which only the code is known. */
    void (*unknown)(struct text *text, uint64_t code);

    /* What a line says of the innermost location of the site; NULL for nothing. */
    void (*site)(struct text *text, const struct heaptap_location *location);

    /* The line of an event; `stack` means something for allocations. */
    void (*line)(struct text *text, const struct heaptap_event *event,
                 const struct event_stack *stack);

    /* Where a line has but the number of its stack: the line of that stack, in a text of its own, and
     * the first line of that. */
    void (*stack)(struct text *text, const struct event_stack *stack);
    const char *stacks_heading;
};

extern const struct event_style event_style_memtrace;
extern const struct event_style event_style_alloc_stats;
extern const struct event_style event_style_csv;
extern const struct event_style event_style_csv_numbers;
extern const struct event_style event_style_json_lines;

#endif
