/* Profiles that a unit test gathers, writes and reads back. */
#ifndef GATHERED_H
#define GATHERED_H

#include "heaptap/pprof.h"
#include "pprof/read/profile.h"
#include "unit/unit.h"

static inline struct heaptap_pprof *new_profile(const struct heaptap_trace_info *info,
                                                const struct heaptap_pprof_options *options)
{
    struct heaptap_pprof *profile;
    assert_int_equal(heaptap_pprof_new(&profile, info, options, NULL), HEAPTAP_OK);
    return profile;
}

static inline struct heaptap_pprof_domain *new_domain(struct heaptap_pprof *profile)
{
    struct heaptap_pprof_domain *domain;
    assert_int_equal(heaptap_pprof_domain_new(&domain, profile, NULL), HEAPTAP_OK);
    return domain;
}

static inline struct model *read_bytes(const struct bytes *bytes)
{
    struct input *input;
    struct model *model;
    struct heaptap_error error = {0};
    assert_int_equal(input_open_memory(&input, bytes->items, bytes->size, &error), HEAPTAP_OK);
    if (pprof_read(&model, input, &error) != HEAPTAP_OK)
        fail_msg("byte %llu: %s", (unsigned long long)error.offset, error.message);
    input_close(input);
    return model;
}

static inline struct model *read_back(struct heaptap_pprof *profile, int64_t now_us)
{
    struct bytes bytes = {0};
    assert_int_equal(heaptap_pprof_write(profile, now_us, bytes_sink(&bytes)), 0);
    struct model *model = read_bytes(&bytes);
    bytes_release(&bytes);
    return model;
}

static inline uint64_t alloc(struct heaptap_pprof_domain *domain, int64_t time_us, uint64_t length,
                             uint64_t samples, const uint64_t *stack, uint32_t depth)
{
    struct heaptap_allocation allocation = {.length = length,
                                            .samples = samples,
                                            .stack = stack,
                                            .stack_length = depth,
                                            .shared = HEAPTAP_SHARED_UNKNOWN};
    return heaptap_pprof_alloc(domain, time_us, &allocation);
}

#endif
