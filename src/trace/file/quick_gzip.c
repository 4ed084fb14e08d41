#include "trace/file/quick_gzip.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>

enum { LEVEL = 1, OUT_BYTES = 64 << 10 };

struct quick_gzip {
    struct heaptap_sink below;
    struct isal_zstream stream;
    uint8_t state[ISAL_DEF_LVL1_DEFAULT]; /* ISA-L's */
    uint8_t out[OUT_BYTES];
};

struct quick_gzip *quick_gzip_new(struct heaptap_sink below)
{
    struct quick_gzip *gzip = malloc(sizeof *gzip);
    if (!gzip)
        return NULL;
    gzip->below = below;
    isal_deflate_init(&gzip->stream);
    gzip->stream.gzip_flag = IGZIP_GZIP;
    gzip->stream.level = LEVEL;
    gzip->stream.level_buf = gzip->state;
    gzip->stream.level_buf_size = sizeof gzip->state;
    return gzip;
}

int quick_gzip_put(struct quick_gzip *gzip, const void *data, size_t size)
{
    struct isal_zstream *stream = &gzip->stream;
    stream->next_in = (uint8_t *)data;
    stream->avail_in = (uint32_t)size;
    do {
        stream->next_out = gzip->out;
        stream->avail_out = OUT_BYTES;
        isal_deflate(stream);
        size_t made = OUT_BYTES - stream->avail_out;
        int failed = made > 0 ? gzip->below.write(gzip->below.context, gzip->out, made) : 0;
        if (failed)
            return failed;
    } while (stream->avail_out == 0);
    return 0;
}

int quick_gzip_finish(struct quick_gzip *gzip)
{
    gzip->stream.end_of_stream = 1;
    return quick_gzip_put(gzip, NULL, 0);
}

void quick_gzip_free(struct quick_gzip *gzip)
{
    free(gzip);
}
