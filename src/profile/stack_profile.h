/* What a trace allocated, by stack: fed with a reader's events, read by the reports.  Or any other
 * values by stack, of which a file of another kind tells: then all of a tally but `value` and the
 * number of them means nothing, and reports go by WEIGHT_VALUE. */
#ifndef PROFILE_STACK_PROFILE_H
#define PROFILE_STACK_PROFILE_H

#include <math.h>

#include "profile/estimate.h"
#include "profile/stack_trie.h"

/* Sums over the allocations of one stack, or of all. */
struct stack_tally {
    uint64_t events;  /* sampled blocks */
    uint64_t samples; /* of all of them */
    uint64_t
        seen_words; /* of the sampled blocks themselves (estimate_seen_words); 0 where they were chosen by a peak, and need not all
                            have been there at once */
    double density; /* sum of samples / (words + header): times 1 / lambda, the objects estimated.
                         Of a block without any words, its samples.  Of a difference, the
                         change */
    double
        squares; /* sum of samples / (words + header)^2: for bounds of objects.  Of a difference, what it is now */
    double value; /* of a profile of values, else 0 */
};

/* What the values of a profile are; both NULL for a profile of a trace's allocations. */
struct stack_measure {
    const char *type; /* "inuse_space" */
    const char *unit; /* "bytes" */
};

struct stack_profile {
    struct estimate estimate;
    struct stack_measure measure;
    struct stack_trie trie;
    struct stack_paths paths;
    struct stack_tally *tallies; /* by stack number, as many as trie.stack_count */
    size_t capacity;
    struct stack_tally total;
};

/* Which of a tally's figures a report is about. */
enum stack_weight { WEIGHT_BYTES, WEIGHT_SAMPLES, WEIGHT_OBJECTS, WEIGHT_VALUE };

/* As answers have it. */
static inline const char *stack_weight_name(enum stack_weight weight)
{
    static const char *const names[] = {"bytes", "samples", "objects", "value"};
    return names[weight];
}

/* False when there is no memory; then there is nothing to release. */
bool stack_profile_init(struct stack_profile *profile, const struct heaptap_trace_info *info);
void stack_profile_release(struct stack_profile *profile);

/* Counts an allocation.  Each of the trace's must be given, in the reader's order.  False when
 * there is no memory. */
bool stack_profile_add(struct stack_profile *profile, const struct heaptap_event *event);

/* The same for a profile of values; the texts of `measure` are borrowed. */
bool stack_profile_init_values(struct stack_profile *profile, const struct stack_measure *measure);

/* Adds a value, which may be negative, to the stack that ends at `node` of the trie.  Both `events`
 * and `samples` of its tally count them.  False when there is no memory. */
bool stack_profile_add_value(struct stack_profile *profile, uint32_t node, int64_t value);

/* To be called at the end: forgets where the domains stand, and sums up the total. */
void stack_profile_finish(struct stack_profile *profile);

/* By node, whether it is of a stack that has events; malloc'ed, NULL when there is no memory. */
bool *stack_profile_nodes(const struct stack_profile *profile);

static inline void stack_tally_sum(struct stack_tally *to, const struct stack_tally *tally)
{
    to->events += tally->events;
    to->samples += tally->samples;
    to->seen_words += tally->seen_words;
    to->density += tally->density;
    to->squares += tally->squares;
    to->value += tally->value;
}

static inline double stack_tally_bytes(const struct stack_tally *tally,
                                       const struct estimate *estimate)
{
    return estimate_bytes(estimate, (double)tally->samples);
}

static inline double stack_tally_objects(const struct stack_tally *tally,
                                         const struct estimate *estimate)
{
    return tally->density / estimate->sample_rate;
}

static inline struct estimate_sum stack_tally_bytes_sum(const struct stack_tally *tally,
                                                        const struct estimate *estimate)
{
    struct estimate_sum sum = estimate_bytes_sum(estimate, (double)tally->samples);
    sum.least = (double)tally->seen_words * estimate->word_bytes;
    return sum;
}

static inline struct estimate_sum stack_tally_objects_sum(const struct stack_tally *tally,
                                                          const struct estimate *estimate)
{
    struct estimate_sum sum =
        estimate_objects_sum(estimate, (double)tally->samples, tally->density, tally->squares);
    sum.least = tally->seen_words > 0 ? (double)tally->events : 0;
    return sum;
}

/* 95 % bounds; of a profile of values there are none.  Objects stand beside bytes, which say so where samples are few. */
static inline struct estimate_range stack_tally_bytes_range(const struct stack_tally *tally,
                                                            const struct estimate *estimate)
{
    struct estimate_sum sum = stack_tally_bytes_sum(tally, estimate);
    return estimate_range(&sum, estimate->sample_rate);
}

static inline struct estimate_range stack_tally_objects_range(const struct stack_tally *tally,
                                                              const struct estimate *estimate)
{
    struct estimate_sum sum = stack_tally_objects_sum(tally, estimate);
    struct estimate_range range = estimate_range(&sum, estimate->sample_rate);
    range.is_few = false;
    return range;
}

/* Of what a report is about. */
static inline struct estimate_range stack_tally_range(const struct stack_tally *tally,
                                                      const struct estimate *estimate,
                                                      enum stack_weight weight)
{
    double exact = weight == WEIGHT_VALUE ? tally->value : (double)tally->samples;
    return weight == WEIGHT_BYTES     ? stack_tally_bytes_range(tally, estimate)
           : weight == WEIGHT_OBJECTS ? stack_tally_objects_range(tally, estimate)
                                      : (struct estimate_range){exact, exact, false};
}

static inline double stack_tally_weight(const struct stack_tally *tally,
                                        const struct estimate *estimate, enum stack_weight weight)
{
    return weight == WEIGHT_BYTES     ? stack_tally_bytes(tally, estimate)
           : weight == WEIGHT_SAMPLES ? (double)tally->samples
           : weight == WEIGHT_VALUE   ? tally->value
                                      : stack_tally_objects(tally, estimate);
}

/* A sum of a weight by what it is to be divided by, and itself where that is 0; values of profiles are whole
 * numbers, and so are their means, as pprof has them. */
static inline double stack_weight_mean(double sum, double divisor, enum stack_weight weight)
{
    if (divisor == 0)
        return sum;
    return weight == WEIGHT_VALUE ? trunc(sum / divisor) : sum / divisor;
}

#endif
