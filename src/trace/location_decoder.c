/* Names are move-to-front coded: a file by its place among the 31 last files, a function by its
 * place among the 31 last functions of that file.  A new file takes over the table of functions of
 * the file that it pushes out, with what is in it: version 1's writer did so by mistake, and its
 * traces count on it; to the others it makes no difference.
 *
 * A code that points at an empty place (writers once let wide `end_char`s spill into the file's
 * code) gets a name that says so, and decoding goes on. */
#include "trace/location_decoder.h"

#include <stdlib.h>
#include <string.h>

#include "trace/get.h"

enum { FIXED_BYTES = 8 + 1, PACKED_BYTES = 6 };

struct functions {
    const char *names[FORMAT_MTF_SIZE]; /* the last one first; NULL where empty */
};

struct location_decoder {
    const char *files[FORMAT_MTF_SIZE]; /* the last one first; NULL where empty */
    struct functions
        *functions[FORMAT_MTF_SIZE]; /* of each; NULL where the place has never been filled */
};

struct location_decoder *location_decoder_new(void)
{
    return calloc(1, sizeof(struct location_decoder));
}

void location_decoder_free(struct location_decoder *decoder)
{
    for (unsigned i = 0; decoder && i < FORMAT_MTF_SIZE; i++)
        free(decoder->functions[i]);
    free(decoder);
}

/* Rotates places 0 to `last` by one: what was at `last` comes to the front. */
#define ROTATE(places, last)                                                                       \
    do {                                                                                           \
        __typeof__((places)[0]) moved = (places)[last];                                            \
        memmove((places) + 1, (places), (last) * sizeof *(places));                                \
        (places)[0] = moved;                                                                       \
    } while (0)

/* The string at `*at`, interned; NULL where it has no end before `end`, or no memory (then
 * `*result` says so). */
static const char *take_name(struct names *names, const uint8_t **at, const uint8_t *end,
                             enum location_result *result)
{
    const uint8_t *stop = *at < end ? memchr(*at, 0, (size_t)(end - *at)) : NULL;
    *result = LOCATION_CUT;
    if (!stop)
        return NULL;
    const char *name = names_intern(names, (const char *)*at, (size_t)(stop - *at));
    *at = stop + 1;
    *result = name ? LOCATION_DONE : LOCATION_NO_MEMORY;
    return name;
}

/* Brings the file of `code` to the front. */
static enum location_result select_file(struct location_decoder *decoder, struct frames *frames,
                                        unsigned code, const uint8_t **at, const uint8_t *end)
{
    enum location_result result = LOCATION_DONE;
    unsigned place = code == FORMAT_MTF_SIZE ? FORMAT_MTF_SIZE - 1 : code;
    const char *name = code == FORMAT_MTF_SIZE ? take_name(&frames->names, at, end, &result)
                                               : decoder->files[code];
    if (!name && result == LOCATION_DONE)
        name = names_intern(&frames->names, "<unknown>", 9);
    if (result == LOCATION_DONE && !decoder->functions[place])
        decoder->functions[place] = calloc(1, sizeof *decoder->functions[place]);
    if (result == LOCATION_DONE && (!name || !decoder->functions[place]))
        return LOCATION_NO_MEMORY;
    if (result != LOCATION_DONE)
        return result;
    ROTATE(decoder->files, place);
    ROTATE(decoder->functions, place);
    decoder->files[0] = name;
    return LOCATION_DONE;
}

static enum location_result select_function(struct location_decoder *decoder, struct frames *frames,
                                            unsigned code, const uint8_t **at, const uint8_t *end)
{
    enum location_result result = LOCATION_DONE;
    const char **names = decoder->functions[0]->names;
    const char *name =
        code == FORMAT_MTF_SIZE ? take_name(&frames->names, at, end, &result) : names[code];
    if (!name && result == LOCATION_DONE)
        name = names_intern(&frames->names, "??", 2);
    if (!name)
        return result == LOCATION_DONE ? LOCATION_NO_MEMORY : result;
    unsigned place = code == FORMAT_MTF_SIZE ? FORMAT_MTF_SIZE - 1 : code;
    ROTATE(names, place);
    names[0] = name;
    return LOCATION_DONE;
}

/* The low `bits` of `*packed`, which loses them. */
static unsigned take_bits(uint64_t *packed, unsigned bits)
{
    unsigned value = (unsigned)(*packed & ((UINT64_C(1) << bits) - 1));
    *packed >>= bits;
    return value;
}

static enum location_result decode_one(struct location_decoder *decoder, struct frames *frames,
                                       const uint8_t **at, const uint8_t *end,
                                       struct heaptap_location *location)
{
    if (end - *at < PACKED_BYTES)
        return LOCATION_CUT;
    uint64_t packed = get_32(*at) | (uint64_t)get_16(*at + 4) << 32;
    *at += PACKED_BYTES;
    location->line = take_bits(&packed, FORMAT_LINE_BITS);
    location->start_char = take_bits(&packed, FORMAT_START_CHAR_BITS);
    location->end_char = take_bits(&packed, FORMAT_END_CHAR_BITS);
    unsigned file = take_bits(&packed, FORMAT_MTF_BITS),
             function = take_bits(&packed, FORMAT_MTF_BITS);
    enum location_result result = select_file(decoder, frames, file, at, end);
    if (result == LOCATION_DONE)
        result = select_function(decoder, frames, function, at, end);
    if (result != LOCATION_DONE)
        return result;
    location->file = decoder->files[0];
    location->function = decoder->functions[0]->names[0];
    return LOCATION_DONE;
}

enum location_result location_decoder_decode(struct location_decoder *decoder,
                                             struct frames *frames, const uint8_t **at,
                                             const uint8_t *end, bool *conflict)
{
    if (end - *at < FIXED_BYTES)
        return LOCATION_CUT;
    uint64_t code = get_64(*at);
    unsigned count = (*at)[8];
    *at += FIXED_BYTES;
    for (unsigned i = 0; i < count; i++) {
        enum location_result result = decode_one(decoder, frames, at, end, &frames->scratch[i]);
        if (result != LOCATION_DONE)
            return result;
    }
    return frames_describe(frames, code, frames->scratch, count, conflict) ? LOCATION_DONE
                                                                           : LOCATION_NO_MEMORY;
}
