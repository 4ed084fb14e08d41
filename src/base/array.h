/* Growable storage for offline code: one call, whatever the element. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `needed` items of `item_bytes` in `*items` (malloc'ed, or NULL), at least doubling
 * when it grows. False when there is no memory; nothing has changed then.  The caller frees
 * `*items`. */
bool array_reserve(void **items, size_t *capacity, size_t needed, size_t item_bytes);

/* The same with the item's size from the pointer's type: ARRAY_RESERVE(&list->items,
 * &list->capacity, n). */
#define ARRAY_RESERVE(items, capacity, needed)                                                     \
    ((needed) <= *(capacity) ||                                                                    \
     array_reserve((void **)(items), (capacity), (needed), sizeof **(items)))

/* Binary search in `count` items, of which those come first for which `is_before`, an expression of the index `at`, is
 * true: the index of the first for which it is not; `count` where there is none. */
#define ARRAY_SEARCH(at, count, is_before)                                                         \
    __extension__({                                                                                \
        size_t search_low = 0, search_high = (count);                                              \
        while (search_low < search_high) {                                                         \
            size_t at = search_low + (search_high - search_low) / 2;                               \
            if (is_before)                                                                         \
                search_low = at + 1;                                                               \
            else                                                                                   \
                search_high = at;                                                                  \
        }                                                                                          \
        search_low;                                                                                \
    })

/* Brings `count` items into the opposite order. */
#define ARRAY_REVERSE(items, count)                                                                \
    do {                                                                                           \
        size_t reverse_end = (count);                                                              \
        for (size_t reverse_at = 0; reverse_at + 1 < reverse_end; reverse_at++) {                  \
            __typeof__(*(items)) reverse_item = (items)[--reverse_end];                            \
            (items)[reverse_end] = (items)[reverse_at];                                            \
            (items)[reverse_at] = reverse_item;                                                    \
        }                                                                                          \
    } while (0)

#endif
