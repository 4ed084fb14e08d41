/* The peak: the most that is alive at once, estimated without a bias upwards.
 *
 * The highest point of a curve made of samples is above the true peak, as it is chosen for being high: at few samples by
 * far.  So the samples are split in two halves, each sample by itself, at random: by its block's id and the recording, for
 * ids count blocks, so that by the id alone all recordings of a program would be split alike, and all err alike.  The time
 * for each half is when the curve of the other half is at its highest, and the estimate is what each half has alive at the
 * time chosen for it.  Samples of one half say nothing of those of the other, so the estimate's mean is what was truly
 * alive at the chosen times: not above the true peak, and below it by as much as the times miss it.
 *
 * `peak` as a time, in filters and reports, is the same pair of times: samples of each half are judged by their own.  So
 * what `live-at=peak` leaves comes to the figure that is called the peak.
 *
 * Of a half whose other half has no sample at all, the time is that of the highest point.
 *
 * What is alive at the end, or where a part of the run that is asked for ends, is estimated from all samples.  Where that is more than what
 * the times chosen come to, the peak is there, for both halves: it is never below what is left.
 *
 * The peak is that of each event in order, for a peak may last less than a microsecond.  It is right behind the birth of a
 * block; what is alive then is told by counting births, as times are too coarse: PEAK_BY_TIME where blocks begin or end by
 * their promotion, of which ends of microseconds are looked at.
 *
 * Where every word is sampled there is nothing to estimate.  Within a domain the file's order is the truth.  Where several domains
 * have events in one microsecond, it is open how these were mixed, so the peak of that microsecond lies between two values,
 * `least` and `most`, which differ seldom.
 *
 * Near rate 1
 * the halves are not independent: each word has one sample at most.  From PEAK_DEPENDENT_RATE on, the curve which chooses
 * for a half also holds the half's own samples, weighted by rate / (2 - rate), which is what makes the two uncorrelated. */
#ifndef PROFILE_PEAK_H
#define PROFILE_PEAK_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/estimate.h"

#define PEAK_DEPENDENT_RATE 0.0625

#define PEAK_BY_TIME UINT64_MAX

enum { PEAK_HALVES = 2, PEAK_WHOLE_SAMPLE = 1 << 16, PEAK_MIXED = 16 };

struct peak {
    int64_t time_us;    /* when it is said to be: highest_us, or the end */
    bool is_at_end;     /* of a sampled recording: both halves are judged by the end */
    int64_t highest_us; /* most samples are alive, of both halves: the earliest such time */
    int64_t highest;    /* then alive: samples */
    int64_t half_us[PEAK_HALVES]; /* the time by which each half is judged */
    uint64_t half_births
        [PEAK_HALVES];   /* and the blocks born until then; PEAK_BY_TIME where times tell */
    int64_t samples;     /* the estimate: those of each half alive at its time */
    int64_t least, most; /* of exact recordings: samples, where the order of domains is open */
    uint64_t births;     /* blocks born until highest_us; PEAK_BY_TIME where times tell */
};

/* When a block begins and ends.  Its place in the order of events: `birth` blocks were born before it, and `end` before it
 * ended, itself included. */
struct peak_life {
    int64_t born_us, died_us;
    uint64_t birth, end; /* end: UINT64_MAX for never */
};

/* Is a half of it alive at the peak? */
static inline bool peak_holds(const struct peak *peak, int half, const struct peak_life *life)
{
    uint64_t births = peak->half_births[half];
    if (births != PEAK_BY_TIME)
        return life->birth < births && life->end >= births &&
               life->born_us <= peak->half_us[half] && life->died_us >= peak->half_us[half];
    return life->born_us <= peak->half_us[half] && life->died_us > peak->half_us[half];
}

/* How many of a block's samples belong to the first half: binomial, the same each time.  All where every word is sampled. */
uint64_t peak_first_half(const struct estimate *estimate, uint64_t id, uint64_t samples);

/* What one of a half's own samples weighs in the curve that chooses its time; one of the other half weighs
 * PEAK_WHOLE_SAMPLE. */
int64_t peak_own_weight(double sample_rate);

/* a + sign * b.  Damaged traces have blocks larger than any memory: their sums wrap round. */
static inline int64_t peak_sum(int64_t a, int sign, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)(int64_t)sign * (uint64_t)b);
}

/* What a block's samples weigh in the curve that chooses the time of a half. */
static inline int64_t peak_weight(int64_t own, int64_t other, int64_t own_weight)
{
    return (int64_t)((uint64_t)other * PEAK_WHOLE_SAMPLE + (uint64_t)own * (uint64_t)own_weight);
}

/* What a domain does in a microsecond, from its beginning: samples, and the extremes on the way. */
struct peak_domain {
    uint32_t number;
    int64_t change, most, least;
};

/* Follows what is alive, event by event in order of time. */
struct peak_tracker {
    int64_t own_weight, now_us;
    int64_t live[PEAK_HALVES]; /* samples */
    int64_t choosing[PEAK_HALVES], highest[PEAK_HALVES];
    int64_t then[PEAK_HALVES];       /* live[] at half_us[] */
    bool touched[PEAK_HALVES];       /* the curve has changed since it was looked at */
    bool lasts[PEAK_HALVES];         /* it has not, since it was at its highest */
    int64_t at_highest[PEAK_HALVES]; /* live[] at peak.highest_us */
    bool is_higher,
        chose[PEAK_HALVES]; /* of samples, the last look: highest_us has moved, half_us[] has */
    bool is_exact;          /* every word is sampled */
    bool is_open;           /* the order within a microsecond is not known at all */
    uint64_t births;        /* so far */
    int64_t began;          /* alive when this microsecond began; of exact recordings */
    struct peak_domain domains[PEAK_MIXED]; /* those with events in it; the last may be of many */
    unsigned domain_count;
    struct peak peak;
};

void peak_tracker_init(struct peak_tracker *tracker, double sample_rate);

/* The same of some events whose order within a microsecond is not known. */
void peak_tracker_init_open(struct peak_tracker *tracker, double sample_rate);

/* Samples, where they are now, may be the peak. */
void peak_tracker_look(struct peak_tracker *tracker);

/* The microsecond is over. */
void peak_tracker_note(struct peak_tracker *tracker);

/* Time goes on; times earlier than the last one mean that one. */
static inline void peak_tracker_move(struct peak_tracker *tracker, int64_t time_us)
{
    if (time_us > tracker->now_us) {
        peak_tracker_note(tracker);
        tracker->now_us = time_us;
    }
}

/* One event of an exact recording. */
void peak_tracker_add_exact(struct peak_tracker *tracker, uint32_t domain, int64_t samples,
                            int sign);

/* So many samples of each half are born (1) or die (-1), by an event of a domain: the block's own when it is born, that
 * which frees it when it dies. */
static inline void peak_tracker_add(struct peak_tracker *tracker, uint32_t domain, int64_t first,
                                    int64_t second, int sign)
{
    if (tracker->is_exact) {
        peak_tracker_add_exact(tracker, domain, first + second, sign);
        return;
    }
    tracker->births += sign > 0;
    int64_t weights[PEAK_HALVES] = {peak_weight(first, second, tracker->own_weight),
                                    peak_weight(second, first, tracker->own_weight)};
    tracker->live[0] = peak_sum(tracker->live[0], sign, first);
    tracker->live[1] = peak_sum(tracker->live[1], sign, second);
    for (int half = 0; half < PEAK_HALVES; half++) {
        tracker->choosing[half] = peak_sum(tracker->choosing[half], sign, weights[half]);
        tracker->touched[half] |= weights[half] != 0;
    }
    if (!tracker->is_open)
        peak_tracker_look(tracker);
}

/* All events have been added: what `tracker->peak` holds is the peak. */
void peak_tracker_finish(struct peak_tracker *tracker);

/* Judges both halves by an end: what was born until then, and hasn't ended. */
void peak_move_to_end(struct peak *peak, int64_t end_us);

/* Its 95 % bounds, in bytes.  Of an exact recording both are the peak, unless the order of events leaves it open. */
struct estimate_range peak_range(const struct peak *peak, const struct estimate *estimate);

/* Is it the true one, without a doubt? */
bool peak_is_exact(const struct peak *peak, const struct estimate *estimate);

#endif
