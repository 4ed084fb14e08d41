#include "helpers/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void bytes_release(struct bytes *bytes)
{
    free(bytes->items);
    *bytes = (struct bytes){0};
}

void bytes_append(struct bytes *bytes, const void *data, size_t size)
{
    if (!ARRAY_RESERVE(&bytes->items, &bytes->capacity, bytes->size + size))
        abort();
    if (size > 0)
        memcpy(bytes->items + bytes->size, data, size);
    bytes->size += size;
}

void bytes_number(struct bytes *bytes, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t byte = (uint8_t)(value >> (8 * i));
        bytes_append(bytes, &byte, 1);
    }
}

void bytes_vint(struct bytes *bytes, int64_t value)
{
    if (value >= 0 && value <= 252) {
        bytes_number(bytes, (uint64_t)value, 1);
    } else if (value >= 0 && value <= UINT16_MAX) {
        bytes_number(bytes, 253, 1);
        bytes_number(bytes, (uint64_t)value, 2);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        bytes_number(bytes, 254, 1);
        bytes_number(bytes, (uint64_t)value, 4);
    } else {
        bytes_number(bytes, 255, 1);
        bytes_number(bytes, (uint64_t)value, 8);
    }
}

void bytes_text(struct bytes *bytes, const char *text)
{
    bytes_append(bytes, text, strlen(text) + 1);
}

void bytes_patch(struct bytes *bytes, size_t offset, uint64_t value, unsigned count)
{
    if (offset + count > bytes->size)
        abort();
    for (unsigned i = 0; i < count; i++)
        bytes->items[offset + i] = (uint8_t)(value >> (8 * i));
}

uint64_t bytes_get(const struct bytes *bytes, size_t offset, unsigned count)
{
    uint64_t value = 0;
    if (offset + count > bytes->size)
        abort();
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)bytes->items[offset + i] << (8 * i);
    return value;
}

bool bytes_load(struct bytes *bytes, const char *path)
{
    FILE *file = fopen(path, "rb");
    char part[1 << 16];
    size_t got;
    if (!file)
        return false;
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        bytes_append(bytes, part, got);
    bool whole = !ferror(file);
    fclose(file);
    return whole;
}

static int sink_write(void *context, const void *data, size_t size)
{
    bytes_append(context, data, size);
    return 0;
}

struct heaptap_sink bytes_sink(struct bytes *bytes)
{
    return (struct heaptap_sink){.write = sink_write, .context = bytes};
}
