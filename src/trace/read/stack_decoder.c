#include "trace/read/stack_decoder.h"

#include <stdlib.h>

#include "base/array.h"
#include "trace/read/get.h"

enum { FRAMES_PER_CODEWORD_MAX = 1 + 255 };

void stack_decoder_release(struct stack_decoder *decoder)
{
    free(decoder->buckets);
    free(decoder->stack);
}

/* Follows `run` guesses from `bucket`, storing their frames at `to`, or nowhere. */
static inline uint16_t follow(const struct bucket *buckets, uint16_t bucket, unsigned run,
                              uint32_t *to)
{
    for (unsigned i = 0; i < run; i++) {
        bucket = buckets[bucket].next;
        if (to)
            to[i] = buckets[bucket].frame;
    }
    return bucket;
}

static bool store_miss(struct stack_decoder *decoder, struct frames *frames, uint16_t bucket,
                       uint64_t code)
{
    uint32_t frame = frames_number(frames, code);
    decoder->buckets[bucket].frame = frame;
    return frame != UINT32_MAX;
}

static bool make_ready(struct stack_decoder *decoder)
{
    if (!decoder->buckets)
        decoder->buckets = calloc(FORMAT_CACHE_SIZE, sizeof *decoder->buckets);
    return decoder->buckets;
}

static bool may_grow(const struct stack_decoder *decoder, const struct frames *frames)
{
    return decoder->capacity < STACK_DECODER_FIRST_FRAMES ||
           (decoder->capacity < STACK_DECODER_MAX_FRAMES &&
            frames->stack_capacity < STACK_DECODER_ALL_FRAMES);
}

static bool grow(struct stack_decoder *decoder, struct frames *frames, size_t needed)
{
    size_t before = decoder->capacity;
    bool grown = ARRAY_RESERVE(&decoder->stack, &decoder->capacity, needed);
    frames->stack_capacity += decoder->capacity - before;
    return grown;
}

const uint8_t *stack_decoder_decode(struct stack_decoder *decoder, struct frames *frames,
                                    const uint8_t *at, const uint8_t *end, unsigned codewords,
                                    int64_t common, bool *shortened)
{
    if (codewords > 0 && !make_ready(decoder))
        return NULL;
    struct bucket *buckets = decoder->buckets;
    bool keep = (uint64_t)common <= decoder->length;
    size_t depth = keep ? (size_t)common : 0;
    uint16_t predecessor = 0;
    for (; codewords > 0 && at < end; codewords--) {
        uint16_t codeword = get_16(at), bucket = codeword >> 2, tag = codeword & 3;
        unsigned run = tag;
        at += 2;
        buckets[predecessor].next = bucket;
        predecessor = bucket;
        if (tag == CODEWORD_MISS) {
            if (!store_miss(decoder, frames, bucket, get_64(at)))
                return NULL;
            at += 8;
            run = 0;
        } else if (tag == CODEWORD_HIT_N) {
            run = *at++;
        }
        bool room = depth + FRAMES_PER_CODEWORD_MAX <= decoder->capacity;
        if (!room && may_grow(decoder, frames)) {
            if (!grow(decoder, frames, depth + FRAMES_PER_CODEWORD_MAX))
                return NULL;
            room = true;
        }
        uint32_t *to = keep && room ? decoder->stack + depth : NULL;
        if (to)
            *to++ = buckets[bucket].frame;
        predecessor = follow(buckets, bucket, run, to);
        if (to)
            depth += 1 + run;
    }
    if (keep)
        decoder->length = depth;
    *shortened = !keep;
    return codewords > 0 ? end + 1 : at;
}

bool stack_decoder_verify(const struct stack_decoder *decoder, const struct frames *frames,
                          uint16_t bucket, uint16_t next, uint64_t code)
{
    if (bucket == FORMAT_NO_VERIFIER)
        return true;
    if (bucket >= FORMAT_CACHE_SIZE)
        return false;
    struct bucket held = decoder->buckets ? decoder->buckets[bucket] : (struct bucket){0, 0};
    return held.next == next && frames->items[held.frame].code == code;
}
