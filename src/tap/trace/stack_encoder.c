/* Call stacks are most of a trace, so the format goes to some length to make them short.
 *
 * A stack is written from the caller to the allocation site.  What it has in common with the
 * previous stack of the domain, from the outermost frame on, is not written at all (the domain sees
 * to that).  For the rest, reader and writer keep the same cache of 2^14 codes: a code in the cache
 * is written as its 14-bit bucket, another one in full, with the bucket into which both sides now
 * put it.  And each bucket remembers which bucket followed it last time.  After a bucket that was
 * found, the frames that this guess gets right are only counted: a chain of calls taken before
 * costs three bytes, however long.
 *
 * What must hold: the reader, who sees only the codewords, ends every stack with the same codes and
 * the same guesses as the writer.  So the writer changes `code` only on a miss, and `next` only
 * where a codeword begins: a guess that was right changes nothing.  `date` is the writer's own
 * affair, for choosing which of a code's two possible buckets to overwrite.
 *
 * Both sides begin with zeros everywhere.  An empty bucket therefore seems to hold code 0, which
 * nobody has described: until code 0 has been written in full once, it is not looked up. */
#include "tap/trace/stack_encoder.h"

#include "tap/trace/put.h"

enum { FIRST_VERIFIED = 4242, VERIFIED_STEP = 5413, RUN_MAX = 255 };

void stack_encoder_init(struct stack_encoder *encoder)
{
    encoder->next_verified = FIRST_VERIFIED;
}

/* Two unrelated buckets for a code: multiplicative hashing, with bits from two products. */
static inline uint16_t bucket_first(uint64_t code)
{
    return (uint16_t)((code * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - FORMAT_CACHE_BITS));
}

static inline uint16_t bucket_second(uint64_t code)
{
    return (uint16_t)((code * UINT64_C(0xd6e8feb86659fd93)) >> (64 - FORMAT_CACHE_BITS));
}

static inline bool bucket_holds(const struct stack_encoder *encoder, uint16_t bucket, uint64_t code)
{
    return encoder->buckets[bucket].code == code && (code != 0 || encoder->zero_seen);
}

struct stack_encoding stack_encoder_begin(struct stack_encoder *encoder, uint8_t *at)
{
    encoder->now++;
    return (struct stack_encoding){.at = at};
}

/* Writes `code` in full into the older of its two buckets, the first where neither is; returns
 * that. Rare, so it is kept out of the way of the rest. */
static __attribute__((noinline, cold)) uint16_t put_miss(struct stack_encoder *encoder, uint8_t *at,
                                                         uint64_t code)
{
    uint16_t first = bucket_first(code), second = bucket_second(code);
    uint16_t bucket = encoder->buckets[second].date < encoder->buckets[first].date ? second : first;
    encoder->buckets[bucket].code = code;
    encoder->zero_seen |= code == 0;
    put_64(put_16(at, (uint16_t)(bucket << 2 | CODEWORD_MISS)), code);
    return bucket;
}

static inline uint8_t *put_hit(uint8_t *at, uint16_t bucket, uint32_t run)
{
    if (__builtin_expect(run <= 1, 1))
        return put_16(at, (uint16_t)(bucket << 2 | (run ? CODEWORD_HIT1 : CODEWORD_HIT0)));
    return put_8(put_16(at, (uint16_t)(bucket << 2 | CODEWORD_HIT_N)), (uint8_t)run);
}

/* Follows the guesses from `*bucket` while they are right; returns how many were. */
static uint32_t follow(struct stack_encoder *encoder, const struct stack_view *view, uint32_t depth,
                       uint16_t *bucket)
{
    uint32_t run = 0;
    for (; run < RUN_MAX && depth + run < view->length; run++) {
        uint16_t guess = encoder->buckets[*bucket].next;
        if (!bucket_holds(encoder, guess, stack_view_code(view, depth + run)))
            break;
        encoder->buckets[guess].date = encoder->now;
        *bucket = guess;
    }
    return run;
}

uint32_t stack_encoder_append(struct stack_encoder *encoder, struct stack_encoding *encoding,
                              const struct stack_view *view, uint32_t depth, const uint8_t *limit,
                              stack_encoder_missed *missed, void *context)
{
    while (depth < view->length && limit - encoding->at >= STACK_ENCODER_CODE_MAX_BYTES) {
        uint64_t code = stack_view_code(view, depth);
        uint16_t bucket = bucket_first(code), last;
        uint32_t run = 0;
        bool hit = bucket_holds(encoder, bucket, code) ||
                   bucket_holds(encoder, bucket = bucket_second(code), code);
        if (__builtin_expect(!hit, 0)) {
            missed(context, code);
            bucket = put_miss(encoder, encoding->at, code);
            encoding->at += STACK_ENCODER_CODE_MAX_BYTES;
        }
        encoder->buckets[encoding->predecessor].next = bucket;
        encoder->buckets[bucket].date = encoder->now;
        last = bucket;
        if (hit) {
            run = follow(encoder, view, depth + 1, &last);
            encoding->at = put_hit(encoding->at, bucket, run);
        }
        encoding->predecessor = last;
        encoding->codewords++;
        depth += 1 + run;
    }
    return depth;
}

uint8_t *stack_encoder_put_verifier(struct stack_encoder *encoder, uint8_t *at)
{
    uint16_t bucket = encoder->next_verified;
    encoder->next_verified = (bucket + VERIFIED_STEP) & (FORMAT_CACHE_SIZE - 1);
    at = put_16(at, bucket);
    at = put_16(at, encoder->buckets[bucket].next);
    return put_64(at, encoder->buckets[bucket].code);
}
