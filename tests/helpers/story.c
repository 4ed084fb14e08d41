#include "helpers/story.h"

#include <stdlib.h>

enum { MAIN = 0x400100, MAP = 0x400200, HELPER = 0x400300, ITER = 0x400400, WRAP = 0x700100 };

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    static const struct heaptap_location main_at = {"main.ml", "main", 10, 2, 8};
    static const struct heaptap_location map_at = {"list.ml", "map", 20, 3, 9};
    static const struct heaptap_location helper_at = {"helper.ml", "helper", 30, 4, 10};
    static const struct heaptap_location iter_at = {"list.ml", "iter", 40, 5, 11};
    static const struct heaptap_location wrap_at[] = {{"stubs.c", "wrap", 50, 0, 0},
                                                      {"ext.c", "ext_alloc", 60, 0, 0}};
    if (code == WRAP) {
        locations[0] = wrap_at[0];
        locations[1] = wrap_at[1];
        return 2;
    }
    locations[0] = code == MAIN     ? main_at
                   : code == MAP    ? map_at
                   : code == HELPER ? helper_at
                                    : iter_at;
    return 1;
}

static void must(bool good)
{
    if (!good)
        abort();
}

static const struct heaptap_metadata facts[] = {
    {.kind = HEAPTAP_MODULE, .name = "/usr/bin/prog", .address = 0x400000, .size_bytes = 0x10000},
    {.kind = HEAPTAP_MODULE,
     .name = "/opt/story/lib/libext.so.1",
     .address = 0x700000,
     .size_bytes = 0x10000,
     .file_offset = 0x1000,
     .build_id_size = 2,
     .build_id = {0xab, 0x01}},
    {.kind = HEAPTAP_THREAD, .name = "worker", .number = 77, .domain = 1},
    {.kind = HEAPTAP_TYPE, .name = "Node", .number = ITER},
};

struct block {
    int born_ms;
    unsigned samples;
    uint16_t domain;
    enum heaptap_source source;
    uint64_t stack[4];
    uint32_t depth;
};

static const struct block blocks[] = {
    {10, A, 0, HEAPTAP_MINOR, {MAIN, MAP}, 2},
    {20, B, 0, HEAPTAP_MINOR, {MAIN, MAP}, 2},
    {30, C, 0, HEAPTAP_MINOR, {MAIN, HELPER, ITER}, 3},
    {40, D, 0, HEAPTAP_MAJOR, {MAIN}, 1},
    {50, E, 1, HEAPTAP_EXTERNAL, {MAIN, WRAP}, 2},
    {60, F, 1, HEAPTAP_MINOR, {MAIN, MAP, MAP}, 3},
    {70, G, 0, HEAPTAP_MINOR, {MAIN, HELPER}, 2},
};

static int64_t at(int ms)
{
    return STORY_START_US + INT64_C(1000) * ms;
}

static uint64_t allocate(struct heaptap_domain **domains, int number)
{
    const struct block *block = &blocks[number];
    struct heaptap_allocation allocation = {.source = block->source,
                                            .length = block->samples,
                                            .samples = block->samples,
                                            .stack = block->stack,
                                            .stack_length = block->depth,
                                            .shared = HEAPTAP_SHARED_UNKNOWN};
    return heaptap_domain_alloc(domains[block->domain], at(block->born_ms), &allocation);
}

/* What happens to a block, by its number. */
struct happening {
    int at_ms, number;
    enum heaptap_event_kind kind;
};

static const struct happening happenings[] = {
    {10, 0, HEAPTAP_ALLOC},    {20, 0, HEAPTAP_COLLECT}, {20, 1, HEAPTAP_ALLOC},
    {30, 2, HEAPTAP_ALLOC},    {40, 1, HEAPTAP_PROMOTE}, {40, 3, HEAPTAP_ALLOC},
    {50, 2, HEAPTAP_PROMOTE},  {50, 4, HEAPTAP_ALLOC},   {60, 3, HEAPTAP_COLLECT},
    {60, 5, HEAPTAP_ALLOC},    {70, 6, HEAPTAP_ALLOC},   {80, 1, HEAPTAP_COLLECT},
    {100, 6, HEAPTAP_COLLECT},
};

static void tell(struct heaptap_domain **domains, unsigned some)
{
    uint64_t ids[7];
    heaptap_domain_metadata(domains[0], facts, sizeof facts / sizeof facts[0]);
    for (size_t i = 0; i < sizeof happenings / sizeof *happenings; i++) {
        const struct happening *event = &happenings[i];
        if (!(some & 1U << event->number))
            continue;
        if (event->kind == HEAPTAP_ALLOC)
            ids[event->number] = allocate(domains, event->number);
        else if (event->kind == HEAPTAP_PROMOTE)
            heaptap_domain_promote(domains[0], at(event->at_ms), ids[event->number]);
        else
            heaptap_domain_collect(domains[0], at(event->at_ms), ids[event->number]);
    }
}

void story_write(struct bytes *bytes)
{
    story_write_some(bytes, ALL_BLOCKS);
}

void story_write_some(struct bytes *bytes, unsigned some)
{
    struct heaptap_trace_info info = {.version = 3,
                                      .sample_rate = 1,
                                      .word_bits = 64,
                                      .executable = "prog",
                                      .host = "host",
                                      .runtime_params = "",
                                      .context = "story",
                                      .pid = 4711,
                                      .start_us = STORY_START_US};
    struct heaptap_writer_options options = {.sink = bytes_sink(bytes), .describe = describe};
    struct heaptap_writer *writer;
    struct heaptap_domain *domains[2];
    must(heaptap_writer_new(&writer, &info, &options, NULL) == HEAPTAP_OK);
    for (uint16_t i = 0; i < 2; i++)
        must(heaptap_domain_new(&domains[i], writer, i, NULL) == HEAPTAP_OK);
    tell(domains, some);
    for (int i = 0; i < 2; i++)
        heaptap_domain_free(domains[i]);
    heaptap_writer_free(writer);
}
