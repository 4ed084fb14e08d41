/* A block's story is told by up to three events, each on a domain of its own, and only those of one
 * domain come in order.  For each block that has begun and not ended there is a `struct block`.
 * What happens to a block that isn't there goes into an `early_end`, and counts as soon as the
 * allocation comes; what never finds its allocation is counted as unknown.
 *
 * A block of the minor heap that another domain collects may turn out to have been promoted: the
 * promotion can stand behind the collection in the file.  Such a block stays after its end.  They
 * are rare: a minor collector sweeps what its own domain has allocated.  Byte traces (word_bits 8)
 * come from allocators without a minor heap, where any thread frees, and need none of that.
 *
 * All sums are of samples, in integers: no order of adding makes a difference.
 *
 * Of some blocks alone (summary_select) samples of one half may pass, that of the peak: such a block has FIRST_HALF or
 * SECOND_HALF.  Where a filter leaves out the minor heap, a block of it lives from its promotion on; where it leaves out the
 * major heap, a promotion ends it. */
#include "report/info/summary.h"

#include <stdlib.h>

enum { DOMAINS = 1 << 16, SAMPLES_BITS = 40 };

enum { IN_MAJOR = 1, PROMOTED = 2, ENDED = 4, FIRST_HALF = 8, SECOND_HALF = 16, EXTERNAL = 32 };

/* What an event costs: without it, all functions would ask whether some blocks are left out. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

#define SAMPLES_MAX ((UINT64_C(1) << SAMPLES_BITS) - 1)

/* A block after its allocation.  More than SAMPLES_MAX samples count as that many when it is
 * promoted or ends: that would be a block of a terabyte. */
struct block {
    uint64_t length;
    uint64_t
        packed; /* from the lowest bit: 8 of state, 16 of the domain that allocated it, samples */
};

static inline uint64_t samples_of(const struct block *block)
{
    return block->packed >> 24;
}

static inline uint16_t domain_of(const struct block *block)
{
    return (uint16_t)(block->packed >> 8);
}

/* A block before its allocation. */
struct early_end {
    int64_t collected_us;
    uint32_t collections, promotions;
    uint16_t collected_on, promoted_on; /* domains of the first of them */
};

bool summary_init(struct summary *summary, const struct heaptap_trace_info *info)
{
    *summary = (struct summary){
        .estimate = estimate_of(info),
        .keeps_collected = info->word_bits > 8,
        .domains = calloc(DOMAINS, sizeof *summary->domains),
    };
    id_table_init(&summary->blocks, sizeof(struct block));
    id_table_init(&summary->early, sizeof(struct early_end));
    peak_tracker_init(&summary->tracker, info->sample_rate);
    return summary->domains;
}

void summary_select(struct summary *summary, const struct passing_blocks *passing)
{
    summary->passing = passing;
    summary->by_peak = passing && passing->by_peak;
    if (passing && (passing->moves_births || passing->moves_deaths))
        peak_tracker_init_open(&summary->tracker, summary->estimate.sample_rate);
    summary->keeps_collected &= !passing || !passing->moves_deaths; /* what is promoted has ended */
}

void summary_release(struct summary *summary)
{
    for (unsigned i = 0; summary->domains && i < DOMAINS; i++)
        free(summary->domains[i]);
    free(summary->domains);
    id_table_release(&summary->blocks);
    id_table_release(&summary->early);
}

/* ---- Domains */

static struct domain_summary *enter_domain(struct summary *summary, uint16_t number,
                                           int64_t time_us)
{
    struct domain_summary **domain = &summary->domains[number];
    if (!*domain) {
        *domain = calloc(1, sizeof **domain);
        if (!*domain)
            return NULL;
        (*domain)->first_us = (*domain)->last_us = time_us;
        summary->domain_count++;
    }
    summary->current = *domain;
    summary->current_number = number;
    return *domain;
}

static inline struct domain_summary *note_time(struct summary *summary,
                                               const struct heaptap_event *event)
{
    struct domain_summary *domain = summary->current;
    if (__builtin_expect(!domain || event->domain != summary->current_number, 0))
        domain = enter_domain(summary, event->domain, event->time_us);
    if (!domain)
        return NULL;
    if (__builtin_expect(event->time_us >= domain->last_us, 1))
        domain->last_us = event->time_us;
    else if (event->time_us < domain->first_us)
        domain->first_us = event->time_us;
    summary->final_us = event->time_us;
    return domain;
}

/* ---- What happens to a block that is known */

/* `passing` is the summary's, here and below: known to be NULL where all events come. */
static inline uint64_t first_half_of(const struct summary *summary,
                                     const struct passing_blocks *passing,
                                     const struct block *block, uint64_t id)
{
    if (passing && block->packed & (FIRST_HALF | SECOND_HALF))
        return block->packed & FIRST_HALF ? samples_of(block) : 0;
    return peak_first_half(&summary->estimate, id, samples_of(block));
}

static ALWAYS_INLINE void count_live(struct summary *summary, const struct passing_blocks *passing,
                                     uint32_t domain, int64_t time_us, const struct block *block,
                                     uint64_t id, int sign)
{
    int64_t first = (int64_t)first_half_of(summary, passing, block, id);
    peak_tracker_move(&summary->tracker, time_us);
    peak_tracker_add(&summary->tracker, domain, first, (int64_t)samples_of(block) - first, sign);
}

/* Is it alive from its promotion on only, and not promoted? */
static inline bool is_unborn(const struct passing_blocks *passing, const struct block *block)
{
    return passing && passing->moves_births && !(block->packed & (IN_MAJOR | PROMOTED));
}

static ALWAYS_INLINE void promote(struct summary *summary, const struct passing_blocks *passing,
                                  struct domain_summary *domain, int64_t time_us,
                                  struct block *block, uint64_t id)
{
    if (block->packed & (IN_MAJOR | PROMOTED)) {
        summary->odd_promotions++;
        return;
    }
    if (is_unborn(passing, block))
        count_live(summary, passing, 0, time_us, block, id, 1);
    block->packed |= PROMOTED;
    summary->promoted_samples += samples_of(block);
    domain->promoted_samples += samples_of(block);
    if (block->packed & ENDED) {
        summary->collected_minor_samples -= samples_of(block);
        summary->collected_major_samples += samples_of(block);
        summary->blocks_in_minor_ended--;
    }
}

/* Ends the block, and forgets it unless it may yet be promoted. */
static ALWAYS_INLINE void collect(struct summary *summary, const struct passing_blocks *passing,
                                  struct domain_summary *domain, uint16_t domain_number,
                                  int64_t time_us, struct block *block, uint64_t id)
{
    bool in_minor = !(block->packed & (IN_MAJOR | PROMOTED));
    if (block->packed & ENDED) {
        summary->unknown_collections++;
        return;
    }
    if (in_minor)
        summary->collected_minor_samples += samples_of(block);
    else
        summary->collected_major_samples += samples_of(block);
    domain->collected_samples += samples_of(block);
    if (!is_unborn(passing, block))
        count_live(summary, passing, domain_number, time_us, block, id, -1);
    if (in_minor && domain_number != domain_of(block) && summary->keeps_collected) {
        block->packed |= ENDED;
        summary->blocks_in_minor_ended++;
    } else {
        id_table_remove_found(&summary->blocks, id, block);
    }
}

/* ---- Events */

/* What samples of a block of so many words add to the sum of squares of their weights. */
static double squares_of(const struct summary *summary, double samples, double length)
{
    double weight = estimate_objects(&summary->estimate, 1, length);
    return samples * weight * weight;
}

/* Catches up on what came before the block's allocation. */
static void apply_early(struct summary *summary, int64_t time_us, struct block *block, uint64_t id)
{
    const struct passing_blocks *passing = summary->passing;
    const struct early_end *found = id_table_find(&summary->early, id);
    if (!found)
        return;
    struct early_end early = *found;
    id_table_remove(&summary->early, id);
    for (uint32_t i = 0; i < early.promotions; i++)
        promote(summary, passing, summary->domains[early.promoted_on], time_us, block, id);
    if (early.collections > 0)
        collect(summary, passing, summary->domains[early.collected_on], early.collected_on,
                early.collected_us, block, id);
    if (early.collections > 1)
        summary->unknown_collections += early.collections - 1;
}

static inline void count_length(struct summary *summary, const struct heaptap_event *event)
{
    estimate_see(&summary->estimate, event->length);
    if (event->length < SUMMARY_SHORT_LENGTHS)
        summary->samples_by_length[event->source][event->length] += event->samples;
    else {
        double samples = (double)event->samples, length = (double)event->length;
        summary->allocated_objects[event->source] +=
            estimate_objects(&summary->estimate, samples, length);
        summary->allocated_squares += squares_of(summary, samples, length);
    }
    summary->allocated_words +=
        estimate_seen_words(&summary->estimate, event->length, event->source);
    if (event->length > summary->longest_words)
        summary->longest_words = event->length;
}

/* The flag of a block of which one half passes. */
static uint64_t half_flag(const struct passing_blocks *passing, uint64_t id)
{
    static const uint64_t flags[] = {0, FIRST_HALF, SECOND_HALF, 0};
    return flags[passing_blocks_halves(passing, id)];
}

static ALWAYS_INLINE bool add_allocation(struct summary *summary,
                                         const struct passing_blocks *passing,
                                         struct domain_summary *domain,
                                         const struct heaptap_event *event)
{
    bool fresh;
    uint64_t samples = event->samples < SAMPLES_MAX ? event->samples : SAMPLES_MAX;
    domain->allocations[event->source]++;
    domain->source_samples[event->source] += event->samples;
    count_length(summary, event);
    struct block *block = id_table_add(&summary->blocks, event->id, &fresh);
    if (!block)
        return false;
    block->length = event->length;
    block->packed = samples << 24 | (uint64_t)event->domain << 8 |
                    (event->source == HEAPTAP_MINOR ? 0 : IN_MAJOR) |
                    (event->source == HEAPTAP_EXTERNAL ? EXTERNAL : 0);
    if (passing)
        block->packed |= half_flag(passing, event->id);
    if (!is_unborn(passing, block))
        count_live(summary, passing, event->domain, event->time_us, block, event->id, 1);
    if (__builtin_expect(summary->early.count > 0, 0))
        apply_early(summary, event->time_us, block, event->id);
    return true;
}

static bool add_early(struct summary *summary, const struct heaptap_event *event)
{
    bool fresh;
    struct early_end *early = id_table_put(&summary->early, event->id, &fresh);
    if (!early)
        return false;
    if (event->kind == HEAPTAP_PROMOTE) {
        if (early->promotions++ == 0)
            early->promoted_on = event->domain;
    } else if (early->collections++ == 0) {
        early->collected_on = event->domain;
        early->collected_us = event->time_us;
    }
    return true;
}

static ALWAYS_INLINE bool add_event(struct summary *summary, const struct passing_blocks *passing,
                                    const struct heaptap_event *event)
{
    bool ends_by_promotion = passing && passing->moves_deaths;
    if (ends_by_promotion && event->kind != HEAPTAP_ALLOC &&
        !id_table_find(&summary->blocks, event->id))
        return true; /* it has ended */
    struct domain_summary *domain = note_time(summary, event);
    if (!domain)
        return false;
    if (event->kind == HEAPTAP_ALLOC)
        return add_allocation(summary, passing, domain, event);
    struct block *block = id_table_find(&summary->blocks, event->id);
    if (event->kind == HEAPTAP_EXIT) {
        if (block && !(block->packed & ENDED) && !is_unborn(passing, block))
            count_live(summary, passing, event->domain, event->time_us, block, event->id, -1);
        return true;
    }
    bool is_promotion = event->kind == HEAPTAP_PROMOTE && !ends_by_promotion;
    if (is_promotion)
        domain->promotions++;
    else
        domain->collections++;
    if (__builtin_expect(!block, 0))
        return add_early(summary, event);
    if (is_promotion)
        promote(summary, passing, domain, event->time_us, block, event->id);
    else
        collect(summary, passing, domain, event->domain, event->time_us, block, event->id);
    return true;
}

static bool add_passing(struct summary *summary, const struct heaptap_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!add_event(summary, summary->passing, &events[i]))
            return false;
    return true;
}

bool summary_add(struct summary *summary, const struct heaptap_event *events, size_t count)
{
    if (summary->passing)
        return add_passing(summary, events, count);
    for (size_t i = 0; i < count; i++)
        if (!add_event(summary, NULL, &events[i]))
            return false;
    return true;
}

/* ---- The end */

static void visit_block(void *context, uint64_t id, void *record)
{
    struct summary *summary = context;
    const struct block *block = record;
    (void)id;
    if (block->packed & ENDED)
        return;
    summary->live_blocks++;
    summary->live_samples += samples_of(block);
    summary->live_words +=
        estimate_seen_words(&summary->estimate, block->length,
                            block->packed & EXTERNAL ? HEAPTAP_EXTERNAL : HEAPTAP_MAJOR);
    summary->live_objects +=
        estimate_objects(&summary->estimate, (double)samples_of(block), (double)block->length);
    summary->live_squares += squares_of(summary, (double)samples_of(block), (double)block->length);
}

static void visit_early(void *context, uint64_t id, void *record)
{
    struct summary *summary = context;
    const struct early_end *early = record;
    (void)id;
    summary->unknown_promotions += early->promotions;
    summary->unknown_collections += early->collections;
}

static void finish_lengths(struct summary *summary)
{
    for (int source = 0; source < SUMMARY_SOURCES; source++)
        for (int length = 0; length < SUMMARY_SHORT_LENGTHS; length++) {
            uint64_t samples = summary->samples_by_length[source][length];
            summary->allocated_objects[source] +=
                estimate_objects(&summary->estimate, (double)samples, length);
            summary->allocated_squares += squares_of(summary, (double)samples, length);
            summary->up_to_4_samples += length <= 4 ? samples : 0;
            summary->up_to_16_samples += length <= 16 ? samples : 0;
            summary->up_to_256_samples += samples;
        }
}

static void finish_domains(struct summary *summary)
{
    bool first = true;
    for (unsigned i = 0; i < DOMAINS; i++) {
        struct domain_summary *domain = summary->domains[i];
        if (!domain)
            continue;
        for (int source = 0; source < SUMMARY_SOURCES; source++) {
            summary->allocations[source] += domain->allocations[source];
            summary->allocated_samples[source] += domain->source_samples[source];
            domain->allocated_samples += domain->source_samples[source];
        }
        summary->promotions += domain->promotions;
        summary->collections += domain->collections;
        if (first || domain->first_us < summary->first_us)
            summary->first_us = domain->first_us;
        if (first || domain->last_us > summary->last_us)
            summary->last_us = domain->last_us;
        first = false;
    }
}

void summary_finish(struct summary *summary)
{
    finish_lengths(summary);
    finish_domains(summary);
    id_table_each(&summary->blocks, visit_block, summary);
    id_table_each(&summary->early, visit_early, summary);
    peak_tracker_finish(&summary->tracker);
    summary->peak = summary->tracker.peak;
}

/* ---- Sums */

double summary_allocated_objects(const struct summary *summary)
{
    const double *objects = summary->allocated_objects;
    return objects[0] + objects[1] + objects[2];
}

uint64_t summary_allocated_samples(const struct summary *summary)
{
    const uint64_t *samples = summary->allocated_samples;
    return samples[0] + samples[1] + samples[2];
}

uint64_t summary_allocations(const struct summary *summary)
{
    const uint64_t *allocations = summary->allocations;
    return allocations[0] + allocations[1] + allocations[2];
}

uint64_t summary_events(const struct summary *summary)
{
    return summary_allocations(summary) + summary->promotions + summary->collections;
}

uint64_t summary_domain_allocations(const struct domain_summary *domain)
{
    return domain->allocations[0] + domain->allocations[1] + domain->allocations[2];
}

/* ---- Bounds */

static struct estimate_range bytes_range(const struct summary *summary, uint64_t samples,
                                         uint64_t words)
{
    struct estimate_sum sum = estimate_bytes_sum(&summary->estimate, (double)samples);
    sum.least = summary->by_peak ? 0 : (double)words * summary->estimate.word_bytes;
    return estimate_range(&sum, summary->estimate.sample_rate);
}

struct estimate_range summary_bytes_range(const struct summary *summary)
{
    return bytes_range(summary, summary_allocated_samples(summary), summary->allocated_words);
}

struct estimate_range summary_live_bytes_range(const struct summary *summary)
{
    return bytes_range(summary, summary->live_samples, summary->live_words);
}

static struct estimate_range objects_range(const struct summary *summary, uint64_t samples,
                                           double objects, double squares, uint64_t blocks)
{
    struct estimate_sum sum = {(double)samples, objects, squares,
                               estimate_heaviest_object(&summary->estimate),
                               summary->by_peak ? 0 : (double)blocks};
    struct estimate_range range = estimate_range(&sum, summary->estimate.sample_rate);
    range.is_few = false; /* the bytes beside them say so */
    return range;
}

struct estimate_range summary_objects_range(const struct summary *summary)
{
    return objects_range(summary, summary_allocated_samples(summary),
                         summary_allocated_objects(summary), summary->allocated_squares,
                         summary_allocations(summary));
}

struct estimate_range summary_live_objects_range(const struct summary *summary)
{
    return objects_range(summary, summary->live_samples, summary->live_objects,
                         summary->live_squares, summary->live_blocks);
}
