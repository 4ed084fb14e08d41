/* gzip files of a traced process: zlib reads back what was put, whatever it was. */
#include "unit/unit.h"

#include <stdlib.h>
#include <zlib.h>

#include "tap/gather/gzip.h"

struct file {
    uint8_t *bytes;
    size_t size;
};

static int append(void *context, const void *data, size_t size)
{
    struct file *file = context;
    file->bytes = realloc(file->bytes, file->size + size + 1);
    assert_non_null(file->bytes);
    memcpy(file->bytes + file->size, data, size);
    file->size += size;
    return 0;
}

/* Puts the data in pieces of `piece` bytes; the size of the file. */
static size_t round_trip(const uint8_t *data, size_t size, size_t piece)
{
    struct file file = {0};
    struct gzip *gzip = calloc(1, sizeof *gzip);
    uint8_t *back = malloc(size + 1);
    assert_true(gzip && back);
    gzip_begin(gzip, (struct heaptap_sink){append, &file});
    for (size_t at = 0; at < size; at += piece)
        gzip_put(gzip, data + at, size - at < piece ? size - at : piece);
    assert_int_equal(gzip_end(gzip), 0);
    z_stream stream = {.next_in = file.bytes,
                       .avail_in = (uInt)file.size,
                       .next_out = back,
                       .avail_out = (uInt)(size + 1)};
    assert_int_equal(inflateInit2(&stream, 16 + 15), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, size);
    assert_int_equal(stream.avail_in, 0);
    assert_memory_equal(back, data, size);
    inflateEnd(&stream);
    free(back);
    free(gzip);
    free(file.bytes);
    return file.size;
}

enum { MOST = 3 * DEFLATE_BLOCK_MOST + 17 };

/* Runs of all lengths around those of the format, at distances around the farthest. */
static void fill_runs(uint8_t *data, size_t size, uint32_t state)
{
    for (size_t at = 0; at < size;) {
        state = state * 1103515245 + 12345;
        size_t run = 1 + (state >> 16) % 300, distance = 1 + (state >> 8) % 33000;
        for (size_t i = 0; i < run && at < size; i++, at++)
            data[at] =
                state & 64 || at < distance ? (uint8_t)(state >> (i % 24)) : data[at - distance];
    }
}

static void sizes(void **state)
{
    static const size_t some[] = {0,
                                  1,
                                  3,
                                  4,
                                  5,
                                  258,
                                  259,
                                  32768,
                                  32769,
                                  DEFLATE_BLOCK_MOST - 1,
                                  DEFLATE_BLOCK_MOST,
                                  DEFLATE_BLOCK_MOST + 1,
                                  2 * DEFLATE_BLOCK_MOST,
                                  MOST};
    uint8_t *data = malloc(MOST);
    (void)state;
    assert_non_null(data);
    fill_runs(data, MOST, 1);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        round_trip(data, some[i], MOST);
        round_trip(data, some[i], 1 + some[i] / 7);
    }
    free(data);
}

static void kinds(void **state)
{
    uint8_t *data = malloc(MOST);
    (void)state;
    assert_non_null(data);
    for (uint32_t seed = 0; seed < 50; seed++) {
        fill_runs(data, MOST, seed);
        round_trip(data, MOST, 1000);
    }
    memset(data, 0, MOST);
    assert_true(round_trip(data, MOST, MOST) < MOST / 100);
    for (size_t i = 0; i < MOST; i++)
        data[i] = (uint8_t)i;
    assert_true(round_trip(data, MOST, MOST) < MOST / 50);
    uint32_t random = 1;
    for (size_t i = 0; i < MOST; i++)
        data[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
    assert_true(round_trip(data, MOST, MOST) < MOST / 8 * 9 + 100); /* it hardly grows */
    for (size_t i = 0; i < MOST; i++)
        data[i] = 0xff - i % 7 * (random = random * 1664525 + 1013904223) / 0x80000000u;
    round_trip(data, MOST, MOST);
    free(data);
}

static int refuse(void *context, const void *data, size_t size)
{
    (void)data, (void)size;
    return ++*(int *)context == 2 ? 28 : 0;
}

static void failures(void **state)
{
    int writes = 0;
    struct gzip *gzip = calloc(1, sizeof *gzip);
    (void)state;
    assert_non_null(gzip);
    gzip_begin(gzip, (struct heaptap_sink){refuse, &writes});
    gzip_put(gzip, "abc", 3);
    assert_int_equal(gzip_end(gzip), 28);
    free(gzip);
}

int main(void)
{
    return RUN_TESTS(sizes, kinds, failures);
}
