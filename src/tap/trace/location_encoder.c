#include "tap/trace/location_encoder.h"

#include <string.h>

#include "base/utf8.h"
#include "tap/trace/put.h"

enum {
    EVENT_FIXED_BYTES = 4 + 8 + 1,    /* header, code, number of locations */
    LOCATION_FIXED_BYTES = 6 + 1 + 1, /* packed numbers, and the ends of two strings */
};

static uint64_t name_hash(const char *name, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ size;
    for (size_t i = 0; i < size; i++) {
        hash ^= (uint8_t)name[i];
        hash *= UINT64_C(0x9fb21c651e98df25);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Moves entry `index` to the front; what stood before it moves one place back. */
static void mtf_to_front(struct mtf_encoder *table, unsigned index, uint64_t hash, uint8_t slot)
{
    memmove(table->hash + 1, table->hash, index * sizeof table->hash[0]);
    memmove(table->slot + 1, table->slot, index * sizeof table->slot[0]);
    table->hash[0] = hash;
    table->slot[0] = slot;
}

/* The place of a name, which moves to the front; FORMAT_MTF_SIZE for a new one, which pushes the
 * oldest out. */
static unsigned mtf_encode(struct mtf_encoder *table, uint64_t hash)
{
    unsigned index = 0;
    while (index < table->count && table->hash[index] != hash)
        index++;
    if (index < table->count) {
        mtf_to_front(table, index, hash, table->slot[index]);
        return index;
    }
    uint8_t slot = table->count;
    if (table->count == FORMAT_MTF_SIZE)
        slot = table->slot[FORMAT_MTF_SIZE - 1];
    else
        table->count++;
    mtf_to_front(table, table->count - 1u, hash, slot);
    return FORMAT_MTF_SIZE;
}

static uint64_t clamp(uint32_t value, unsigned bits)
{
    uint32_t most = (UINT32_C(1) << bits) - 1;
    return value < most ? value : most;
}

static uint64_t pack(const struct heaptap_location *location, unsigned file, unsigned function)
{
    uint64_t packed = function;
    packed = packed << FORMAT_MTF_BITS | file;
    packed = packed << FORMAT_END_CHAR_BITS | clamp(location->end_char, FORMAT_END_CHAR_BITS);
    packed = packed << FORMAT_START_CHAR_BITS | clamp(location->start_char, FORMAT_START_CHAR_BITS);
    return packed << FORMAT_LINE_BITS | clamp(location->line, FORMAT_LINE_BITS);
}

/* Bytes of `name` to write: at most `most`, and never half a UTF-8 character. */
static size_t name_size(const char *name, size_t most)
{
    size_t size = strnlen(name, most + 1);
    return size <= most ? size : utf8_cut(name, most);
}

static size_t names_most(size_t count)
{
    size_t room = LOCATION_EVENT_MAX_BYTES - EVENT_FIXED_BYTES - count * LOCATION_FIXED_BYTES;
    return count ? room / (2 * count) : 0;
}

size_t location_encoder_bound(const struct heaptap_location *locations, size_t count)
{
    size_t bytes = EVENT_FIXED_BYTES + count * LOCATION_FIXED_BYTES;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(locations[i].file) + strlen(locations[i].function);
    return bytes < LOCATION_EVENT_MAX_BYTES ? bytes : LOCATION_EVENT_MAX_BYTES;
}

static uint8_t *put_location(struct location_encoder *encoder, uint8_t *at,
                             const struct heaptap_location *location, size_t most)
{
    size_t file_size = name_size(location->file, most);
    size_t function_size = name_size(location->function, most);
    unsigned file = mtf_encode(&encoder->files, name_hash(location->file, file_size));
    struct mtf_encoder *functions = &encoder->functions[encoder->files.slot[0]];
    if (file == FORMAT_MTF_SIZE)
        functions->count = 0;
    unsigned function = mtf_encode(functions, name_hash(location->function, function_size));

    uint64_t packed = pack(location, file, function);
    at = put_16(put_32(at, (uint32_t)packed), (uint16_t)(packed >> 32));
    if (file == FORMAT_MTF_SIZE)
        at = put_string(at, location->file, file_size);
    if (function == FORMAT_MTF_SIZE)
        at = put_string(at, location->function, function_size);
    return at;
}

uint8_t *location_encoder_put(struct location_encoder *encoder, uint8_t *at, uint64_t code,
                              const struct heaptap_location *locations, size_t count)
{
    bool all_fit = location_encoder_bound(locations, count) < LOCATION_EVENT_MAX_BYTES;
    size_t most = all_fit ? SIZE_MAX - 1 : names_most(count);
    at = put_8(put_64(at, code), (uint8_t)count);
    for (size_t i = 0; i < count; i++)
        at = put_location(encoder, at, &locations[i], most);
    return at;
}
