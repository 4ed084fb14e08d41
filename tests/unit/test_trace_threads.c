/* Eight threads write eight domains at once, into one file: nothing is lost or mixed up. */
#include "unit/unit.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, BLOCKS = 25000, DEPTH = 12, FIRST_DOMAIN = 10 };

struct worker {
    struct heaptap_writer *writer;
    uint16_t number;
    uint64_t ids[BLOCKS];
    bool done;
    pthread_t thread;
};

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static uint64_t code_of(uint16_t domain, uint32_t block, uint32_t depth)
{
    uint64_t varied = (uint64_t)block * (depth + 1) * 2654435761u >> 8;
    return (uint64_t)domain << 32 | (depth + varied % 50) << 12 | depth;
}

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    locations[0] = (struct heaptap_location){"file.c", "function", code >> 12 & 0xfffff, 1, 2};
    return 1;
}

/* Allocates, and ends every second block of its own. */
static void *work(void *context)
{
    struct worker *worker = context;
    struct heaptap_domain *domain;
    uint64_t stack[DEPTH];
    if (heaptap_domain_new(&domain, worker->writer, worker->number, NULL) != HEAPTAP_OK)
        return NULL;
    for (uint32_t block = 0; block < BLOCKS; block++) {
        for (uint32_t i = 0; i < DEPTH; i++)
            stack[i] = code_of(worker->number, block, i);
        struct heaptap_allocation allocation = {.source = HEAPTAP_MAJOR,
                                                .length = block,
                                                .samples = 1 + block % 3,
                                                .stack = stack,
                                                .stack_length = DEPTH,
                                                .shared = HEAPTAP_SHARED_UNKNOWN};
        worker->ids[block] = heaptap_domain_alloc(domain, now_us(), &allocation);
        if (block % 2)
            heaptap_domain_collect(domain, now_us(), worker->ids[block - 1]);
    }
    heaptap_domain_free(domain);
    worker->done = true;
    return NULL;
}

static struct worker workers[THREADS];

static FILE *write_trace(void)
{
    FILE *file = tmpfile();
    struct heaptap_trace_info info = {.version = 3,
                                      .sample_rate = 0.5,
                                      .word_bits = 8,
                                      .pid = (uint64_t)getpid(),
                                      .start_us = now_us()};
    struct heaptap_writer_options options = {.sink = heaptap_sink_fd(fileno(file)),
                                             .describe = describe};
    struct heaptap_writer *writer;
    assert_int_equal(heaptap_writer_new(&writer, &info, &options, NULL), HEAPTAP_OK);
    for (int i = 0; i < THREADS; i++) {
        workers[i].writer = writer;
        workers[i].number = (uint16_t)(FIRST_DOMAIN + i);
        workers[i].done = false;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].done);
    }
    assert_int_equal(heaptap_writer_errno(writer), 0);
    heaptap_writer_free(writer);
    lseek(fileno(file), 0, SEEK_SET);
    return file;
}

static void assert_block(const struct heaptap_reader *reader, const struct heaptap_event *event,
                         const struct worker *worker, uint32_t block)
{
    assert_int_equal(event->id, worker->ids[block]);
    assert_int_equal(event->length, block);
    assert_int_equal(event->samples, 1 + block % 3);
    assert_int_equal(event->stack_length, DEPTH);
    for (uint32_t i = 0; i < DEPTH; i++) {
        size_t count;
        uint64_t code = code_of(worker->number, block, i);
        assert_int_equal(code_at(reader, event, i), code);
        const struct heaptap_location *location =
            heaptap_reader_frame_locations(reader, event->stack[i], &count);
        assert_int_equal(count, 1);
        assert_int_equal(location->line, code >> 12 & 0xfffff);
    }
}

static void check_trace(FILE *file, const struct heaptap_reader_options *options)
{
    struct heaptap_reader *reader;
    uint32_t allocations[THREADS] = {0}, ends[THREADS] = {0};
    int64_t last = INT64_MIN;
    lseek(fileno(file), 0, SEEK_SET);
    assert_int_equal(heaptap_reader_open_fd(&reader, dup(fileno(file)), options, NULL), HEAPTAP_OK);
    for (int n = 0; n < THREADS * (BLOCKS + BLOCKS / 2); n++) {
        struct heaptap_event event = next_event(reader);
        assert_in_range(event.domain, FIRST_DOMAIN, FIRST_DOMAIN + THREADS - 1);
        unsigned i = event.domain - FIRST_DOMAIN;
        if (event.kind == HEAPTAP_ALLOC) {
            assert_true(allocations[i] < BLOCKS);
            assert_block(reader, &event, &workers[i], allocations[i]++);
        } else {
            assert_int_equal(event.kind, HEAPTAP_COLLECT);
            assert_int_equal(event.id, workers[i].ids[2 * ends[i]++]);
            assert_int_equal(2 * ends[i], allocations[i]);
        }
        if (options->order == HEAPTAP_TRUE_ORDER &&
            heaptap_reader_notes(reader)->clock_steps == 0) {
            assert_true(event.time_us >= last);
            last = event.time_us;
        }
    }
    assert_end(reader);
    assert_int_equal(heaptap_reader_notes(reader)->location_conflicts, 0);
    heaptap_reader_close(reader);
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void test_threads(void **state)
{
    FILE *file = write_trace();
    check_trace(file, &in_file_order);
    check_trace(file, &in_true_order);
    fclose(file);
    static uint64_t ids[THREADS * BLOCKS];
    for (int i = 0; i < THREADS; i++)
        memcpy(ids + i * BLOCKS, workers[i].ids, sizeof workers[i].ids);
    qsort(ids, THREADS * BLOCKS, sizeof *ids, compare_ids);
    for (int i = 1; i < THREADS * BLOCKS; i++)
        assert_true(ids[i - 1] < ids[i]);
}

int main(void)
{
    return RUN_TESTS(test_threads);
}
