/* Hot spots by the rules of memtrace's own report, so that the two can be compared line by line:
 * functions are those of the innermost inlined location of each code, a site is a function with
 * the codes that allocate in it, and its callers are those that stand out by fixed thresholds.
 *
 * Weights are samples throughout, and exact: memtrace adds 1 an allocation to a pair of caller and
 * site, whatever its samples, and follows 10 000 pairs approximately.  Both are the same where each
 * allocation has one sample and pairs are few. */
#ifndef REPORT_SITES_MEMTRACE_HOTSPOTS_H
#define REPORT_SITES_MEMTRACE_HOTSPOTS_H

#include "profile/stack_profile.h"
#include "profile/symbols.h"

struct memtrace_position {
    uint32_t line, start_char, end_char;
    uint64_t samples;
};

struct memtrace_caller {
    const char *function;
    uint64_t samples; /* of the pair */
    uint64_t total;   /* of all of this function's */
};

struct memtrace_site {
    const char *function, *file;
    uint64_t samples;
    const struct memtrace_position *positions; /* heaviest first, those with samples */
    size_t position_count;
    const struct memtrace_caller *callers; /* heaviest first */
    size_t caller_count;
};

struct memtrace_hotspots {
    uint64_t samples;            /* of all allocations */
    struct memtrace_site *sites; /* heaviest first */
    size_t count;
    struct memtrace_position *positions; /* of all sites */
    struct memtrace_caller *callers;
    struct names names; /* made for codes that nothing is known of */
};

/* Reads a finished profile.  False when there is no memory; then there is nothing to release. */
bool memtrace_hotspots_init(struct memtrace_hotspots *hotspots, const struct stack_profile *profile,
                            const struct frame_source *source);
void memtrace_hotspots_release(struct memtrace_hotspots *hotspots);

#endif
