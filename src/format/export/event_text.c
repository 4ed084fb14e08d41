/* A trace's stacks are long, and each shares most of its frames with the one before.  So the text
 * of a frame is made once, and the text of each domain's last stack is kept with the place where
 * every frame ends: a new stack is the old text up to the last shared frame, and copies of frame
 * texts behind it.  What is left of a line is a few numbers.
 *
 * A frame can be described after it has been used.  Frames without a description are therefore
 * never kept, and their places in the stack are remembered, so that the text is taken up from there
 * as soon as there is one. */
#include "format/export/event_text.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/names.h"
#include "format/export/event_style.h"

enum { DOMAINS = 1 << 16, PIECE_BYTES = 256 << 10 };

/* A stretch of event_text.made. */
struct piece {
    size_t begin;
    uint32_t size;
};

struct frame_text {
    struct piece frame;
    struct piece site;
    bool made;
};

/* The last stack of a domain. */
struct stack_text {
    struct text text;
    size_t *ends; /* for each frame, where in `text` it ends */
    size_t ends_capacity;
    uint32_t length;
    uint32_t *unknown; /* places of frames that weren't described, ascending */
    size_t unknown_count, unknown_capacity;
};

struct event_text {
    const struct event_style *style;
    struct heaptap_reader *reader;
    struct heaptap_sink sink;
    struct text out;            /* lines on their way to the sink */
    struct text made;           /* texts of frames and sites */
    struct frame_text *frames;  /* by frame number */
    size_t frame_count;         /* of them that are set */
    size_t frame_capacity;      /* of them that there is room for */
    struct stack_text **stacks; /* by domain; NULL for one without allocations */
    struct text fresh_stacks;   /* rows of stacks that nobody has taken yet */
    struct text row;            /* of one, while it is looked for */
    struct names rows;          /* of all stacks, where they have numbers ... */
    struct map numbers;         /* ... and these, by the addresses of the rows */
    int failed;                 /* errno of the first failure, or 0 */
};

static const struct event_style *style_of(enum event_text_format format)
{
    switch (format) {
    case EVENT_TEXT_MEMTRACE:
        return &event_style_memtrace;
    case EVENT_TEXT_ALLOC_STATS:
        return &event_style_alloc_stats;
    case EVENT_TEXT_CSV:
        return &event_style_csv;
    case EVENT_TEXT_JSON_LINES:
        return &event_style_json_lines;
    case EVENT_TEXT_CSV_NUMBERS:
        return &event_style_csv_numbers;
    }
    return NULL;
}

struct event_text *event_text_new(enum event_text_format format, struct heaptap_reader *reader,
                                  struct heaptap_sink sink)
{
    struct event_text *text = calloc(1, sizeof *text);
    if (!text)
        return NULL;
    *text = (struct event_text){.style = style_of(format), .reader = reader, .sink = sink};
    text->stacks = calloc(DOMAINS, sizeof *text->stacks);
    if (!text->stacks || !text_reserve(&text->out, PIECE_BYTES)) {
        event_text_free(text);
        return NULL;
    }
    if (text->style->heading)
        text_put_string(&text->out, text->style->heading);
    if (text->style->stacks_heading)
        text_put_string(&text->fresh_stacks, text->style->stacks_heading);
    return text;
}

void event_text_free(struct event_text *text)
{
    if (!text)
        return;
    for (unsigned i = 0; text->stacks && i < DOMAINS; i++) {
        if (!text->stacks[i])
            continue;
        text_release(&text->stacks[i]->text);
        free(text->stacks[i]->ends);
        free(text->stacks[i]->unknown);
        free(text->stacks[i]);
    }
    free(text->stacks);
    free(text->frames);
    text_release(&text->made);
    text_release(&text->out);
    text_release(&text->fresh_stacks);
    text_release(&text->row);
    names_release(&text->rows);
    map_release(&text->numbers);
    free(text);
}

/* ---- Frames */

static struct piece piece_since(const struct text *made, size_t begin)
{
    return (struct piece){begin, (uint32_t)(made->size - begin)};
}

static void make_frame(struct event_text *text, struct frame_text *made,
                       const struct heaptap_location *locations, size_t count)
{
    size_t begin = text->made.size;
    text->style->frame(&text->made, locations, count);
    made->frame = piece_since(&text->made, begin);
    begin = text->made.size;
    if (text->style->site)
        text->style->site(&text->made, &locations[count - 1]);
    made->site = piece_since(&text->made, begin);
    made->made = true;
}

/* The texts of a frame; NULL where it isn't described, or there is no memory. */
static const struct frame_text *frame_text_of(struct event_text *text, uint32_t frame)
{
    size_t count;
    if (frame < text->frame_count && text->frames[frame].made)
        return &text->frames[frame];
    if (!ARRAY_RESERVE(&text->frames, &text->frame_capacity, (size_t)frame + 1)) {
        text->failed = ENOMEM;
        return NULL;
    }
    if (frame >= text->frame_count) {
        size_t fresh = frame + 1 - text->frame_count;
        memset(text->frames + text->frame_count, 0, fresh * sizeof *text->frames);
        text->frame_count = (size_t)frame + 1;
    }
    const struct heaptap_location *locations =
        heaptap_reader_frame_locations(text->reader, frame, &count);
    if (count == 0)
        return NULL;
    make_frame(text, &text->frames[frame], locations, count);
    return &text->frames[frame];
}

/* ---- Stacks */

static struct stack_text *stack_of(struct event_text *text, uint16_t domain)
{
    struct stack_text **stack = &text->stacks[domain];
    if (!*stack)
        *stack = calloc(1, sizeof **stack);
    return *stack;
}

/* How many leading frames of the domain's last stack hold for this one, as far as their text
 * goes. */
static uint32_t kept_frames(struct event_text *text, struct stack_text *stack,
                            const struct heaptap_event *event)
{
    uint32_t kept = event->stack_shared < stack->length ? event->stack_shared : stack->length;
    size_t i = 0;
    for (; i < stack->unknown_count && stack->unknown[i] < kept; i++) {
        size_t count;
        heaptap_reader_frame_locations(text->reader, event->stack[stack->unknown[i]], &count);
        if (count > 0) {
            kept = stack->unknown[i];
            break;
        }
    }
    stack->unknown_count = i;
    return kept;
}

static bool put_frame(struct event_text *text, struct stack_text *stack, uint32_t place,
                      uint32_t frame)
{
    const struct frame_text *made = frame_text_of(text, frame);
    if (made) {
        text_put(&stack->text, text->made.bytes + made->frame.begin, made->frame.size);
    } else {
        if (!ARRAY_RESERVE(&stack->unknown, &stack->unknown_capacity, stack->unknown_count + 1))
            return false;
        stack->unknown[stack->unknown_count++] = place;
        text->style->unknown(&stack->text, heaptap_reader_frame_code(text->reader, frame));
    }
    stack->ends[place] = stack->text.size;
    return true;
}

/* Brings the text of the domain's stack up to the event's. */
static bool update_stack(struct event_text *text, struct stack_text *stack,
                         const struct heaptap_event *event)
{
    if (!ARRAY_RESERVE(&stack->ends, &stack->ends_capacity, event->stack_length))
        return false;
    uint32_t place = kept_frames(text, stack, event);
    stack->text.size = place > 0 ? stack->ends[place - 1] : 0;
    for (; place < event->stack_length; place++)
        if (!put_frame(text, stack, place, event->stack[place]))
            return false;
    stack->length = event->stack_length;
    return !stack->text.failed && !text->made.failed;
}

/* Gives the stack its number; its row is written when it is met for the first time. */
static bool number_stack(struct event_text *text, struct event_stack *parts)
{
    bool fresh = false;
    text->row.size = 0;
    text->style->stack(&text->row, parts); /* as yet all of number 0 */
    const char *row =
        text->row.failed ? NULL : names_intern(&text->rows, text->row.bytes, text->row.size);
    uint32_t *number = row ? map_put(&text->numbers, (uint64_t)(uintptr_t)row,
                                     (uint32_t)text->numbers.count + 1, &fresh)
                           : NULL;
    if (!number)
        return false;
    parts->number = *number;
    if (fresh)
        text->style->stack(&text->fresh_stacks, parts);
    return !text->fresh_stacks.failed;
}

/* ---- Lines */

static void put_allocation(struct event_text *text, const struct heaptap_event *event)
{
    struct stack_text *stack = stack_of(text, event->domain);
    struct event_stack parts = {"", 0, "", 0, 0};
    if (!stack || !update_stack(text, stack, event)) {
        text->failed = ENOMEM;
        return;
    }
    parts.frames = stack->text.bytes;
    parts.frames_size = stack->text.size;
    const struct frame_text *site = NULL;
    if (text->style->site && event->stack_length > 0)
        site = frame_text_of(text, event->stack[event->stack_length - 1]);
    if (site) {
        parts.site = text->made.bytes + site->site.begin;
        parts.site_size = site->site.size;
    }
    if (text->style->stack && !number_stack(text, &parts)) {
        text->failed = ENOMEM;
        return;
    }
    text->style->line(&text->out, event, &parts);
}

const char *event_text_stacks(struct event_text *text, size_t *size)
{
    *size = text->fresh_stacks.size;
    text->fresh_stacks.size = 0;
    return text->fresh_stacks.bytes;
}

int event_text_finish(struct event_text *text)
{
    if (text->out.failed || text->made.failed)
        text->failed = ENOMEM;
    if (!text->failed && text->out.size > 0)
        text->failed = text->sink.write(text->sink.context, text->out.bytes, text->out.size);
    text->out.size = 0;
    return text->failed;
}

int event_text_put(struct event_text *text, const struct heaptap_event *event)
{
    static const struct event_stack none = {"", 0, "", 0, 0};
    if (event->kind == HEAPTAP_ALLOC && text->style->frame)
        put_allocation(text, event);
    else
        text->style->line(&text->out, event, &none);
    return text->out.size >= PIECE_BYTES ? event_text_finish(text) : text->failed;
}
