/* Interned strings: equal texts are one pointer; and other memory that lives as long as they do. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

extern const char names_empty[]; /* the empty text, in every table */

struct name;        /* one string in the table */
struct names_chunk; /* memory for many */

/* Zeroed, it is an empty table. */
struct names {
    struct map by_hash;   /* hash of the text -> index into entries */
    struct name *entries; /* in order of arrival */
    size_t count;
    size_t capacity;
    struct names_chunk *chunks; /* the texts and what names_alloc gave; the newest chunk first */
};

void names_release(struct names *names);

/* The one copy of the `size` bytes at `text` (which hold no 0), ended by a 0; lives as long as the
 * table.  NULL when there is no memory. */
const char *names_intern(struct names *names, const char *text, size_t size);

/* The same of a text that ends with a 0; NULL for NULL, too. */
const char *names_copy(struct names *names, const char *text);

/* `size` bytes, not cleared, aligned for any struct, which live as long as the table; NULL when there is no memory. */
void *names_alloc(struct names *names, size_t size);

#endif
