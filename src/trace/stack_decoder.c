#include "trace/stack_decoder.h"

#include <stdlib.h>

#include "base/array.h"
#include "trace/get.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { FRAMES_PER_CODEWORD_MAX = 1 + 255 };

void stack_decoder_release(struct stack_decoder *decoder)
{
    free(decoder->buckets);
    free(decoder->stack);
    map_release(&decoder->used);
}

/* What bucket `number` holds; zeros where it has not been used. */
static ALWAYS_INLINE struct bucket bucket_get(const struct stack_decoder *decoder, uint16_t number,
                                              bool direct)
{
    if (direct)
        return decoder->buckets[number];
    const uint32_t *index = map_find(&decoder->used, number);
    return index ? decoder->buckets[*index] : (struct bucket){0, 0};
}

/* Bucket `number` of those used, perhaps a new one; NULL when there is no memory. */
static struct bucket *bucket_use(struct stack_decoder *decoder, uint16_t number)
{
    bool fresh;
    if (!ARRAY_RESERVE(&decoder->buckets, &decoder->bucket_capacity, decoder->bucket_count + 1))
        return NULL;
    const uint32_t *index =
        map_put(&decoder->used, number, (uint32_t)decoder->bucket_count, &fresh);
    if (!index)
        return NULL;
    if (fresh)
        decoder->buckets[decoder->bucket_count++] = (struct bucket){0, 0};
    return &decoder->buckets[*index];
}

/* Turns the buckets used into a table. */
static bool make_direct(struct stack_decoder *decoder)
{
    struct bucket *table = calloc(FORMAT_CACHE_SIZE, sizeof *table);
    if (!table)
        return false;
    for (unsigned number = 0; decoder->bucket_count > 0 && number < FORMAT_CACHE_SIZE; number++)
        table[number] = bucket_get(decoder, (uint16_t)number, false);
    free(decoder->buckets);
    map_release(&decoder->used);
    decoder->buckets = table;
    decoder->direct = true;
    return true;
}

/* Makes the cache a table where it is time. */
static bool make_ready(struct stack_decoder *decoder, struct frames *frames)
{
    bool first = !decoder->buckets && frames->tables < STACK_DECODER_TABLES;
    if (!first && decoder->bucket_count < STACK_DECODER_USED)
        return true;
    frames->tables += first;
    return make_direct(decoder);
}

/* Follows `run` guesses from `bucket`, storing their frames at `to`, or nowhere. */
static ALWAYS_INLINE uint16_t follow(const struct stack_decoder *decoder, uint16_t bucket,
                                     unsigned run, uint32_t *to, bool direct)
{
    const struct bucket *table = decoder->buckets;
    for (unsigned i = 0; i < run; i++) {
        bucket = direct ? table[bucket].next : bucket_get(decoder, bucket, false).next;
        if (to)
            to[i] = direct ? table[bucket].frame : bucket_get(decoder, bucket, false).frame;
    }
    return bucket;
}

static ALWAYS_INLINE bool store_next(struct stack_decoder *decoder, uint16_t bucket, uint16_t next,
                                     bool direct)
{
    if (direct) {
        decoder->buckets[bucket].next = next;
        return true;
    }
    struct bucket *held = bucket_use(decoder, bucket);
    if (held)
        held->next = next;
    return held;
}

static ALWAYS_INLINE bool store_miss(struct stack_decoder *decoder, struct frames *frames,
                                     uint16_t bucket, uint64_t code, bool direct)
{
    uint32_t frame = frames_number(frames, code);
    struct bucket *held = direct ? &decoder->buckets[bucket] : bucket_use(decoder, bucket);
    if (held)
        held->frame = frame;
    return held && frame != UINT32_MAX;
}

static bool may_grow(const struct stack_decoder *decoder, const struct frames *frames)
{
    return decoder->capacity < STACK_DECODER_FIRST_FRAMES ||
           (decoder->capacity < STACK_DECODER_MAX_FRAMES &&
            frames->stack_capacity < STACK_DECODER_ALL_FRAMES);
}

static __attribute__((noinline)) bool grow(struct stack_decoder *decoder, struct frames *frames,
                                           size_t needed)
{
    size_t before = decoder->capacity;
    bool grown = ARRAY_RESERVE(&decoder->stack, &decoder->capacity, needed);
    frames->stack_capacity += decoder->capacity - before;
    return grown;
}

/* stack_decoder_decode, once for each form of the cache. */
static ALWAYS_INLINE const uint8_t *decode(struct stack_decoder *decoder, struct frames *frames,
                                           const uint8_t *at, const uint8_t *end,
                                           unsigned codewords, int64_t common, bool *shortened,
                                           bool direct)
{
    bool keep = (uint64_t)common <= decoder->length;
    size_t depth = keep ? (size_t)common : 0;
    uint16_t predecessor = 0;
    for (; codewords > 0 && at < end; codewords--) {
        uint16_t codeword = get_16(at), bucket = codeword >> 2, tag = codeword & 3;
        unsigned run = tag;
        at += 2;
        if (!store_next(decoder, predecessor, bucket, direct))
            return NULL;
        if (tag == CODEWORD_MISS) {
            if (!store_miss(decoder, frames, bucket, get_64(at), direct))
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
            *to++ = bucket_get(decoder, bucket, direct).frame;
        predecessor = follow(decoder, bucket, run, to, direct);
        if (to)
            depth += 1 + run;
    }
    if (keep)
        decoder->length = depth;
    *shortened = !keep;
    return codewords > 0 ? end + 1 : at;
}

static __attribute__((noinline)) const uint8_t *
decode_sparse(struct stack_decoder *decoder, struct frames *frames, const uint8_t *at,
              const uint8_t *end, unsigned codewords, int64_t common, bool *shortened)
{
    return decode(decoder, frames, at, end, codewords, common, shortened, false);
}

const uint8_t *stack_decoder_decode(struct stack_decoder *decoder, struct frames *frames,
                                    const uint8_t *at, const uint8_t *end, unsigned codewords,
                                    int64_t common, bool *shortened)
{
    if (__builtin_expect(decoder->direct, 1))
        return decode(decoder, frames, at, end, codewords, common, shortened, true);
    if (codewords > 0 && !make_ready(decoder, frames))
        return NULL;
    if (decoder->direct)
        return stack_decoder_decode(decoder, frames, at, end, codewords, common, shortened);
    return decode_sparse(decoder, frames, at, end, codewords, common, shortened);
}

bool stack_decoder_verify(const struct stack_decoder *decoder, const struct frames *frames,
                          uint16_t bucket, uint16_t next, uint64_t code)
{
    if (bucket == FORMAT_NO_VERIFIER)
        return true;
    if (bucket >= FORMAT_CACHE_SIZE)
        return false;
    struct bucket held = bucket_get(decoder, bucket, decoder->direct);
    return held.next == next && frames->items[held.frame].code == code;
}
