#include "analyze/live_curve.h"

#include <stdlib.h>
#include <string.h>

bool live_curve_init(struct live_curve *curve)
{
    *curve = (struct live_curve){calloc(LIVE_CURVE_STEPS, sizeof *curve->changes), 0};
    return curve->changes;
}

void live_curve_release(struct live_curve *curve)
{
    free(curve->changes);
    *curve = (struct live_curve){0};
}

void live_curve_stretch(struct live_curve *curve, int64_t time_us)
{
    enum { HALF = LIVE_CURVE_STEPS / 2 };
    while ((uint64_t)time_us >> curve->shift >= LIVE_CURVE_STEPS) {
        for (unsigned i = 0; i < HALF; i++)
            curve->changes[i] = curve->changes[2 * i] + curve->changes[2 * i + 1];
        memset(curve->changes + HALF, 0, HALF * sizeof *curve->changes);
        curve->shift++;
    }
}

struct live_peak live_curve_peak(const struct live_curve *curve)
{
    struct live_peak peak = {.step_us = (int64_t)1 << curve->shift};
    int64_t live = 0;
    for (int64_t i = 0; i < LIVE_CURVE_STEPS; i++) {
        live += curve->changes[i];
        if (live > peak.samples) {
            peak.samples = live;
            peak.time_us = ((i + 1) << curve->shift) - 1;
        }
    }
    return peak;
}
