#include "tap/holders/stack_ranges.h"

enum { ALIGNMENT = 64, LEAST_PAGE_BYTES = 4096, LEAST_DATA_BYTES = 0x700 };

struct stack {
    uint64_t start;   /* with the pages that guard it */
    uint64_t pointer; /* to the thread's data */
    uint64_t end;
};

static uint64_t word_at(uint64_t address)
{
    return *(const uint64_t *)address;
}

/* Among the thread's data, in [pointer, end), are where its stack begins and, next to that, how long it is.  It ends with the page
 * that they end in. */
static bool find_range(uint64_t pointer, uint64_t end, struct stack *stack)
{
    for (uint64_t at = pointer; at + 16 <= end && at < pointer + LEAST_PAGE_BYTES; at += 8) {
        uint64_t start = word_at(at), bytes = word_at(at + 8);
        if (start % LEAST_PAGE_BYTES || bytes % LEAST_PAGE_BYTES || start >= pointer ||
            bytes <= pointer - start || bytes > pointer - start + 2 * LEAST_PAGE_BYTES ||
            bytes > end - start)
            continue;
        *stack = (struct stack){start, pointer, start + bytes};
        return true;
    }
    return false;
}

/* A program that gives a stack gives no page along with it that can't be used. */
static bool is_given(const struct maps *maps, const struct thread_layout *layout,
                     const struct stack *stack)
{
    const struct mapping *first = maps_find(maps, stack->start);
    if (layout->is_given)
        return *(const uint8_t *)(stack->pointer + layout->is_given);
    return !first || first->is_writable;
}

static bool may_be_joined(const struct thread_layout *layout, uint64_t pointer)
{
    return *(const int32_t *)(pointer + layout->id) == 0 &&
           !(layout->joiner && word_at(pointer + layout->joiner) == pointer);
}

/* The second word of the data stays: it points to the table of the thread's own variables, which the next thread gets. */
static void leave_out(struct maps *maps, const struct thread_layout *layout,
                      const struct stack *stack)
{
    enum { HEADER_BYTES = 16 };
    uint64_t data = stack->pointer + HEADER_BYTES, result = stack->pointer + layout->result;
    maps_leave_out(maps, stack->start, stack->pointer);
    if (!may_be_joined(layout, stack->pointer)) {
        maps_leave_out(maps, data, stack->end);
    } else if (layout->result) {
        maps_leave_out(maps, data, result);
        maps_leave_out(maps, result + 8, stack->end);
    }
}

static void look_at(struct maps *maps, const struct thread_layout *layout, uint64_t pointer,
                    uint64_t end)
{
    struct stack stack;
    if (!find_range(pointer, end, &stack))
        return;
    if (*(const int32_t *)(pointer + layout->id) <= 0 && !is_given(maps, layout, &stack))
        leave_out(maps, layout, &stack);
    maps_split(maps, stack.start);
    maps_split(maps, stack.end);
}

static void look_through(struct maps *maps, struct present *present,
                         const struct thread_layout *layout, uint64_t start, uint64_t end)
{
    uint64_t page = UINT64_C(1) << present->page_bits;
    uint64_t at = (start + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    while (at + LEAST_DATA_BYTES <= end) {
        if (!present_has(present, at)) {
            at = (at & ~(page - 1)) + page;
            continue;
        }
        if (thread_stacks_is_pointer(at))
            look_at(maps, layout, at, end);
        at += ALIGNMENT;
    }
}

/* Of the mapping at `*number`, which becomes that of its last part. */
static void look_into(struct maps *maps, struct present *present,
                      const struct thread_layout *layout, size_t *number, size_t *left_out)
{
    const struct mapping mapping = maps->mappings[*number];
    uint64_t start = mapping.start, part_end;
    present_look_at(present, &mapping);
    for (; maps_next_part(maps, left_out, &start, mapping.end, &part_end); start = part_end)
        look_through(maps, present, layout, start, part_end);
    while (maps->mappings[*number].end < mapping.end)
        ++*number;
}

void stack_ranges_tell_apart(struct maps *maps, struct present *present,
                             const struct thread_layout *layout)
{
    size_t left_out = 0;
    for (size_t i = 0; layout->id > 0 && i < maps->count; i++) {
        const struct mapping *mapping = &maps->mappings[i];
        if (mapping->is_writable && !mapping->inode && !mapping->is_stack)
            look_into(maps, present, layout, &i, &left_out);
    }
}
