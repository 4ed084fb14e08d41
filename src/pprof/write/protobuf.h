/* Protocol buffers, written as they come: a message needs no description and no objects, and what
 * is complete goes to a sink.  Numbers of 0 are written too: whoever leaves them out does so
 * because 0 is what a reader assumes. */
#ifndef PPROF_WRITE_PROTOBUF_H
#define PPROF_WRITE_PROTOBUF_H

#include "base/text.h"
#include "heaptap/trace.h"
#include "spec/protobuf_wire.h"

enum { PROTOBUF_DEPTH_MAX = 8 };

struct protobuf {
    struct text bytes;                /* not yet in the sink */
    struct heaptap_sink sink;         /* where it goes */
    int code;                         /* errno of the first failure, or 0 */
    int depth;                        /* of open messages */
    size_t begun[PROTOBUF_DEPTH_MAX]; /* where in `bytes` the content of each begins */
};

void protobuf_init(struct protobuf *protobuf, struct heaptap_sink sink);

/* An integer or bool; signed ones are given as their two's complement. */
void protobuf_number(struct protobuf *protobuf, unsigned field, uint64_t value);
void protobuf_bytes(struct protobuf *protobuf, unsigned field, const void *data, size_t size);

/* What follows, until protobuf_end, is the content of a field: a message, or a packed list made by
 * protobuf_item. */
void protobuf_begin(struct protobuf *protobuf, unsigned field);
void protobuf_item(struct protobuf *protobuf, uint64_t value);
void protobuf_end(struct protobuf *protobuf);

/* For whole fields that somebody puts together: room for up to `size` bytes, NULL when there is no
 * memory; and the same filled, up to `end`.  Not within a message. */
uint8_t *protobuf_reserve(struct protobuf *protobuf, size_t size);
void protobuf_put_up_to(struct protobuf *protobuf, const uint8_t *end);

/* Appends an integer as a packed list has it, for a list that is written more than once. */
void protobuf_pack(struct text *list, uint64_t value);

/* Hands the rest to the sink and releases what the writer holds; 0 or the errno with which the sink
 * or memory first failed. */
int protobuf_finish(struct protobuf *protobuf);

#endif
