/* Where traces come from: files, pipes, standard input, memory; plain, gzip and zstd; whole, cut
 * and damaged. */
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "trace/output.h"

static struct bytes plain;           /* a golden trace */
static struct recording expected[2]; /* in file order and in true order */
static char trace_path[512];

static int load_trace(void **state)
{
    snprintf(trace_path, sizeof trace_path, "%s/valid/ocamlopt-small-v3.ctf", GOLDEN_DIR);
    if (!bytes_load(&plain, trace_path))
        return -1;
    recording_read(&expected[0], plain.items, plain.size, &in_file_order);
    recording_read(&expected[1], plain.items, plain.size, &in_true_order);
    return expected[0].count == 3499 && expected[1].count == 3499 ? 0 : -1;
}

static int drop_trace(void **state)
{
    recording_release(&expected[0]);
    recording_release(&expected[1]);
    bytes_release(&plain);
    return 0;
}

static const struct heaptap_reader_options *options_of(int order)
{
    return order ? &in_true_order : &in_file_order;
}

/* What `reader` gives are the first events of the trace; how many. */
static size_t assert_prefix(struct heaptap_reader *reader, int order, struct recording *got)
{
    *got = (struct recording){0};
    recording_take(got, reader);
    heaptap_reader_close(reader);
    assert_int_equal(recording_common(got, &expected[order]), got->count);
    return got->count;
}

static void assert_whole(struct heaptap_reader *reader, int order)
{
    struct recording got;
    assert_int_equal(assert_prefix(reader, order, &got), expected[order].count);
    assert_int_equal(got.end, HEAPTAP_END);
    recording_release(&got);
}

static void append_gzip(struct bytes *to, const uint8_t *data, size_t size)
{
    z_stream stream = {0};
    size_t bound = size + 1000;
    uint8_t *out = malloc(bound);
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (uint8_t *)data;
    stream.avail_in = (unsigned)size;
    stream.next_out = out;
    stream.avail_out = (unsigned)bound;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bytes_append(to, out, bound - stream.avail_out);
    deflateEnd(&stream);
    free(out);
}

static void append_zstd(struct bytes *to, const uint8_t *data, size_t size)
{
    size_t bound = ZSTD_compressBound(size);
    uint8_t *out = malloc(bound);
    size_t written = ZSTD_compress(out, bound, data, size, 3);
    assert_false(ZSTD_isError(written));
    bytes_append(to, out, written);
    free(out);
}

typedef void append_function(struct bytes *to, const uint8_t *data, size_t size);

static append_function *const compressors[] = {append_gzip, append_zstd};

/* A pipe that a thread feeds in parts of `step` bytes. */
struct feeder {
    const struct bytes *bytes;
    size_t step, first; /* the first part has `first` bytes, where that isn't 0 */
    int fd;
    pthread_t thread;
};

static void *feed(void *context)
{
    struct feeder *feeder = context;
    size_t step = feeder->first ? feeder->first : feeder->step;
    for (size_t at = 0; at < feeder->bytes->size; step = feeder->step) {
        size_t size = feeder->bytes->size - at < step ? feeder->bytes->size - at : step;
        if (feeder->first)
            usleep(at ? 20000 : 0); /* the parts shall arrive apart */
        ssize_t written = write(feeder->fd, feeder->bytes->items + at, size);
        if (written < 0)
            break;
        at += (size_t)written;
    }
    close(feeder->fd);
    return NULL;
}

static int feeder_start(struct feeder *feeder, const struct bytes *bytes, size_t first, size_t step)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    *feeder = (struct feeder){.bytes = bytes, .step = step, .first = first, .fd = ends[1]};
    assert_int_equal(pthread_create(&feeder->thread, NULL, feed, feeder), 0);
    return ends[0];
}

static struct heaptap_reader *open_fd(int fd, const struct heaptap_reader_options *options)
{
    struct heaptap_reader *reader;
    struct heaptap_error error = {0};
    if (heaptap_reader_open_fd(&reader, fd, options, &error) != HEAPTAP_OK)
        fail_msg("cannot open: %s", error.message);
    return reader;
}

static FILE *file_of(const struct bytes *bytes)
{
    FILE *file = tmpfile();
    assert_int_equal(fwrite(bytes->items, 1, bytes->size, file), bytes->size);
    rewind(file);
    return file;
}

static void test_path(void **state)
{
    for (int order = 0; order < 2; order++) {
        struct heaptap_reader *reader;
        assert_int_equal(heaptap_reader_open(&reader, trace_path, options_of(order), NULL),
                         HEAPTAP_OK);
        assert_whole(reader, order);
    }
}

static void test_no_such_file(void **state)
{
    struct heaptap_reader *reader = (struct heaptap_reader *)&plain;
    struct heaptap_error error = {0};
    assert_int_equal(heaptap_reader_open(&reader, "/no/such/file", NULL, &error), HEAPTAP_SYSTEM);
    assert_null(reader);
    assert_int_equal(error.system_errno, ENOENT);
    assert_int_equal(heaptap_reader_open(&reader, "/", NULL, &error), HEAPTAP_SYSTEM);
    assert_null(reader);
    assert_int_equal(error.system_errno, EISDIR);
}

static void test_standard_input(void **state)
{
    for (int order = 0; order < 2; order++) {
        int saved = dup(STDIN_FILENO), fd = open(trace_path, O_RDONLY);
        struct heaptap_reader *reader;
        dup2(fd, STDIN_FILENO);
        close(fd);
        assert_int_equal(heaptap_reader_open(&reader, "-", options_of(order), NULL), HEAPTAP_OK);
        assert_whole(reader, order);
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
}

/* A descriptor that stands behind other bytes: the trace begins there. */
static void test_offset_in_file(void **state)
{
    struct bytes bytes = {0};
    bytes_text(&bytes, "something else");
    size_t start = bytes.size;
    bytes_append(&bytes, plain.items, plain.size);
    for (int order = 0; order < 2; order++) {
        FILE *file = file_of(&bytes);
        lseek(fileno(file), (off_t)start, SEEK_SET);
        assert_whole(open_fd(dup(fileno(file)), options_of(order)), order);
        fclose(file);
    }
    bytes_release(&bytes);
}

static void test_pipe(void **state)
{
    static const size_t steps[] = {1 << 16, 4099, 61};
    for (int order = 0; order < 2; order++)
        for (int i = 0; i < 3; i++) {
            struct feeder feeder;
            int fd = feeder_start(&feeder, &plain, 0, steps[i]);
            assert_whole(open_fd(fd, options_of(order)), order);
            pthread_join(feeder.thread, NULL);
        }
}

/* A pipe in true order goes to $TMPDIR: without such a folder, that is said. */
static void test_no_temporary_folder(void **state)
{
    struct feeder feeder;
    struct heaptap_reader *reader;
    struct heaptap_error error = {0};
    char *saved = getenv("TMPDIR");
    saved = saved ? strdup(saved) : NULL;
    setenv("TMPDIR", "/no/such/folder", 1);
    signal(SIGPIPE, SIG_IGN);
    int fd = feeder_start(&feeder, &plain, 0, 1 << 16);
    assert_int_equal(heaptap_reader_open_fd(&reader, fd, &in_true_order, &error), HEAPTAP_SYSTEM);
    assert_null(reader);
    assert_int_equal(error.system_errno, ENOENT);
    pthread_join(feeder.thread, NULL);
    if (saved)
        setenv("TMPDIR", saved, 1);
    else
        unsetenv("TMPDIR");
    free(saved);
}

/* The first bytes, by which the kind is told, come one by one. */
static void test_slow_magic(void **state)
{
    for (int kind = 0; kind < 3; kind++) {
        struct bytes bytes = {0};
        struct feeder feeder;
        if (kind < 2)
            compressors[kind](&bytes, plain.items, plain.size);
        else
            bytes_append(&bytes, plain.items, plain.size);
        int fd = feeder_start(&feeder, &bytes, 1, 1 << 20);
        assert_whole(open_fd(fd, NULL), 0);
        pthread_join(feeder.thread, NULL);
        bytes_release(&bytes);
    }
}

static void test_compressed(void **state)
{
    for (int kind = 0; kind < 2; kind++)
        for (int order = 0; order < 2; order++) {
            struct bytes bytes = {0};
            struct feeder feeder;
            compressors[kind](&bytes, plain.items, plain.size);
            assert_whole(open_bytes(&bytes, options_of(order)), order);
            FILE *file = file_of(&bytes);
            assert_whole(open_fd(dup(fileno(file)), options_of(order)), order);
            fclose(file);
            int fd = feeder_start(&feeder, &bytes, 0, 777);
            assert_whole(open_fd(fd, options_of(order)), order);
            pthread_join(feeder.thread, NULL);
            bytes_release(&bytes);
        }
}

/* Several members, one of them empty, split anywhere. */
static void test_members(void **state)
{
    for (int kind = 0; kind < 2; kind++)
        for (int order = 0; order < 2; order++) {
            struct bytes bytes = {0};
            compressors[kind](&bytes, plain.items, 100);
            compressors[kind](&bytes, plain.items + 100, 0);
            compressors[kind](&bytes, plain.items + 100, 50000);
            compressors[kind](&bytes, plain.items + 50100, plain.size - 50100);
            assert_whole(open_bytes(&bytes, options_of(order)), order);
            bytes_release(&bytes);
        }
}

/* The first byte of a member is the last one that a read brought. */
static void test_members_apart(void **state)
{
    for (int kind = 0; kind < 2; kind++)
        for (size_t extra = 0; extra < 5; extra++) {
            struct bytes bytes = {0};
            struct feeder feeder;
            compressors[kind](&bytes, plain.items, 40000);
            size_t first = bytes.size;
            compressors[kind](&bytes, plain.items + 40000, plain.size - 40000);
            int fd = feeder_start(&feeder, &bytes, first + extra, 1 << 20);
            assert_whole(open_fd(fd, NULL), 0);
            pthread_join(feeder.thread, NULL);
            bytes_release(&bytes);
        }
}

/* What follows the last gzip member without being one is ignored, as gzip does. */
static void test_gzip_garbage(void **state)
{
    struct bytes bytes = {0};
    append_gzip(&bytes, plain.items, plain.size);
    bytes_append(&bytes, "\0\0\0\0\0\0\0\0garbage", 15);
    assert_whole(open_bytes(&bytes, NULL), 0);
    bytes_release(&bytes);
}

/* Cut compressed data give what was before the cut, then say so. */
static void test_compressed_cut(void **state)
{
    for (int kind = 0; kind < 2; kind++) {
        struct bytes bytes = {0};
        size_t last_count = 0;
        for (size_t at = 0; at < plain.size; at += 16384)
            compressors[kind](&bytes, plain.items + at,
                              plain.size - at < 16384 ? plain.size - at : 16384);
        for (size_t size = bytes.size / 8; size < bytes.size; size += bytes.size / 8) {
            struct recording got;
            for (int order = 0; order < 2; order++) {
                struct bytes part = {.items = bytes.items, .size = size};
                assert_prefix(open_bytes(&part, options_of(order)), order, &got);
                assert_int_equal(got.end, HEAPTAP_BAD_INPUT);
                if (order == 0)
                    assert_true(got.count >= last_count);
                last_count = got.count;
                recording_release(&got);
            }
        }
        assert_true(last_count > 2000);
        bytes_release(&bytes);
    }
}

/* A damaged byte in the second member: all of the first is read. */
static void test_compressed_damage(void **state)
{
    for (int kind = 0; kind < 2; kind++) {
        struct bytes bytes = {0}, half = {.items = plain.items, .size = 100000};
        struct recording whole, got;
        compressors[kind](&bytes, plain.items, half.size);
        size_t second = bytes.size;
        compressors[kind](&bytes, plain.items + half.size, plain.size - half.size);
        memset(bytes.items + second + 40, 0xff, 200);
        recording_read(&whole, half.items, half.size, NULL);
        for (int order = 0; order < 2; order++) {
            assert_prefix(open_bytes(&bytes, options_of(order)), order, &got);
            assert_int_equal(got.end, HEAPTAP_BAD_INPUT);
            assert_true(got.count >= whole.count);
            assert_true(whole.count > 1000);
            recording_release(&got);
        }
        recording_release(&whole);
        bytes_release(&bytes);
    }
}

/* Damage at the very end, in the checksum: every event, then the error. */
static void test_checksum(void **state)
{
    struct bytes bytes = {0};
    struct recording got;
    append_gzip(&bytes, plain.items, plain.size);
    bytes.items[bytes.size - 6] ^= 1;
    for (int order = 0; order < 2; order++) {
        assert_prefix(open_bytes(&bytes, options_of(order)), order, &got);
        assert_int_equal(got.count, expected[order].count);
        assert_int_equal(got.end, HEAPTAP_BAD_INPUT);
        assert_int_equal(got.error.offset, plain.size);
        assert_non_null(strstr(got.error.message, "gzip"));
        recording_release(&got);
    }
    bytes_release(&bytes);
}

static void test_output(void **state)
{
    for (int encoding = OUTPUT_PLAIN; encoding <= OUTPUT_ZSTD; encoding++) {
        FILE *file = tmpfile();
        struct output *output;
        assert_int_equal(output_new(&output, fileno(file), (enum output_encoding)encoding, NULL),
                         HEAPTAP_OK);
        struct heaptap_sink sink = output_sink(output);
        for (size_t at = 0; at < plain.size; at += 10000)
            assert_int_equal(sink.write(sink.context, plain.items + at,
                                        plain.size - at < 10000 ? plain.size - at : 10000),
                             0);
        assert_int_equal(output_finish(output), 0);
        output_free(output);
        off_t size = lseek(fileno(file), 0, SEEK_END);
        if (encoding == OUTPUT_PLAIN)
            assert_int_equal(size, plain.size);
        else
            assert_true((size_t)size < plain.size * 3 / 4);
        lseek(fileno(file), 0, SEEK_SET);
        assert_whole(open_fd(dup(fileno(file)), NULL), 0);
        fclose(file);
    }
}

static void test_not_a_trace(void **state)
{
    static const struct {
        const char *data;
        size_t size;
        const char *message;
    } cases[] = {
        {"", 0, "empty"},
        {"\xc1", 1, "not a memtrace trace"},
        {"hello", 5, "not a memtrace trace"},
        {"\xc1\x1f\xfc\xc1", 4, "packet header"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int kind = -1; kind < 2; kind++) {
            struct bytes bytes = {0};
            struct heaptap_reader *reader;
            struct heaptap_error error = {0};
            if (kind < 0)
                bytes_append(&bytes, cases[i].data, cases[i].size);
            else
                compressors[kind](&bytes, (const uint8_t *)cases[i].data, cases[i].size);
            assert_int_equal(heaptap_reader_open_memory(&reader, bytes.items, bytes.size,
                                                        options_of((int)i % 2), &error),
                             HEAPTAP_BAD_INPUT);
            assert_null(reader);
            assert_int_equal(error.offset, 0);
            assert_non_null(strstr(error.message, cases[i].message));
            bytes_release(&bytes);
        }
}

/* 512 MB that a packet header promises, or that gzip holds, are not asked for. */
static void check_hostile_size(const struct bytes *bytes, int order)
{
    struct rusage before, after;
    struct recording got;
    getrusage(RUSAGE_SELF, &before);
    recording_read(&got, bytes->items, bytes->size, options_of(order));
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(got.end, HEAPTAP_BAD_INPUT);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 100 << 10); /* KiB */
    recording_release(&got);
}

/* A trace whose second packet claims 512 MB. */
static void build_hostile(struct bytes *bytes, uint64_t pid)
{
    build_info(bytes, 2);
    size_t packet = build_packet(bytes, &(struct build_header){.version = 2, .pid = pid});
    bytes_patch(bytes, packet + 4, 0xfffffff8, 4);
}

static const uint64_t hostile_pids[] = {BUILD_PID, 1, UINT64_C(0x0070617470616568)};

static void test_hostile_size(void **state)
{
    for (int i = 0; i < 3; i++)
        for (int order = 0; order < 2; order++) {
            struct bytes bytes = {0};
            build_hostile(&bytes, hostile_pids[i]);
            for (int k = 0; k < 1000; k++)
                bytes_number(&bytes, 0x5555555555555555, 8);
            check_hostile_size(&bytes, order);
            bytes_release(&bytes);
        }
}

/* The same where the bytes are there, in one MB of gzip. */
static void test_bomb(void **state)
{
    static uint8_t filler[1 << 20], out[1 << 16];
    memset(filler, 0x55, sizeof filler);
    for (int i = 0; i < 3; i++) {
        struct bytes head = {0}, bomb = {0};
        z_stream stream = {0};
        build_hostile(&head, hostile_pids[i]);
        assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                         Z_OK);
        for (int part = 0; part < 200; part++) {
            stream.next_in = part ? filler : head.items;
            stream.avail_in = part ? sizeof filler : (unsigned)head.size;
            do {
                stream.next_out = out;
                stream.avail_out = sizeof out;
                deflate(&stream, part < 199 ? Z_NO_FLUSH : Z_FINISH);
                bytes_append(&bomb, out, sizeof out - stream.avail_out);
            } while (stream.avail_out == 0);
        }
        deflateEnd(&stream);
        assert_true(bomb.size < 3 << 20);
        check_hostile_size(&bomb, 0);
        bytes_release(&head);
        bytes_release(&bomb);
    }
}

/* Every domain there can be, each with little in it: a name, and a stack whose codewords lie all
 * over the cache.  A second round looks whether each remembers it. */
static void test_all_domains(void **state)
{
    enum { DOMAINS = 1 << 16, CODEWORDS = 32 };
    struct bytes bytes = trace_of_info(3);
    struct rusage before, after;
    for (uint32_t n = 0; n < 2 * DOMAINS; n++) {
        struct build_header header = {.version = 3,
                                      .domain = (uint16_t)n,
                                      .first_id = n,
                                      .end_id = n + 1,
                                      .verified = n >= DOMAINS,
                                      .bucket = (uint16_t)(n % (1 << 14)),
                                      .next = (n + 512) % (1 << 14)};
        size_t packet = build_packet(&bytes, &header);
        build_location(&bytes, 0, 5, 0);
        build_alloc(&bytes, 0, 1, 1, HEAPTAP_MAJOR, 0, CODEWORDS);
        for (uint32_t i = 0; i < CODEWORDS; i++)
            build_hit(&bytes, (n + i * 512) % (1 << 14), 0);
        build_end(&bytes, packet);
    }
    getrusage(RUSAGE_SELF, &before);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    for (uint32_t n = 0; n < 2 * DOMAINS; n++) {
        struct heaptap_event event = next_event(reader);
        assert_int_equal(event.domain, (uint16_t)n);
        assert_int_equal(event.stack_length, CODEWORDS);
    }
    assert_end(reader);
    heaptap_reader_close(reader);
    getrusage(RUSAGE_SELF, &after);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 1 << 20); /* KiB */
    bytes_release(&bytes);
}

/* Stacks of millions of frames in many domains, which cost 49 KB of file each. */
static void test_deep_domains(void **state)
{
    enum { DOMAINS = 60, CODEWORDS = (1 << 22) / 256 };
    struct bytes bytes = trace_of_info(3);
    struct rusage before, after;
    for (uint16_t domain = 0; domain < DOMAINS; domain++) {
        struct build_header header = {.version = 3, .domain = domain, .end_id = 1};
        size_t packet = build_packet(&bytes, &header);
        build_alloc(&bytes, 0, 1, 1, HEAPTAP_MAJOR, 0, CODEWORDS);
        for (int i = 0; i < CODEWORDS; i++)
            build_hit(&bytes, 0, 255);
        build_end(&bytes, packet);
    }
    getrusage(RUSAGE_SELF, &before);
    struct heaptap_reader *reader = open_bytes(&bytes, NULL);
    for (int i = 0; i < DOMAINS; i++) {
        struct heaptap_event event;
        assert_int_equal(heaptap_reader_next(reader, &event, NULL), HEAPTAP_OK);
        assert_int_equal(event.domain, i);
        if (i == 0)
            assert_int_equal(event.stack_length, 1 << 22);
    }
    heaptap_reader_close(reader);
    getrusage(RUSAGE_SELF, &after);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 600 << 10); /* KiB */
    bytes_release(&bytes);
}

int main(void)
{
    return RUN_TESTS_WITHIN(
        load_trace, drop_trace, test_path, test_no_such_file, test_standard_input,
        test_offset_in_file, test_pipe, test_no_temporary_folder, test_slow_magic, test_compressed,
        test_members, test_members_apart, test_gzip_garbage, test_compressed_cut,
        test_compressed_damage, test_checksum, test_output, test_not_a_trace, test_hostile_size,
        test_bomb, test_deep_domains, test_all_domains);
}
