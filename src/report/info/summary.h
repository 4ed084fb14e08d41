/* The figures of a trace as a whole, from its events, in one pass.
 *
 * Within a domain events come in order, across domains they don't: a block's end can come before
 * its beginning.  So nothing here but the peak depends on how domains are mixed: events come in
 * true order where that counts.  Memory follows the blocks that are alive (summary.c). */
#ifndef REPORT_INFO_SUMMARY_H
#define REPORT_INFO_SUMMARY_H

#include "base/id_table.h"
#include "heaptap/trace.h"
#include "profile/estimate.h"
#include "profile/passing_blocks.h"
#include "profile/peak.h"

enum { SUMMARY_SOURCES = 3, SUMMARY_SHORT_LENGTHS = 257 };

/* What happened on one domain. */
struct domain_summary {
    uint64_t allocations[SUMMARY_SOURCES], promotions, collections; /* events */
    uint64_t source_samples[SUMMARY_SOURCES];                       /* allocated, by source */
    uint64_t allocated_samples;                                     /* their sum, at the end */
    uint64_t
        promoted_samples; /* of blocks that the trace shows being allocated in the minor heap */
    uint64_t collected_samples; /* of blocks that the trace shows being allocated */
    int64_t first_us, last_us;  /* times of its earliest and latest event */
};

struct summary {
    struct estimate estimate;

    /* Events. */
    uint64_t allocations[SUMMARY_SOURCES]; /* by enum heaptap_source */
    uint64_t promotions, collections;
    uint64_t odd_promotions;      /* of blocks that aren't in the minor heap: already promoted, or
                                     never there */
    uint64_t unknown_promotions;  /* of blocks that the trace doesn't show being allocated, ... */
    uint64_t unknown_collections; /* ... or that it shows ending twice */
    int64_t first_us, last_us;    /* earliest and latest; 0 without events */
    int64_t final_us;             /* time of the last event in the file */
    int64_t end_us; /* of the run: who fills a summary sets it (profile/run_bounds.h) */

    /* Samples. */
    uint64_t allocated_samples[SUMMARY_SOURCES];
    uint64_t promoted_samples;
    uint64_t collected_minor_samples; /* of blocks that ended in the minor heap */
    uint64_t collected_major_samples; /* of all others, external ones among them */
    uint64_t up_to_4_samples, up_to_16_samples,
        up_to_256_samples; /* of blocks of up to 4, 16, 256 words */
    uint64_t longest_words;

    /* Estimated blocks; `objects` of them are alive at the end. */
    double allocated_objects[SUMMARY_SOURCES];
    double live_objects;
    double allocated_squares,
        live_squares;     /* of the weights of samples as objects: estimate_sum.squares */
    uint64_t live_blocks; /* sampled ones */
    uint64_t live_samples;
    uint64_t allocated_words,
        live_words; /* of the sampled blocks themselves: estimate_seen_words */

    struct peak peak; /* of events in true order; else as far as the order is true */

    uint32_t domain_count;
    struct domain_summary **domains; /* by number, 1 << 16 of them; NULL for one without events */

    /* While events come: */
    bool by_peak; /* passing blocks pass by the peak: as in struct matcher_life */
    const struct passing_blocks *passing; /* borrowed: those whose events come; NULL for all */
    struct id_table blocks;               /* summary.c: struct block */
    struct id_table early;                /* summary.c: struct early_end */
    struct peak_tracker tracker;
    bool keeps_collected; /* the runtime has a minor heap: see summary.c */
    uint64_t samples_by_length[SUMMARY_SOURCES][SUMMARY_SHORT_LENGTHS];
    uint64_t blocks_in_minor_ended; /* kept although they have ended */
    struct domain_summary *current; /* domain of the last event */
    uint16_t current_number;
};

/* False when there is no memory.  Release it in either case. */
bool summary_init(struct summary *summary, const struct heaptap_trace_info *info);
void summary_release(struct summary *summary);

/* Before the first event: events are those of some blocks alone, with as many samples as pass.  `passing` is borrowed. */
void summary_select(struct summary *summary, const struct passing_blocks *passing);

/* Adds the trace's next `count` events.  False when there is no memory; they are only partly
 * counted then. */
bool summary_add(struct summary *summary, const struct heaptap_event *events, size_t count);

/* Computes what only the end can tell: objects, what is live, the peak.  Call it once. */
void summary_finish(struct summary *summary);

/* Sums over the sources. */
double summary_allocated_objects(const struct summary *summary);
uint64_t summary_allocated_samples(const struct summary *summary);
uint64_t summary_allocations(const struct summary *summary);

/* All that the trace has. */
uint64_t summary_events(const struct summary *summary);

/* Allocations on a domain, of all sources. */
uint64_t summary_domain_allocations(const struct domain_summary *domain);

/* 95 % bounds of the bytes and objects allocated, and of those alive at the end. */
struct estimate_range summary_bytes_range(const struct summary *summary);
struct estimate_range summary_live_bytes_range(const struct summary *summary);
struct estimate_range summary_objects_range(const struct summary *summary);
struct estimate_range summary_live_objects_range(const struct summary *summary);

#endif
