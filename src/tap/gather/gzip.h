/* A gzip file written piece by piece in a traced process. */
#ifndef TAP_GATHER_GZIP_H
#define TAP_GATHER_GZIP_H

#include "heaptap/trace.h"
#include "tap/gather/deflate.h"

struct gzip {
    struct heaptap_sink sink;
    int code;      /* errno of the first failure, or 0 */
    bool begun;    /* the file's header is written */
    uint32_t crc;  /* of what is in the sink */
    uint32_t size; /* of it, modulo 2^32 */
    uint32_t used; /* bytes of the block */
    uint32_t crc_table[256];
    uint8_t block[DEFLATE_BLOCK_MOST]; /* not compressed yet */
    struct deflate deflate;
};

/* `gzip` is zeroed. */
void gzip_begin(struct gzip *gzip, struct heaptap_sink sink);
void gzip_put(struct gzip *gzip, const void *data, size_t size);

/* 0, or the errno with which the sink first failed. */
int gzip_end(struct gzip *gzip);

#endif
