/* An allocation costs its domain one look for its stack and one for the group (stacks.c).  A block's
 * end costs two atomic additions.
 *
 * No times of blocks are kept: the lifetimes of a group's blocks are the sum of their ends less the
 * sum of their beginnings, where each block that is alive counts as ending now. */
#include "tap/inside/fail.h"
#include "tap/inside/growing_file.h"
#include "tap/inside/info_fault.h"
#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"
#include "tap/gather/profile.h"

#include <errno.h>
#include <string.h>

enum { DEFAULT_MAX_FRAMES = 4096 };

/* ---- The profile -------------------------------------------------------------------- */

static const uint32_t item_bytes[KEPT_ARRAYS] = {
    [KEPT_NODES] = sizeof(struct node),         [KEPT_GROUPS] = sizeof(struct group),
    [KEPT_FRAMES] = sizeof(struct frame),       [KEPT_LINES] = sizeof(struct line),
    [KEPT_FUNCTIONS] = sizeof(struct function), [KEPT_STRINGS] = sizeof(struct string),
    [KEPT_TEXT] = sizeof(struct text_unit),     [KEPT_MODULES] = sizeof(struct module),
    [KEPT_SAID] = sizeof(struct said),
};

const uint32_t *pprof_item_bytes(void)
{
    return item_bytes;
}

static void find_stores(struct heaptap_pprof *profile)
{
    for (unsigned i = 0; i < KEPT_ARRAYS; i++) {
        profile->stores[i].file = profile->file;
        profile->stores[i].offsets = profile->kept->chunks[i];
    }
}

/* Before anything is counted. */
static void describe_itself(struct heaptap_pprof *profile, const struct heaptap_trace_info *info,
                            const struct heaptap_pprof_options *options)
{
    struct kept *kept = profile->kept;
    kept->header_bytes = sizeof *kept;
    memcpy(kept->item_bytes, item_bytes, sizeof item_bytes);
    kept->rate = info->sample_rate;
    kept->word_bytes = info->word_bits / 8;
    kept->header_words = info->word_bits > 8;
    kept->intervals = options->intervals != 0;
    kept->start_us = info->start_us;
    kept->last_us = info->start_us;
    kept->pid = info->pid;
    kept->max_frames = options->max_frames ? options->max_frames : DEFAULT_MAX_FRAMES;
    kept->node_numbers = kept->group_numbers = 1;
    kept->said_us = profile->start_us = info->start_us;
    profile->max_frames = kept->max_frames;
    profile->describe = options->describe;
    profile->locate = options->locate;
    profile->describe_context = options->context;
}

/* NULL with an errno in `*code`. */
static struct heaptap_pprof *begin(const struct heaptap_trace_info *info,
                                   const struct heaptap_pprof_options *options, const char *keep,
                                   int *code)
{
    struct heaptap_pprof *profile = pages_map(sizeof *profile);
    *code = ENOMEM;
    if (!profile)
        return NULL;
    if (keep)
        *code = keep_begin(profile, keep);
    else
        profile->kept = pages_map(sizeof *profile->kept);
    if (!profile->kept) {
        heaptap_pprof_free(profile);
        return NULL;
    }
    find_stores(profile);
    describe_itself(profile, info, options);
    if (store_reach(&profile->stores[KEPT_NODES], 0, sizeof(struct node)) &&
        store_reach(&profile->stores[KEPT_GROUPS], 0, sizeof(struct group)) && names_begin(profile))
        return profile;
    if (keep) {
        int failed = atomic_load(&profile->file->failed);
        *code = failed ? failed : ENOMEM;
        kernel_unlink(keep);
    }
    heaptap_pprof_free(profile);
    return NULL;
}

enum heaptap_status heaptap_pprof_new(struct heaptap_pprof **result,
                                      const struct heaptap_trace_info *info,
                                      const struct heaptap_pprof_options *options,
                                      struct heaptap_error *error)
{
    static const struct heaptap_pprof_options none;
    if (result)
        *result = NULL;
    if (!result || !info)
        return fail(error, HEAPTAP_BAD_ARGUMENT,
                    "a profile needs a rate and a word size, and a place for itself");
    if (info_fault(info))
        return fail(error, HEAPTAP_BAD_ARGUMENT, info_fault(info));
    options = options ? options : &none;
    int keep_failure = 0, code;
    struct heaptap_pprof *profile =
        options->keep ? begin(info, options, options->keep, &keep_failure) : NULL;
    if (!profile)
        profile = begin(info, options, NULL, &code);
    *result = profile;
    if (!profile)
        return fail_memory(error);
    profile->keep_failure = heaptap_pprof_is_kept(profile) ? 0 : keep_failure;
    profile->kept->executable = names_string(&profile->names, info->executable);
    profile->kept->context = names_string(&profile->names, info->context);
    atomic_store_explicit(&profile->kept->magic, KEPT_MAGIC, memory_order_release);
    return HEAPTAP_OK;
}

int heaptap_pprof_is_kept(const struct heaptap_pprof *profile)
{
    if (!profile)
        return 0;
    return profile->file != NULL;
}

void heaptap_pprof_free(struct heaptap_pprof *profile)
{
    if (!profile)
        return;
    names_end(&profile->names);
    for (unsigned i = 0; i < KEPT_ARRAYS && !profile->borrowed; i++)
        store_release(&profile->stores[i], item_bytes[i]);
    if (profile->file)
        keep_end(profile);
    else if (!profile->borrowed)
        pages_unmap(profile->kept, sizeof *profile->kept);
    pages_unmap(profile, sizeof *profile);
}

/* ---- Domains ------------------------------------------------------------------------ */

enum heaptap_status heaptap_pprof_domain_new(struct heaptap_pprof_domain **result,
                                             struct heaptap_pprof *profile,
                                             struct heaptap_error *error)
{
    if (result)
        *result = NULL;
    if (!result || !profile)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "a domain needs a profile, and a place");
    size_t frames = profile->max_frames, codes = frames * sizeof(uint64_t),
           hashes = (frames + 1) * sizeof(uint64_t), path = (frames + 1) * sizeof(uint32_t);
    size_t size = sizeof **result + codes + hashes + path;
    struct heaptap_pprof_domain *domain = pages_map(size);
    if (!domain)
        return fail_memory(error);
    domain->profile = profile;
    atomic_fetch_add(&profile->domains, 1);
    domain->mapped_bytes = size;
    domain->hashes = (uint64_t *)((char *)domain->codes + codes);
    domain->path = (uint32_t *)((char *)domain->hashes + hashes);
    if (!stacks_begin(domain)) {
        heaptap_pprof_domain_free(domain);
        return fail_memory(error);
    }
    *result = domain;
    return HEAPTAP_OK;
}

void heaptap_pprof_domain_free(struct heaptap_pprof_domain *domain)
{
    if (!domain)
        return;
    stacks_end(domain);
    pages_unmap(domain, domain->mapped_bytes);
}

/* ---- Blocks ------------------------------------------------------------------------- */

/* For sums that no other thread writes, where blocks aren't renewed; returns what it was. */
static uint64_t add_own(const struct heaptap_pprof *profile, _Atomic uint64_t *sum, uint64_t value)
{
    if (profile->renews)
        return atomic_fetch_add_explicit(sum, value, memory_order_release);
    uint64_t before = atomic_load_explicit(sum, memory_order_relaxed);
    atomic_store_explicit(sum, before + value, memory_order_release);
    return before;
}

/* A time with its samples as weight; it is before the start where the clock has stepped back. */
static sample_us weighted(const struct heaptap_pprof *profile, uint64_t samples, int64_t time_us)
{
    int64_t since_us = (int64_t)((uint64_t)time_us - (uint64_t)profile->start_us);
    return (sample_us)since_us * (int64_t)samples;
}

/* What goes to the upper bits of a sum whose lower ones were `before`. */
static uint32_t above(sample_us value, uint64_t before)
{
    return (uint32_t)(value >> 64) + (before + (uint64_t)value < before);
}

void gather_allocated(struct heaptap_pprof *profile, struct group *group, uint64_t samples,
                      int64_t time_us)
{
    sample_us at = weighted(profile, samples, time_us);
    uint32_t high = above(at, add_own(profile, &group->allocated_at, (uint64_t)at));
    if (__builtin_expect(high != 0, 0))
        group->allocated_at_high += high;
    add_own(profile, &group->allocated, samples);
}

void gather_end_lives(struct heaptap_pprof *profile, struct group *group, uint64_t samples,
                      int64_t time_us)
{
    sample_us at = weighted(profile, samples, time_us);
    uint32_t high = above(
        at, atomic_fetch_add_explicit(&group->collected_at, (uint64_t)at, memory_order_relaxed));
    if (__builtin_expect(high != 0, 0))
        group->collected_at_high += high;
}

uint64_t heaptap_pprof_alloc(struct heaptap_pprof_domain *domain, int64_t time_us,
                             const struct heaptap_allocation *allocation)
{
    if (!domain || !allocation)
        return 0;
    struct heaptap_pprof *profile = domain->profile;
    uint64_t samples = allocation->samples, told = samples;
    if (samples == allocation->length)
        told = 0;
    else if (samples > BLOCK_SAMPLES_MAX)
        samples = told = BLOCK_SAMPLES_MAX;
    uint32_t number = stacks_group(domain, allocation);
    if (!number) {
        heaptap_pprof_drop(profile, samples);
        return 0;
    }
    gather_allocated(profile, store_group(profile, number), samples, time_us);
    return (uint64_t)number << BLOCK_SAMPLE_BITS | told;
}

void heaptap_pprof_drop(struct heaptap_pprof *profile, uint64_t samples)
{
    if (!profile)
        return;
    atomic_fetch_add_explicit(&profile->kept->dropped, samples, memory_order_relaxed);
}

void heaptap_pprof_stop(struct heaptap_pprof *profile, const char *reason)
{
    if (!profile)
        return;
    struct kept *kept = profile->kept;
    size_t size = reason ? strlen(reason) : 0;
    if (size > sizeof kept->stopped)
        size = sizeof kept->stopped;
    atomic_store_explicit(&kept->stopped_size, 0, memory_order_release);
    if (size > 0)
        memcpy(kept->stopped, reason, size);
    atomic_store_explicit(&kept->stopped_size, (uint32_t)size, memory_order_release);
}

void heaptap_pprof_alive(struct heaptap_pprof *profile, int64_t time_us)
{
    if (!profile)
        return;
    atomic_store_explicit(&profile->kept->last_us, time_us, memory_order_relaxed);
}

struct group *gather_group_of(const struct heaptap_pprof *profile, uint64_t block,
                              uint64_t *samples)
{
    if (!profile)
        return NULL;
    struct group *group = store_peek(&profile->stores[KEPT_GROUPS],
                                     (uint32_t)(block >> BLOCK_SAMPLE_BITS), sizeof *group);
    if (!group || !atomic_load_explicit(&group->node, memory_order_relaxed))
        return NULL;
    *samples = block & BLOCK_SAMPLES_MAX;
    if (*samples == 0)
        *samples = group->length;
    return group;
}

void heaptap_pprof_promote(struct heaptap_pprof *profile, uint64_t block)
{
    uint64_t samples;
    struct group *group = gather_group_of(profile, block, &samples);
    if (!group)
        return;
    atomic_fetch_add_explicit(&group->promoted, samples, memory_order_relaxed);
}

void heaptap_pprof_collect(struct heaptap_pprof *profile, int64_t time_us, uint64_t block)
{
    uint64_t samples;
    struct group *group = gather_group_of(profile, block, &samples);
    if (!group)
        return;
    gather_end_lives(profile, group, samples, time_us);
    atomic_fetch_add_explicit(&group->collected, samples, memory_order_release);
}
