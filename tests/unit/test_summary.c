
#include "run_tests.h"

#include <string.h>

#include "report/info/summary.h"

static const struct heaptap_trace_info info = {.version = 3, .sample_rate = 1, .word_bits = 64};

struct step {
    enum heaptap_event_kind kind;
    uint16_t domain;
    int64_t time_us;
    uint64_t id;
    uint64_t length; /* of allocations; samples are one more: rate 1 */
    enum heaptap_source source;
};

static void feed(struct summary *summary, const struct step *step)
{
    struct heaptap_event event = {
        .kind = step->kind,
        .domain = step->domain,
        .time_us = step->time_us,
        .id = step->id,
        .length = step->length,
        .samples = step->length + 1,
        .source = step->source,
    };
    assert_true(summary_add(summary, &event, 1));
}

static void summarize(struct summary *summary, const struct step *steps, size_t count)
{
    assert_true(summary_init(summary, &info));
    for (size_t i = 0; i < count; i++)
        feed(summary, &steps[i]);
    summary_finish(summary);
}

static void one_domain(void **state)
{
    static const struct step steps[] = {
        {HEAPTAP_ALLOC, 0, 10, 0, 3, HEAPTAP_MINOR},
        {HEAPTAP_ALLOC, 0, 20, 1, 15, HEAPTAP_MINOR},
        {HEAPTAP_PROMOTE, 0, 30, 1, 0, 0},
        {HEAPTAP_ALLOC, 0, 40, 2, 999, HEAPTAP_EXTERNAL},
        {HEAPTAP_COLLECT, 0, 50, 0, 0, 0},
        {HEAPTAP_COLLECT, 0, 60, 2, 0, 0},
        {HEAPTAP_ALLOC, 0, 70, 3, 256, HEAPTAP_MAJOR},
    };
    struct summary summary;
    summarize(&summary, steps, sizeof steps / sizeof steps[0]);
    assert_int_equal(summary.allocations[HEAPTAP_MINOR], 2);
    assert_int_equal(summary.promotions, 1);
    assert_int_equal(summary.collections, 2);
    assert_int_equal(summary.allocated_samples[HEAPTAP_MINOR], 20);
    assert_int_equal(summary.allocated_samples[HEAPTAP_MAJOR], 257);
    assert_int_equal(summary.allocated_samples[HEAPTAP_EXTERNAL], 1000);
    assert_int_equal(summary.promoted_samples, 16);
    assert_int_equal(summary.collected_minor_samples, 4);
    assert_int_equal(summary.collected_major_samples, 1000);
    assert_int_equal(summary.up_to_4_samples, 4);
    assert_int_equal(summary.up_to_16_samples, 20);
    assert_int_equal(summary.up_to_256_samples, 277);
    assert_int_equal(summary.longest_words, 999);
    assert_true(summary.allocated_objects[HEAPTAP_MINOR] == 2);
    assert_true(summary.allocated_objects[HEAPTAP_EXTERNAL] == 1);
    assert_int_equal(summary.live_blocks, 2);
    assert_int_equal(summary.live_samples, 16 + 257);
    assert_true(summary.live_objects == 2);
    assert_int_equal(summary.peak.samples, 4 + 16 + 1000);
    assert_int_equal(summary.peak.time_us, 40);
    assert_int_equal(summary.first_us, 10);
    assert_int_equal(summary.last_us, 70);
    summary_release(&summary);
}

/* The story of three blocks on three domains, each domain's part in order. */
enum { DOMAINS = 3, PART_STEPS = 3, STORY_STEPS = DOMAINS * PART_STEPS };

static const struct step parts[DOMAINS][PART_STEPS] = {
    {{HEAPTAP_ALLOC, 0, 10, 0, 3, HEAPTAP_MINOR},
     {HEAPTAP_ALLOC, 0, 20, 1, 7, HEAPTAP_MINOR},
     {HEAPTAP_PROMOTE, 0, 40, 0, 0, 0}},
    {{HEAPTAP_PROMOTE, 1, 25, 1, 0, 0},
     {HEAPTAP_ALLOC, 1, 35, 9, 63, HEAPTAP_EXTERNAL},
     {HEAPTAP_COLLECT, 1, 80, 777, 0, 0}},
    {{HEAPTAP_COLLECT, 2, 50, 1, 0, 0},
     {HEAPTAP_COLLECT, 2, 70, 0, 0, 0},
     {HEAPTAP_ALLOC, 2, 75, 11, 1, HEAPTAP_MINOR}},
};

static void check_story(const struct summary *summary)
{
    assert_int_equal(summary->promoted_samples, 4 + 8);
    assert_int_equal(summary->collected_minor_samples, 0);
    assert_int_equal(summary->collected_major_samples, 4 + 8);
    assert_int_equal(summary->unknown_collections, 1);
    assert_int_equal(summary->unknown_promotions, 0);
    assert_int_equal(summary->odd_promotions, 0);
    assert_int_equal(summary->live_samples, 64 + 2);
    assert_int_equal(summary->live_blocks, 2);
    assert_int_equal(summary->domain_count, DOMAINS);
    assert_int_equal(summary->domains[0]->promoted_samples, 4);
    assert_int_equal(summary->domains[1]->promoted_samples, 8);
    assert_int_equal(summary->domains[1]->collected_samples, 0);
    assert_int_equal(summary->domains[2]->collected_samples, 4 + 8);
    assert_int_equal(summary->domains[2]->first_us, 50);
    assert_int_equal(summary->domains[2]->last_us, 75);
}

/* All ways to shuffle the domains' parts into one another, event by event. */
static unsigned shuffle(const struct step **order, unsigned length, const unsigned *taken)
{
    unsigned stories = 0;
    if (length == STORY_STEPS) {
        struct summary summary;
        assert_true(summary_init(&summary, &info));
        for (unsigned i = 0; i < length; i++)
            feed(&summary, order[i]);
        summary_finish(&summary);
        check_story(&summary);
        summary_release(&summary);
        return 1;
    }
    for (unsigned domain = 0; domain < DOMAINS; domain++) {
        unsigned next[DOMAINS] = {taken[0], taken[1], taken[2]};
        if (taken[domain] == PART_STEPS)
            continue;
        order[length] = &parts[domain][next[domain]++];
        stories += shuffle(order, length + 1, next);
    }
    return stories;
}

static void order_across_domains_does_not_matter(void **state)
{
    const struct step *order[STORY_STEPS];
    assert_int_equal(shuffle(order, 0, (unsigned[]){0, 0, 0}), 1680); /* 9! / 3!^3 */
}

static void memory_follows_live_blocks(void **state)
{
    struct summary summary;
    assert_true(summary_init(&summary, &info));
    for (uint64_t id = 0; id < 100000; id++) {
        feed(&summary, &(struct step){HEAPTAP_ALLOC, 0, (int64_t)id, id, 1, HEAPTAP_MINOR});
        if (id >= 100)
            feed(&summary, &(struct step){HEAPTAP_COLLECT, 0, (int64_t)id, id - 100, 0, 0});
    }
    assert_int_equal(summary.blocks.count, 100);
    assert_true(summary.blocks.pages <= 4);
    summary_release(&summary);
}

/* No bound is below the blocks themselves, whose headers count. */
static void bounds_hold_what_was_seen(void **state)
{
    static const struct heaptap_trace_info sampled = {
        .version = 3, .sample_rate = 1e-3, .word_bits = 64};
    static const uint64_t lengths[] = {999, 99, 4};
    struct summary summary;
    assert_true(summary_init(&summary, &sampled));
    for (uint64_t id = 0; id < 3; id++) {
        struct heaptap_event event = {.kind = HEAPTAP_ALLOC,
                                      .time_us = (int64_t)id,
                                      .id = id,
                                      .length = lengths[id],
                                      .samples = 1,
                                      .source = HEAPTAP_MAJOR};
        assert_true(summary_add(&summary, &event, 1));
    }
    feed(&summary, &(struct step){HEAPTAP_COLLECT, 0, 5, 2, 0, 0});
    summary_finish(&summary);
    assert_true(summary_bytes_range(&summary).low == (1000 + 100 + 5) * 8);
    assert_true(summary_live_bytes_range(&summary).low == (1000 + 100) * 8);
    assert_true(summary_objects_range(&summary).low > 3); /* a small one stands for many */
    assert_true(summary_live_objects_range(&summary).low == 2);
    summary.by_peak = true;
    assert_true(summary_live_bytes_range(&summary).low < 4000);
    assert_true(summary_live_objects_range(&summary).low < 2);
    summary_release(&summary);
}

static void no_events(void **state)
{
    struct summary summary;
    summarize(&summary, NULL, 0);
    assert_int_equal(summary.peak.samples, 0);
    assert_int_equal(summary.last_us, 0);
    assert_int_equal(summary.domain_count, 0);
    summary_release(&summary);
}

int main(void)
{
    return RUN_TESTS(one_domain, order_across_domains_does_not_matter, memory_follows_live_blocks,
                     bounds_hold_what_was_seen, no_events);
}
