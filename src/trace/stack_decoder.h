/* The reading half of the call stack codec, one for each domain (tap/trace/stack_encoder.c
 * explains it). */
#ifndef TRACE_STACK_DECODER_H
#define TRACE_STACK_DECODER_H

#include "trace/frames.h"
#include "spec/trace_format.h"

struct bucket {
    uint32_t frame; /* number of the frame whose code it holds */
    uint16_t next;  /* the bucket that followed it last */
};

/* The cache is a table by bucket number where there are not many domains, or the domain has used
 * much of it; else it holds only the buckets used, so that thousands of small domains stay small.
 */
struct stack_decoder {
    struct bucket *buckets; /* FORMAT_CACHE_SIZE; or those used, in the order of first use; NULL
                               until the first stack */
    bool direct;            /* the former */
    struct map used;        /* the latter: bucket number -> index into `buckets` */
    size_t bucket_count, bucket_capacity;
    uint32_t *stack; /* the last stack, caller first */
    size_t length, capacity;
};

/* Three bytes can stand for 256 frames.  So that a damaged trace can't ask for all memory, there
 * are limits, beyond which stacks are cut: of each domain, and of all together. */
enum {
    STACK_DECODER_FIRST_FRAMES = 1 << 10, /* every domain may have as many */
    STACK_DECODER_MAX_FRAMES = 1 << 22,   /* no domain grows once it has as many */
    STACK_DECODER_ALL_FRAMES = 1 << 26,   /* no domain grows once all have as many */
    STACK_DECODER_TABLES = 1 << 10,       /* domains that get a table at once */
    STACK_DECODER_USED = 1 << 11,         /* buckets used, for which any other gets one */
};

void stack_decoder_release(struct stack_decoder *decoder);

/* Decodes `codewords` codewords from `at` behind the first `common` frames of the last stack.
 * Returns where they end: past `end` where the data end too early; NULL when there is no memory.
 * May read up to 10 bytes past `end`. `common` beyond the last stack (which its writer had to
 * shorten) leaves that stack as it is, and sets `*shortened`. */
const uint8_t *stack_decoder_decode(struct stack_decoder *decoder, struct frames *frames,
                                    const uint8_t *at, const uint8_t *end, unsigned codewords,
                                    int64_t common, bool *shortened);

/* Only finds where the codewords end. */
static inline const uint8_t *stack_decoder_skip(const uint8_t *at, const uint8_t *end,
                                                unsigned codewords)
{
    for (; codewords > 0 && at < end; codewords--) {
        unsigned tag = *at & 3; /* branches, as they are guessed right, cost less than a table */
        at += 2;
        if (tag >= CODEWORD_HIT_N)
            at += tag == CODEWORD_HIT_N ? 1 : 8;
    }
    return codewords > 0 ? end + 1 : at;
}

/* Is the cache as the writer's was, judged by one of its buckets? */
bool stack_decoder_verify(const struct stack_decoder *decoder, const struct frames *frames,
                          uint16_t bucket, uint16_t next, uint64_t code);

#endif
