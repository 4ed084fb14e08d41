/* The writing half of the call stack codec, one for each domain. */
#ifndef TAP_TRACE_STACK_ENCODER_H
#define TAP_TRACE_STACK_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/trace_format.h"

/* All of it is needed together: one line of the processor's cache. */
struct stack_bucket {
    uint64_t code; /* what it holds; 0 at first */
    uint32_t date; /* when it was last used, in stacks encoded */
    uint16_t next; /* the bucket that followed it when it was last used */
};

struct stack_encoder {
    struct stack_bucket buckets[FORMAT_CACHE_SIZE];
    uint32_t now;           /* stacks encoded so far */
    uint16_t next_verified; /* the bucket that the next packet header will show */
    bool zero_seen;         /* code 0 has been written: empty buckets don't stand for it before */
};

/* A call stack seen from its outermost frame, whichever way it lies in memory. */
struct stack_view {
    const uint64_t *outermost;
    ptrdiff_t step; /* from a frame to the one it called: 1 or -1 */
    uint32_t length;
};

static inline uint64_t stack_view_code(const struct stack_view *view, uint32_t depth)
{
    return view->outermost[(ptrdiff_t)depth * view->step];
}

/* Is told of each code before it is written out. */
typedef void stack_encoder_missed(void *context, uint64_t code);

enum { STACK_ENCODER_CODE_MAX_BYTES = 10 }; /* the longest codeword */

/* Where an encoding stands. */
struct stack_encoding {
    uint8_t *at;          /* the next byte to write */
    uint32_t codewords;   /* written so far */
    uint16_t predecessor; /* bucket of the last frame; 0 at first */
};

void stack_encoder_init(struct stack_encoder *encoder);

/* Begins the stack of one allocation, to be written at `at`. */
struct stack_encoding stack_encoder_begin(struct stack_encoder *encoder, uint8_t *at);

/* Appends the frames from `depth` on, as long as the longest codeword fits before `limit`.  Returns
 * the depth of the first frame that was not written: view->length when all were. */
uint32_t stack_encoder_append(struct stack_encoder *encoder, struct stack_encoding *encoding,
                              const struct stack_view *view, uint32_t depth, const uint8_t *limit,
                              stack_encoder_missed *missed, void *context);

/* Writes a packet header's view of the cache: the state before the packet's first event. */
uint8_t *stack_encoder_put_verifier(struct stack_encoder *encoder, uint8_t *at);

#endif
