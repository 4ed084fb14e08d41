#include "record/profile.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "inside/clock.h"
#include "record/modules.h"
#include "record/state.h"

enum { SAVE_INTERVAL_US = 10000000, SAVE_SHARE = 100, PATIENCE_US = 500000 };

static atomic_flag saving;
static _Atomic int64_t next_save_us;
static uint64_t drops_told;

bool profile_is_asked(const char *name)
{
    size_t size = strlen(name);
    return (size > 3 && strcmp(name + size - 3, ".pb") == 0) ||
           (size > 6 && strcmp(name + size - 6, ".pb.gz") == 0);
}

static uint32_t locate(void *context, uint64_t code, uint64_t *address)
{
    return modules_locate(recorder.profile, code, address, clock_now());
}

bool profile_begin(const struct heaptap_trace_info *info)
{
    struct heaptap_pprof_options options = {.locate = locate,
                                            .max_frames = recorder.settings.callstack_size + 1};
    heaptap_pprof_free(recorder.profile); /* of the process that this one is a fork of */
    atomic_flag_clear(&saving);
    atomic_store(&next_save_us, info->start_us + SAVE_INTERVAL_US);
    drops_told = 0;
    return heaptap_pprof_new(&recorder.profile, info, &options, NULL) == HEAPTAP_OK;
}

static void save(void)
{
    uint64_t drops = recorder_drops();
    int64_t begin_us = clock_now();
    modules_add(recorder.profile);
    heaptap_pprof_drop(recorder.profile, drops - drops_told);
    drops_told = drops;
    int ignored = heaptap_pprof_save(recorder.profile, begin_us, recorder.output.name);
    (void)ignored; /* the last file stays */
    int64_t end_us = clock_now(), pause_us = SAVE_SHARE * (end_us - begin_us);
    atomic_store(&next_save_us,
                 end_us + (pause_us > SAVE_INTERVAL_US ? pause_us : SAVE_INTERVAL_US));
}

void profile_save(bool at_last)
{
    int64_t until_us = clock_now() + PATIENCE_US;
    while (atomic_flag_test_and_set_explicit(&saving, memory_order_acquire)) {
        if (!at_last || clock_now() > until_us)
            return;
        sched_yield();
    }
    save();
    atomic_flag_clear_explicit(&saving, memory_order_release);
}

void profile_save_sometimes(int64_t now_us)
{
    if (now_us >= atomic_load_explicit(&next_save_us, memory_order_relaxed))
        profile_save(false);
}
