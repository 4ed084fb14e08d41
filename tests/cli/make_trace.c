/* Writes a small trace on standard output: `make_trace KIND`.
 *
 * empty    no events at all
 * domains  two domains, the second one's packets before the first one's: blocks end before they
 *          begin, in the file; metadata of every kind
 * metadata  one record of each kind that readers get
 * promoted  blocks by Main.main and Int64.add that are promoted and die soon after
 * odd      what no sound program does: promotions and collections of blocks that never were, names
 *          with quotes and commas, a stack without frames
 * events   those of standard input, a line each, in blocks of bytes: `DOMAIN TIME_US ID BYTES`, with BYTES 0 where the block ends,
 *          or with DOMAIN -1 where the program does
 * sampled  `make_trace sampled RATE`: the same with the block's samples after its bytes, `DOMAIN TIME_US ID BYTES SAMPLES`
 *
 * It begins at second 1700; LATER_US in the environment is by how much later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heaptap/trace.h"
#include "spec/trace_format.h"

static int64_t start_us = 1700000000;

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    (void)context;
    (void)max;
    if (code == 1)
        locations[0] = (struct heaptap_location){"main.ml", "Main.main", 10, 2, 20};
    else if (code == 2)
        locations[0] = (struct heaptap_location){"a \"b\", c.ml", "Main.\"say, so\"", 7, 1, 9};
    else if (code == 4)
        locations[0] = (struct heaptap_location){"int64.ml", "Int64.add", 3, 1, 9};
    else
        return 0;
    return 1;
}

static void allocate(struct heaptap_domain *domain, int64_t time_us, uint64_t id,
                     enum heaptap_source source, uint64_t length, uint32_t frames)
{
    static const uint64_t stack[] = {3, 1, 2};
    struct heaptap_allocation allocation = {
        .source = source,
        .length = length,
        .samples = length + 1,
        .stack = stack,
        .stack_length = frames,
        .direction = HEAPTAP_CALLER_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    heaptap_domain_alloc_as(domain, start_us + time_us, id, &allocation);
}

static void write_domains(struct heaptap_domain *first, struct heaptap_domain *second)
{
    static const struct heaptap_metadata metadata[] = {
        {.kind = HEAPTAP_PROPERTY, .name = "writer", .value = "make_trace"},
        {.kind = HEAPTAP_MODULE,
         .name = "/usr/bin/prog",
         .address = 0x400000,
         .size_bytes = 8192,
         .unloaded_us = -1,
         .build_id_size = 2,
         .build_id = {0xab, 0xcd}},
        {.kind = HEAPTAP_THREAD, .name = "reader <1>", .domain = 1, .number = 77},
        {.kind = HEAPTAP_TYPE, .name = "table", .number = 5},
        {.kind = HEAPTAP_DROPS, .name = "no memory", .domain = 1, .number = 3},
    };
    heaptap_domain_metadata(first, metadata, sizeof metadata / sizeof metadata[0]);
    heaptap_domain_collect(second, start_us + 50, 0);
    heaptap_domain_promote(second, start_us + 60, 1);
    heaptap_domain_collect(second, start_us + 70, 1);
    allocate(second, 80, 100, HEAPTAP_MINOR, 1, 3);
    heaptap_domain_flush(second);
    allocate(first, 10, 0, HEAPTAP_MINOR, 3, 3);
    allocate(first, 20, 1, HEAPTAP_MINOR, 7, 2);
    allocate(first, 30, 2, HEAPTAP_EXTERNAL, 299, 1);
    heaptap_domain_flush(first);
}

static void write_metadata(struct heaptap_domain *domain)
{
    for (enum heaptap_metadata_kind kind = HEAPTAP_PROPERTY; kind <= HEAPTAP_HOLDERS; kind++) {
        struct heaptap_metadata record = {.kind = kind,
                                          .name = "name",
                                          .value = "value",
                                          .domain = 0,
                                          .number = 100 + (uint64_t)kind,
                                          .address = 0x400000,
                                          .size_bytes = 8192,
                                          .loaded_us = 3,
                                          .unloaded_us = -1,
                                          .begin_us = -1,
                                          .end_us = 90,
                                          .build_id_size = 2,
                                          .build_id = {0xab, 0xcd}};
        if (metadata_is_for_readers(kind))
            heaptap_domain_metadata(domain, &record, 1);
    }
    allocate(domain, 10, 0, HEAPTAP_MINOR, 3, 3);
}

/* 100 blocks of 2 words of Int64.add, of which 60 die 1 ms after their promotion and 40 after 500
 * ms; 10 blocks of 299 words that are never promoted.  It all takes a second. */
static void write_promoted(struct heaptap_domain *domain)
{
    static const uint64_t stack[] = {1, 4};
    struct heaptap_allocation boxed = {
        .length = 2,
        .samples = 3,
        .stack = stack,
        .stack_length = 2,
        .direction = HEAPTAP_CALLER_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    for (uint64_t id = 0; id < 100; id++)
        heaptap_domain_alloc_as(domain, start_us, id, &boxed);
    for (uint64_t id = 100; id < 110; id++)
        allocate(domain, 0, id, HEAPTAP_MAJOR, 299, 2);
    for (uint64_t id = 0; id < 100; id++)
        heaptap_domain_promote(domain, start_us + 1000, id);
    for (uint64_t id = 0; id < 60; id++)
        heaptap_domain_collect(domain, start_us + 2000, id);
    for (uint64_t id = 60; id < 100; id++)
        heaptap_domain_collect(domain, start_us + 501000, id);
    allocate(domain, 1000000, 110, HEAPTAP_MINOR, 1, 2);
}

static void write_odd(struct heaptap_domain *domain)
{
    allocate(domain, 10, 0, HEAPTAP_MINOR, 3, 3);
    allocate(domain, 20, 1, HEAPTAP_EXTERNAL, 9, 0);
    heaptap_domain_promote(domain, start_us + 30, 1);
    heaptap_domain_promote(domain, start_us + 31, 500);
    heaptap_domain_collect(domain, start_us + 32, 501);
    heaptap_domain_collect(domain, start_us + 33, 0);
    heaptap_domain_collect(domain, start_us + 34, 0);
}

static void write_events(struct heaptap_writer *writer, struct heaptap_domain *domains[], int count,
                         bool is_sampled)
{
    static const uint64_t stack[] = {1};
    int domain;
    long time_us;
    unsigned long id, bytes, samples;
    while (scanf("%d %ld %lu %lu", &domain, &time_us, &id, &bytes) == 4 && domain < count) {
        if (!is_sampled || scanf("%lu", &samples) != 1)
            samples = bytes;
        if (domain < 0) {
            const struct heaptap_metadata ended = {
                .kind = HEAPTAP_ENDED, .name = "", .number = (uint64_t)time_us};
            heaptap_domain_metadata(domains[0], &ended, 1);
            continue;
        }
        struct heaptap_allocation block = {.source = HEAPTAP_EXTERNAL,
                                           .length = bytes,
                                           .samples = samples,
                                           .stack = stack,
                                           .stack_length = 1,
                                           .shared = HEAPTAP_SHARED_UNKNOWN};
        if (!domains[domain] &&
            heaptap_domain_new(&domains[domain], writer, (uint16_t)domain, NULL) != HEAPTAP_OK)
            return;
        if (bytes > 0)
            heaptap_domain_alloc_as(domains[domain], start_us + time_us, id, &block);
        else
            heaptap_domain_collect(domains[domain], start_us + time_us, id);
    }
}

int main(int argc, char **argv)
{
    enum { DOMAINS = 32 };
    if (getenv("LATER_US"))
        start_us += strtol(getenv("LATER_US"), NULL, 10);
    struct heaptap_trace_info info = {
        .version = 3,
        .sample_rate = 1,
        .word_bits = 64,
        .executable = "prog",
        .host = "host",
        .runtime_params = "s=1024,o=80",
        .context = "a test",
        .pid =
            4242, /* of a trace whose halves of samples, chosen by it, are the same in each run */
        .start_us = start_us,
    };
    struct heaptap_writer_options options = {.sink = heaptap_sink_fd(1), .describe = describe};
    struct heaptap_writer *writer;
    struct heaptap_domain *domains[DOMAINS] = {0};
    bool is_sampled = argc == 3 && strcmp(argv[1], "sampled") == 0;
    if (is_sampled)
        info.sample_rate = strtod(argv[2], NULL);
    if (is_sampled || (argc == 2 && strcmp(argv[1], "events") == 0))
        info.word_bits = 8;
    if (argc != 2 + is_sampled ||
        heaptap_writer_new(&writer, &info, &options, NULL) != HEAPTAP_OK ||
        heaptap_domain_new(&domains[0], writer, 0, NULL) != HEAPTAP_OK ||
        heaptap_domain_new(&domains[1], writer, 1, NULL) != HEAPTAP_OK)
        return 2;
    if (strcmp(argv[1], "domains") == 0)
        write_domains(domains[0], domains[1]);
    else if (strcmp(argv[1], "metadata") == 0)
        write_metadata(domains[0]);
    else if (strcmp(argv[1], "promoted") == 0)
        write_promoted(domains[0]);
    else if (strcmp(argv[1], "odd") == 0)
        write_odd(domains[0]);
    else if (info.word_bits == 8)
        write_events(writer, domains, DOMAINS, is_sampled);
    else if (strcmp(argv[1], "empty") != 0)
        return 2;
    for (int i = 0; i < DOMAINS; i++)
        heaptap_domain_free(domains[i]);
    int failed = heaptap_writer_errno(writer);
    heaptap_writer_free(writer);
    return failed ? 1 : 0;
}
