/* Bytes in memory: what tests write traces into, by a sink or number by number.  Aborts without
 * memory. */
#ifndef HELPERS_BYTES_H
#define HELPERS_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "heaptap/trace.h"

/* Zeroed, it is empty. */
struct bytes {
    uint8_t *items;
    size_t size, capacity;
};

void bytes_release(struct bytes *bytes);

void bytes_append(struct bytes *bytes, const void *data, size_t size);

/* Little-endian, in `count` bytes. */
void bytes_number(struct bytes *bytes, uint64_t value, unsigned count);

/* The shortest form of a variable-length integer. */
void bytes_vint(struct bytes *bytes, int64_t value);

/* A string and its final 0. */
void bytes_text(struct bytes *bytes, const char *text);

/* Overwrites `count` bytes at `offset` by a little-endian number. */
void bytes_patch(struct bytes *bytes, size_t offset, uint64_t value, unsigned count);

/* The little-endian number in `count` bytes at `offset`. */
uint64_t bytes_get(const struct bytes *bytes, size_t offset, unsigned count);

/* Appends a file; false where it cannot be read. */
bool bytes_load(struct bytes *bytes, const char *path);

/* Appends whole packets to `bytes`; for one thread. */
struct heaptap_sink bytes_sink(struct bytes *bytes);

#endif
