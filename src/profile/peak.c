/* The curve of a half is at its highest for some time, from the last birth of its samples to their next death.  It does not
 * say where in that time the peak is.  The samples that are judged by it do: the time chosen is that at which most of them are
 * alive.  The first or the last event would miss a sample of them in the mean, which is a third of the peak where it
 * rests on five; the choice among the few events of such a time makes at most as much of it. */
#include "profile/peak.h"

#include <math.h>

#include "base/coin.h"

uint64_t peak_first_half(const struct estimate *estimate, uint64_t id, uint64_t samples)
{
    enum { COINS = 1 << 12 };
    uint64_t seed = estimate->seed + id + UINT64_C(0x9e3779b97f4a7c15);
    if (estimate->sample_rate >= 1)
        return samples;
    if (samples <= COINS)
        return coin_heads(seed, samples);
    /* Of more, by COINS whose deviation is widened to theirs. */
    double deviation = (double)coin_heads(seed, COINS) - COINS / 2;
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
    *tracker = (struct peak_tracker){.own_weight = peak_own_weight(sample_rate),
                                     .is_exact = sample_rate >= 1};
}

void peak_tracker_init_open(struct peak_tracker *tracker, double sample_rate)
{
    peak_tracker_init(tracker, sample_rate);
    tracker->is_open = true;
    tracker->peak.births = tracker->peak.half_births[0] = tracker->peak.half_births[1] =
        PEAK_BY_TIME;
}

/* ---- Exact: every event in order ------------------------------------------------------ */

/* That of the event; the last one of all where there are too many. */
static struct peak_domain *enter_domain(struct peak_tracker *tracker, uint32_t number)
{
    unsigned i = 0;
    while (i < tracker->domain_count && tracker->domains[i].number != number)
        i++;
    if (i == PEAK_MIXED)
        return &tracker->domains[PEAK_MIXED - 1];
    if (i == tracker->domain_count)
        tracker->domains[tracker->domain_count++] = (struct peak_domain){.number = number};
    return &tracker->domains[i];
}

/* Events in an unknown order: all births may come first, or all deaths. */
static void add_open(struct peak_domain *domain, int64_t change)
{
    domain->change = peak_sum(domain->change, 1, change);
    *(change > 0 ? &domain->most : &domain->least) =
        peak_sum(change > 0 ? domain->most : domain->least, 1, change);
}

static void add_ordered(struct peak_domain *domain, int64_t change)
{
    domain->change = peak_sum(domain->change, 1, change);
    domain->most = domain->change > domain->most ? domain->change : domain->most;
    domain->least = domain->change < domain->least ? domain->change : domain->least;
}

void peak_tracker_add_exact(struct peak_tracker *tracker, uint32_t number, int64_t samples,
                            int sign)
{
    int64_t change = sign > 0 ? samples : peak_sum(0, -1, samples);
    struct peak_domain *domain = enter_domain(tracker, number);
    tracker->live[0] = peak_sum(tracker->live[0], 1, change);
    tracker->births += sign > 0;
    if (tracker->is_open || domain == &tracker->domains[PEAK_MIXED - 1])
        add_open(domain, change);
    else
        add_ordered(domain, change);
    if (tracker->live[0] <= tracker->peak.highest || tracker->is_open)
        return;
    tracker->peak.highest = tracker->live[0];
    tracker->peak.highest_us = tracker->now_us;
    tracker->peak.births = tracker->births;
}

/* The least that the highest point of this microsecond can be: at its ends, and where a domain has its most, while the others
 * have their least. */
static int64_t least_of(const struct peak_tracker *tracker, int64_t lows)
{
    int64_t least = tracker->live[0] > tracker->began ? tracker->live[0] : tracker->began;
    bool is_many = tracker->is_open || tracker->domain_count == PEAK_MIXED;
    for (unsigned i = 0; i < tracker->domain_count - is_many; i++) {
        const struct peak_domain *domain = &tracker->domains[i];
        int64_t others = peak_sum(lows, -1, domain->least);
        int64_t level = peak_sum(peak_sum(tracker->began, 1, domain->most), 1, others);
        least = level > least ? level : least;
    }
    return least;
}

static void note_exact(struct peak_tracker *tracker)
{
    struct peak *peak = &tracker->peak;
    int64_t most = tracker->began, lows = 0;
    if (tracker->domain_count == 0)
        return;
    for (unsigned i = 0; i < tracker->domain_count; i++) {
        most = peak_sum(most, 1, tracker->domains[i].most);
        lows = peak_sum(lows, 1, tracker->domains[i].least);
    }
    int64_t least = least_of(tracker, lows);
    peak->most = most > peak->most ? most : peak->most;
    peak->least = least > peak->least ? least : peak->least;
    if (tracker->is_open && tracker->live[0] > peak->highest) {
        peak->highest = tracker->live[0];
        peak->highest_us = tracker->now_us;
    }
    tracker->began = tracker->live[0];
    tracker->domain_count = 0;
}

static void finish_exact(struct peak *peak)
{
    peak->samples = peak->highest;
    peak->time_us = peak->highest_us;
    for (int half = 0; half < PEAK_HALVES; half++) {
        peak->half_us[half] = peak->highest_us;
        peak->half_births[half] = peak->births;
    }
}

/* ---- Samples ------------------------------------------------------------------------- */

static uint64_t births_now(const struct peak_tracker *tracker)
{
    return tracker->is_open ? PEAK_BY_TIME : tracker->births;
}

static void look_at_half(struct peak_tracker *tracker, int half)
{
    bool touched = tracker->touched[half];
    tracker->chose[half] = false;
    tracker->touched[half] = false;
    if (tracker->choosing[half] > tracker->highest[half]) {
        tracker->highest[half] = tracker->choosing[half];
        tracker->lasts[half] = true;
    } else {
        tracker->lasts[half] &= !touched;
        if (!tracker->lasts[half] || tracker->live[half] <= tracker->then[half])
            return;
    }
    tracker->chose[half] = true;
    tracker->then[half] = tracker->live[half];
    tracker->peak.half_us[half] = tracker->now_us;
    tracker->peak.half_births[half] = births_now(tracker);
}

void peak_tracker_look(struct peak_tracker *tracker)
{
    int64_t all = peak_sum(tracker->live[0], 1, tracker->live[1]);
    tracker->is_higher = all > tracker->peak.highest;
    if (tracker->is_higher) {
        tracker->peak.highest = all;
        tracker->peak.highest_us = tracker->now_us;
        tracker->peak.births = births_now(tracker);
        tracker->at_highest[0] = tracker->live[0];
        tracker->at_highest[1] = tracker->live[1];
    }
    for (int half = 0; half < PEAK_HALVES; half++)
        look_at_half(tracker, half);
}

void peak_tracker_note(struct peak_tracker *tracker)
{
    if (tracker->is_exact)
        note_exact(tracker);
    else if (tracker->is_open)
        peak_tracker_look(tracker);
}

void peak_tracker_finish(struct peak_tracker *tracker)
{
    struct peak *peak = &tracker->peak;
    peak_tracker_note(tracker);
    if (tracker->is_exact) {
        finish_exact(peak);
        return;
    }
    for (int half = 0; half < PEAK_HALVES; half++) {
        if (tracker->highest[half] > 0)
            continue;
        peak->half_us[half] = peak->highest_us;
        peak->half_births[half] = peak->births;
        tracker->then[half] = tracker->at_highest[half];
    }
    peak->time_us = peak->highest_us;
    peak->samples = peak_sum(tracker->then[0], 1, tracker->then[1]);
    int64_t left = peak_sum(tracker->live[0], 1, tracker->live[1]);
    if (left > peak->samples) {
        peak->samples = left;
        peak_move_to_end(peak, tracker->now_us);
    }
}

void peak_move_to_end(struct peak *peak, int64_t end_us)
{
    peak->is_at_end = true;
    peak->time_us = end_us;
    for (int half = 0; half < PEAK_HALVES; half++) {
        peak->half_us[half] = end_us;
        peak->half_births[half] = PEAK_BY_TIME;
    }
}

/* ---- Bounds -------------------------------------------------------------------------- */

struct estimate_range peak_range(const struct peak *peak, const struct estimate *estimate)
{
    if (estimate->sample_rate >= 1)
        return (struct estimate_range){estimate_bytes(estimate, (double)peak->least),
                                       estimate_bytes(estimate, (double)peak->most), false};
    return estimate_peak_range(estimate, (double)peak->samples, (double)peak->highest);
}

bool peak_is_exact(const struct peak *peak, const struct estimate *estimate)
{
    return estimate->sample_rate >= 1 && peak->least == peak->most;
}
