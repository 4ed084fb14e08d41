/* Once it is made, the writer calls no allocator: here it would abort.  Ordinary builds only: the
 * allocator's functions are replaced. */
#include "unit/unit.h"

#include <malloc.h>

static bool armed;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static void refuse(void)
{
    if (armed)
        abort();
}

void *malloc(size_t size)
{
    refuse();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    refuse();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    refuse();
    return __libc_realloc(block, size);
}

void free(void *block)
{
    refuse();
    __libc_free(block);
}

static uint8_t written[64 << 20];
static size_t written_size;

static int keep(void *context, const void *data, size_t size)
{
    if (written_size + size > sizeof written)
        return 28;
    memcpy(written + written_size, data, size);
    written_size += size;
    return 0;
}

static char name[40001];

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    size_t count = code % 977 == 0 ? max : 1;
    for (size_t i = 0; i < count; i++)
        locations[i] = (struct heaptap_location){name + 39000 + code % 990, name + 39990, 1, 2, 3};
    return count;
}

/* Everything that a traced program can do to the writer. */
static void exercise(struct heaptap_domain *domain)
{
    static uint64_t stack[100000];
    static const struct heaptap_metadata record = {
        .kind = HEAPTAP_MODULE, .name = name, .build_id_size = 20};
    for (size_t i = 0; i < 100000; i++)
        stack[i] = i * 77;
    for (uint32_t i = 0; i < 30000; i++) {
        struct heaptap_allocation allocation = {.length = i,
                                                .samples = 1,
                                                .stack = stack + i,
                                                .stack_length = i % 5000 ? i % 7 : 100000 - i,
                                                .direction = i % 2 ? HEAPTAP_SITE_FIRST
                                                                   : HEAPTAP_CALLER_FIRST,
                                                .shared = HEAPTAP_SHARED_UNKNOWN};
        uint64_t id = heaptap_domain_alloc(domain, BUILD_START_US + i, &allocation);
        heaptap_domain_promote(domain, BUILD_START_US + i, id);
        heaptap_domain_collect(domain, BUILD_START_US + (i % 100 ? i : 0), id);
    }
    heaptap_domain_metadata(domain, &record, 1);
    heaptap_domain_flush(domain);
}

static void test_writer_does_not_allocate(void **state)
{
    struct heaptap_trace_info info = {
        .version = 3, .sample_rate = 1, .word_bits = 8, .pid = 1, .start_us = BUILD_START_US};
    struct heaptap_writer_options options = {.sink = {keep, NULL}, .describe = describe};
    struct heaptap_writer *writer;
    struct heaptap_domain *domain = NULL;
    memset(name, 'n', sizeof name - 1);
    armed = true; /* creation takes its memory elsewhere, too */
    enum heaptap_status status = heaptap_writer_new(&writer, &info, &options, NULL);
    if (status == HEAPTAP_OK)
        status = heaptap_domain_new(&domain, writer, 0, NULL);
    if (status == HEAPTAP_OK)
        exercise(domain);
    heaptap_domain_free(domain);
    int code = heaptap_writer_errno(writer);
    heaptap_writer_free(writer);
    armed = false;
    assert_int_equal(status, HEAPTAP_OK);
    assert_int_equal(code, 0);
    struct recording recording;
    recording_read(&recording, written, written_size, NULL);
    assert_int_equal(recording.end, HEAPTAP_END);
    assert_int_equal(recording.count, 90000);
    recording_release(&recording);
}

int main(void)
{
    return RUN_TESTS(test_writer_does_not_allocate);
}
