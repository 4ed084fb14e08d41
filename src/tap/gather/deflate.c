#include "tap/gather/deflate.h"

#include <string.h>

enum {
    FIXED_CODE = 1,
    END_OF_BLOCK = 256,
    FIRST_LENGTH = 257,
    LONGEST_LENGTH = 285,
    SHORTEST = 4, /* match; the format has 3, which the hash does not find */
    LONGEST = 258,
    FARTHEST = 32768,
};

/* ---- Bits ---------------------------------------------------------------------------- */

static void put_bits(struct deflate *deflate, uint32_t bits, uint32_t count)
{
    deflate->bits |= (uint64_t)bits << deflate->bit_count;
    deflate->bit_count += count;
    for (; deflate->bit_count >= 8; deflate->bit_count -= 8, deflate->bits >>= 8)
        deflate->out[deflate->out_size++] = (uint8_t)deflate->bits;
}

/* Codes of the table stand with their highest bit first. */
static void put_code(struct deflate *deflate, uint32_t code, uint32_t count)
{
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < count; i++)
        reversed |= (code >> i & 1) << (count - 1 - i);
    put_bits(deflate, reversed, count);
}

/* ---- The fixed code -------------------------------------------------------------------- */

static void put_symbol(struct deflate *deflate, uint32_t symbol)
{
    if (symbol < 144)
        put_code(deflate, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(deflate, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(deflate, symbol - 256, 7);
    else
        put_code(deflate, 0xc0 + symbol - 280, 8);
}

/* Numbers above a few share symbols by their highest bits; the lower ones follow.  `kept` bits after the highest tell the symbol. */
static uint32_t lower_bits(uint32_t number, uint32_t kept)
{
    return number >> (kept + 1) ? 31 - (uint32_t)__builtin_clz(number) - kept : 0;
}

static void put_length(struct deflate *deflate, uint32_t length)
{
    uint32_t number = length - 3, lower = lower_bits(number, 2);
    if (length == LONGEST) {
        put_symbol(deflate, LONGEST_LENGTH);
        return;
    }
    put_symbol(deflate, FIRST_LENGTH + 4 * lower + (number >> lower));
    put_bits(deflate, number & ((1u << lower) - 1), lower);
}

static void put_distance(struct deflate *deflate, uint32_t distance)
{
    uint32_t number = distance - 1, lower = lower_bits(number, 1);
    put_code(deflate, 2 * lower + (number >> lower), 5);
    put_bits(deflate, number & ((1u << lower) - 1), lower);
}

/* ---- Matches --------------------------------------------------------------------------- */

static uint32_t hash(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word * 2654435761u >> (32 - DEFLATE_HASH_BITS);
}

/* How long what stands at `at` stood before, `*distance` bytes ago; 0 for nothing worth it. */
static uint32_t find_match(struct deflate *deflate, const uint8_t *data, uint32_t at, uint32_t size,
                           uint32_t *distance)
{
    uint32_t most = size - at < LONGEST ? size - at : LONGEST, length = 0;
    if (most < SHORTEST)
        return 0;
    uint16_t *latest = &deflate->latest[hash(data + at)];
    uint32_t before = *latest;
    *latest = (uint16_t)(at + 1);
    if (before == 0 || at - (before - 1) > FARTHEST)
        return 0;
    *distance = at - (before - 1);
    while (length < most && data[before - 1 + length] == data[at + length])
        length++;
    return length < SHORTEST ? 0 : length;
}

void deflate_block(struct deflate *deflate, const uint8_t *data, uint32_t size, bool last)
{
    deflate->out_size = 0;
    memset(deflate->latest, 0, sizeof deflate->latest);
    put_bits(deflate, last, 1);
    put_bits(deflate, FIXED_CODE, 2);
    for (uint32_t at = 0, distance, length; at < size; at += length) {
        length = find_match(deflate, data, at, size, &distance);
        if (length == 0) {
            put_symbol(deflate, data[at]);
            length = 1;
            continue;
        }
        put_length(deflate, length);
        put_distance(deflate, distance);
    }
    put_symbol(deflate, END_OF_BLOCK);
    if (last && deflate->bit_count > 0)
        put_bits(deflate, 0, 8 - deflate->bit_count);
}
