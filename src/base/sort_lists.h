/* Sorts lists of numbers as dictionaries sort words: a list comes right before those that go on
 * from where it ends. */
#ifndef BASE_SORT_LISTS_H
#define BASE_SORT_LISTS_H

#include <stddef.h>
#include <stdint.h>

struct sorted_list {
    uint64_t key; /* while lists are sorted: two of its numbers */
    const uint32_t *items;
    uint32_t count;
    uint32_t number; /* the caller's; equal lists are sorted by it */
};

/* The number at `depth` of a list, which must be above 0; 0 behind its end.  Which of the items
 * that is, and what stands for it, is the caller's matter. */
typedef uint32_t sort_lists_at(const void *context, const struct sorted_list *list, uint32_t depth);

void sort_lists(struct sorted_list *lists, size_t count, sort_lists_at *at, const void *context);

#endif
