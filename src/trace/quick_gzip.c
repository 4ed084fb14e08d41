#include "trace/quick_gzip.h"

#include <stdbool.h>
#include <stdlib.h>

#ifdef HEAPTAP_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

enum { OUT_BYTES = 64 << 10 };

struct quick_gzip {
    struct heaptap_sink below;
    bool is_last; /* no more data comes */
#ifdef HEAPTAP_ISAL
    struct isal_zstream stream;
    uint8_t state[ISAL_DEF_LVL1_DEFAULT]; /* ISA-L's */
#else
    z_stream stream;
#endif
    uint8_t out[OUT_BYTES];
};

/* ---- One library or the other -------------------------------------------------------- */

#ifdef HEAPTAP_ISAL

static bool begin(struct quick_gzip *gzip)
{
    isal_deflate_init(&gzip->stream);
    gzip->stream.gzip_flag = IGZIP_GZIP;
    gzip->stream.level = 1;
    gzip->stream.level_buf = gzip->state;
    gzip->stream.level_buf_size = sizeof gzip->state;
    return true;
}

/* From the stream's input to its output, as far as there is room. */
static void compress_some(struct quick_gzip *gzip)
{
    gzip->stream.end_of_stream = gzip->is_last;
    isal_deflate(&gzip->stream);
}

static void end(struct quick_gzip *gzip)
{
    (void)gzip;
}

#else

static bool begin(struct quick_gzip *gzip)
{
    enum { GZIP_WINDOW = 15 + 16, MEMORY = 8 };
    return deflateInit2(&gzip->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEMORY,
                        Z_DEFAULT_STRATEGY) == Z_OK;
}

static void compress_some(struct quick_gzip *gzip)
{
    deflate(&gzip->stream, gzip->is_last ? Z_FINISH : Z_NO_FLUSH);
}

static void end(struct quick_gzip *gzip)
{
    deflateEnd(&gzip->stream);
}

#endif

/* ---- What callers see ---------------------------------------------------------------- */

struct quick_gzip *quick_gzip_new(struct heaptap_sink below)
{
    struct quick_gzip *gzip = calloc(1, sizeof *gzip);
    if (gzip && begin(gzip)) {
        gzip->below = below;
        return gzip;
    }
    free(gzip);
    return NULL;
}

int quick_gzip_put(struct quick_gzip *gzip, const void *data, size_t size)
{
    gzip->stream.next_in = (uint8_t *)data;
    gzip->stream.avail_in = (uint32_t)size;
    do {
        gzip->stream.next_out = gzip->out;
        gzip->stream.avail_out = OUT_BYTES;
        compress_some(gzip);
        size_t made = OUT_BYTES - gzip->stream.avail_out;
        int failed = made > 0 ? gzip->below.write(gzip->below.context, gzip->out, made) : 0;
        if (failed)
            return failed;
    } while (gzip->stream.avail_out == 0);
    return 0;
}

int quick_gzip_finish(struct quick_gzip *gzip)
{
    gzip->is_last = true;
    return quick_gzip_put(gzip, NULL, 0);
}

void quick_gzip_free(struct quick_gzip *gzip)
{
    if (gzip)
        end(gzip);
    free(gzip);
}
