/* A gzip file written piece by piece in a traced process: in stored blocks, so as to need next to
 * no code and no tables but that of its checksum. */
#ifndef TAP_GATHER_GZIP_H
#define TAP_GATHER_GZIP_H

#include "heaptap/trace.h"

enum { GZIP_BLOCK_HEADER = 5, GZIP_BLOCK_MOST = 65535 };

struct gzip {
    struct heaptap_sink sink;
    int code;      /* errno of the first failure, or 0 */
    bool begun;    /* the file's header is written */
    uint32_t crc;  /* of what is in the sink */
    uint32_t size; /* of it, modulo 2^32 */
    uint32_t used; /* bytes of the block */
    uint32_t crc_table[256];
    uint8_t block[GZIP_BLOCK_HEADER + GZIP_BLOCK_MOST + 8]; /* its header, its bytes, a trailer */
};

/* `gzip` is zeroed. */
void gzip_begin(struct gzip *gzip, struct heaptap_sink sink);
void gzip_put(struct gzip *gzip, const void *data, size_t size);

/* 0, or the errno with which the sink first failed. */
int gzip_end(struct gzip *gzip);

#endif
