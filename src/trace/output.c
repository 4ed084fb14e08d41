#include "trace/output.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "trace/quick_gzip.h"

enum { BUFFER_BYTES = 128 << 10, ZSTD_LEVEL = 3 };

struct output {
    struct heaptap_sink below; /* the descriptor */
    enum output_encoding encoding;
    z_stream gzip;                /* for OUTPUT_GZIP */
    struct quick_gzip *quick;     /* for OUTPUT_GZIP_QUICK */
    ZSTD_CStream *zstd;           /* for OUTPUT_ZSTD */
    uint8_t buffer[BUFFER_BYTES]; /* compressed bytes on their way to `below` */
};

static int compress_gzip(struct output *output, const void *data, size_t size, int flush)
{
    z_stream *gzip = &output->gzip;
    gzip->next_in = (unsigned char *)data;
    gzip->avail_in = (unsigned)size;
    int code;
    do {
        gzip->next_out = output->buffer;
        gzip->avail_out = BUFFER_BYTES;
        code = deflate(gzip, flush);
        int failed = output->below.write(output->below.context, output->buffer,
                                         BUFFER_BYTES - gzip->avail_out);
        if (failed)
            return failed;
    } while (gzip->avail_out == 0 || (flush == Z_FINISH && code == Z_OK));
    return 0;
}

static int compress_zstd(struct output *output, const void *data, size_t size,
                         ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {data, size, 0};
    size_t rest;
    do {
        ZSTD_outBuffer out = {output->buffer, BUFFER_BYTES, 0};
        rest = ZSTD_compressStream2(output->zstd, &out, &in, end);
        if (ZSTD_isError(rest))
            return EIO;
        int failed = output->below.write(output->below.context, output->buffer, out.pos);
        if (failed)
            return failed;
    } while (in.pos < in.size || (end == ZSTD_e_end && rest > 0));
    return 0;
}

static int output_write(void *context, const void *data, size_t size)
{
    struct output *output = context;
    switch (output->encoding) {
    case OUTPUT_GZIP:
        return compress_gzip(output, data, size, Z_NO_FLUSH);
    case OUTPUT_GZIP_QUICK:
        return quick_gzip_put(output->quick, data, size);
    case OUTPUT_ZSTD:
        return compress_zstd(output, data, size, ZSTD_e_continue);
    case OUTPUT_PLAIN:
        break;
    }
    return output->below.write(output->below.context, data, size);
}

/* Makes the compressor; false when there is no memory. */
static bool start(struct output *output)
{
    enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };
    switch (output->encoding) {
    case OUTPUT_GZIP:
        return deflateInit2(&output->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
                            MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
    case OUTPUT_GZIP_QUICK:
        return (output->quick = quick_gzip_new(output->below));
    case OUTPUT_ZSTD:
        return (output->zstd = ZSTD_createCStream()) &&
               !ZSTD_isError(
                   ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL));
    case OUTPUT_PLAIN:
        break;
    }
    return true;
}

enum heaptap_status output_new(struct output **result, int fd, enum output_encoding encoding,
                               struct heaptap_error *error)
{
    struct output *output = calloc(1, sizeof *output);
    *result = NULL;
    if (!output)
        return error_no_memory(error);
    output->below = heaptap_sink_fd(fd);
    output->encoding = encoding;
    if (!start(output)) {
        output_free(output);
        return error_no_memory(error);
    }
    *result = output;
    return HEAPTAP_OK;
}

struct heaptap_sink output_sink(struct output *output)
{
    return (struct heaptap_sink){.write = output_write, .context = output};
}

int output_finish(struct output *output)
{
    switch (output->encoding) {
    case OUTPUT_GZIP:
        return compress_gzip(output, NULL, 0, Z_FINISH);
    case OUTPUT_GZIP_QUICK:
        return quick_gzip_finish(output->quick);
    case OUTPUT_ZSTD:
        return compress_zstd(output, NULL, 0, ZSTD_e_end);
    case OUTPUT_PLAIN:
        break;
    }
    return 0;
}

void output_free(struct output *output)
{
    if (!output)
        return;
    if (output->encoding == OUTPUT_GZIP)
        deflateEnd(&output->gzip);
    quick_gzip_free(output->quick);
    ZSTD_freeCStream(output->zstd);
    free(output);
}
