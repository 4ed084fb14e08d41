/* Live samples over time, fed in any order.  Changes are added up in equal steps of time, which
 * double in length whenever the time runs out of them; the curve is the running sum. */
#ifndef ANALYZE_LIVE_CURVE_H
#define ANALYZE_LIVE_CURVE_H

#include <stdbool.h>
#include <stdint.h>

enum { LIVE_CURVE_STEPS = 1 << 15 };

struct live_curve {
    int64_t *changes; /* LIVE_CURVE_STEPS of them, in samples */
    unsigned shift;   /* a step lasts 1 << shift microseconds */
};

struct live_peak {
    int64_t samples; /* the most that any step ends with; at least 0 */
    int64_t time_us; /* of the end of that step */
    int64_t step_us; /* how long steps are */
};

/* False when there is no memory. */
bool live_curve_init(struct live_curve *curve);
void live_curve_release(struct live_curve *curve);

/* Makes steps longer until the time fits. */
void live_curve_stretch(struct live_curve *curve, int64_t time_us);

/* `samples` came to life (or, if negative, ended) at `time_us`, since the start of the trace; times
 * before it count as 0. */
static inline void live_curve_add(struct live_curve *curve, int64_t time_us, int64_t samples)
{
    uint64_t step = time_us > 0 ? (uint64_t)time_us >> curve->shift : 0;
    if (__builtin_expect(step >= LIVE_CURVE_STEPS, 0)) {
        live_curve_stretch(curve, time_us);
        step = (uint64_t)time_us >> curve->shift;
    }
    curve->changes[step] += samples;
}

struct live_peak live_curve_peak(const struct live_curve *curve);

#endif
