/* A curve is at its highest for some time, from the last birth of its samples to their next death.  The time chosen is the
 * last microsecond of that, as programs build things up piece by piece and let go of them at once: the first would miss
 * what the other half has born since. */
#include "profile/peak.h"

#include <math.h>

static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static const uint64_t SEED_STEP = UINT64_C(0x9e3779b97f4a7c15);

/* How many of `count` coins show heads.  Most blocks have one sample: theirs is the lowest bit, which needs no counting. */
static uint64_t heads(uint64_t seed, uint64_t count)
{
    uint64_t sum = 0;
    if (count == 1)
        return mixed(seed + SEED_STEP) & 1;
    for (; count >= 64; count -= 64)
        sum += (uint64_t)__builtin_popcountll(mixed(seed += SEED_STEP));
    uint64_t rest = mixed(seed + SEED_STEP);
    return sum + (uint64_t)__builtin_popcountll(rest & ((UINT64_C(1) << count) - 1));
}

uint64_t peak_first_half(uint64_t id, uint64_t samples, double sample_rate)
{
    enum { COINS = 1 << 12 };
    if (sample_rate >= 1)
        return samples;
    if (samples <= COINS)
        return heads(id, samples);
    /* Of more, by COINS whose deviation is widened to theirs. */
    double deviation = (double)heads(id, COINS) - COINS / 2;
    return (uint64_t)llrint((double)samples / 2 + deviation * sqrt((double)samples / COINS));
}

int64_t peak_own_weight(double sample_rate)
{
    return sample_rate < PEAK_DEPENDENT_RATE
               ? 0
               : llrint(PEAK_WHOLE_SAMPLE * sample_rate / (2 - sample_rate));
}

void peak_tracker_init(struct peak_tracker *tracker, double sample_rate)
{
    *tracker = (struct peak_tracker){.own_weight = peak_own_weight(sample_rate)};
}

static void note_half(struct peak_tracker *tracker, int half)
{
    bool touched = tracker->touched[half];
    tracker->touched[half] = false;
    if (tracker->choosing[half] > tracker->highest[half]) {
        tracker->highest[half] = tracker->choosing[half];
        tracker->lasts[half] = true;
    } else if (!tracker->lasts[half] || touched) {
        tracker->lasts[half] = false;
        return;
    }
    tracker->then[half] = tracker->live[half];
    tracker->peak.half_us[half] = tracker->now_us;
}

void peak_tracker_note(struct peak_tracker *tracker)
{
    int64_t all = peak_sum(tracker->live[0], 1, tracker->live[1]);
    if (all > tracker->peak.highest) {
        tracker->peak.highest = all;
        tracker->peak.time_us = tracker->now_us;
        tracker->at_highest[0] = tracker->live[0];
        tracker->at_highest[1] = tracker->live[1];
    }
    for (int half = 0; half < PEAK_HALVES; half++)
        note_half(tracker, half);
}

void peak_tracker_finish(struct peak_tracker *tracker)
{
    struct peak *peak = &tracker->peak;
    peak_tracker_note(tracker);
    for (int half = 0; half < PEAK_HALVES; half++) {
        if (tracker->highest[half] > 0)
            continue;
        peak->half_us[half] = peak->time_us;
        tracker->then[half] = tracker->at_highest[half];
    }
    peak->samples = peak_sum(tracker->then[0], 1, tracker->then[1]);
    if (tracker->own_weight == PEAK_WHOLE_SAMPLE)
        peak->half_us[0] = peak->half_us[1] = peak->time_us;
}
