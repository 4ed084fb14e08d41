#include "tap/record/renew.h"

#include "tap/engine/rate.h"
#include "tap/inside/confined.h"
#include "tap/inside/kernel.h"
#include "tap/gather/halve.h"
#include "tap/record/event.h"
#include "tap/record/profile.h"
#include "tap/record/state.h"

struct renewing {
    struct heaptap_pprof_domain *domain;
    int64_t now_us;
};

/* The engine's words are numbers of blocks, and 1. */
static bool is_old(const void *context, const void *word)
{
    const struct renewing *renewing = context;
    return pprof_block_is_old(renewing->domain, (uint64_t)word - 1);
}

static void *renew(void *context, void *word)
{
    const struct renewing *renewing = context;
    uint64_t block = pprof_block_renew(renewing->domain, renewing->now_us, (uint64_t)word - 1,
                                       budget_next_number());
    return block ? (void *)(block + 1) : NULL;
}

static void renew_all(struct stream *stream)
{
    struct renewing renewing = {.domain = stream->profile, .now_us = clock_now()};
    uint32_t halvings = __atomic_load_n(&recorder.budget.blocks.halvings, __ATOMIC_ACQUIRE);
    stream_set_halvings(stream, halvings);
    engine_prune(&recorder.engine, &record_self.engine,
                 &(struct engine_pruning){.is_over = is_old, .renew = renew, .context = &renewing});
}

/* Without the program's handlers, which may end the process, and would wait for us. */
void renew_blocks(void)
{
    struct kernel_quiet quiet;
    bool lent;
    if (!recorder.profile || confined_on())
        return;
    kernel_quiet_begin(&quiet);
    struct stream *stream = event_enter(&lent);
    if (stream && profile_hold()) {
        renew_all(stream);
        profile_let_go();
    }
    if (stream)
        event_leave(stream, lent, clock_now());
    kernel_quiet_end(&quiet);
}
