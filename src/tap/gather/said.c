/* Profiles of intervals: what the files written so far have said, so that the next one tells the rest. */
#include "tap/gather/profile.h"

/* The process may be killed at any point of this, with the file written or not: whoever knows
 * whether the file of `saying_number` is there can go on from that (restore.c). */
void pprof_saying(struct heaptap_pprof *profile, int64_t now_us)
{
    struct kept *kept = profile->kept;
    if (!kept->intervals)
        return;
    kept->saying_us = now_us;
    atomic_store(&kept->saying_number, kept->said_number + 1);
}

void pprof_said(struct heaptap_pprof *profile)
{
    struct kept *kept = profile->kept;
    uint32_t end = atomic_load_explicit(&kept->group_numbers, memory_order_acquire);
    if (!kept->intervals)
        return;
    for (uint32_t i = 1; i < end; i++) {
        struct said *said = store_peek(&profile->stores[KEPT_SAID], i, sizeof *said);
        if (!said)
            continue;
        said->allocated = said->saying_allocated;
        said->ended = said->saying_ended;
    }
    kept->said_us = kept->saying_us;
    kept->said_dropped = kept->saying_dropped;
    atomic_store(&kept->said_number, kept->saying_number);
}

int heaptap_pprof_changed(const struct heaptap_pprof *profile)
{
    if (!profile)
        return 0;
    static const struct said none;
    uint32_t end = atomic_load_explicit(&profile->kept->group_numbers, memory_order_acquire);
    for (uint32_t i = 1; i < end; i++) {
        const struct group *group = store_peek(&profile->stores[KEPT_GROUPS], i, sizeof *group);
        const struct said *said = store_peek(&profile->stores[KEPT_SAID], i, sizeof *said);
        if (!said)
            said = &none;
        if (group && (group->allocated != said->allocated || group->collected != said->ended))
            return true;
    }
    return false;
}
