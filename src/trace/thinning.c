#include "trace/thinning.h"

#include <math.h>

#include "base/coin.h"

enum { NOTHING_BYTES = 1 };

void thinning_begin(struct thinning *thinning, const struct heaptap_trace_info *info)
{
    int exponent;
    bool is_power = frexp(info->sample_rate, &exponent) == 0.5;
    if (!is_power || exponent > 0 || 1 - exponent > COIN_STEPS_MAX || thinning_is_on(thinning))
        return;
    thinning->halvings = (unsigned)(1 - exponent);
    thinning->salt = coin_salt(info->start_us, info->pid);
    id_table_init(&thinning->dropped, NOTHING_BYTES);
}

void thinning_release(struct thinning *thinning)
{
    if (thinning_is_on(thinning))
        id_table_release(&thinning->dropped);
}

bool thinning_apply(struct thinning *thinning, struct heaptap_event *event, bool *is_left)
{
    bool fresh;
    *is_left = true;
    if (event->kind == HEAPTAP_ALLOC) {
        event->samples =
            coin_remaining(thinning->salt, event->id, thinning->halvings, event->samples);
        *is_left = event->samples > 0;
        return *is_left || id_table_add(&thinning->dropped, event->id, &fresh);
    }
    void *dropped = id_table_find(&thinning->dropped, event->id);
    *is_left = !dropped;
    if (dropped && event->kind == HEAPTAP_COLLECT)
        id_table_remove_found(&thinning->dropped, event->id, dropped);
    return true;
}
