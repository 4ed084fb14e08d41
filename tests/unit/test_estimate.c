/* Estimates and their bounds hold what profile/estimate.h and profile/peak.h promise: simulated recordings, with fixed
 * seeds. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile/estimate.h"
#include "profile/peak.h"

/* ---- Draws */

static uint64_t state = 1;

static double uniform(void)
{
    uint64_t value = state += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((value ^ value >> 31) >> 11) + 0.5) * 0x1p-53;
}

/* How many of so many bytes are sampled at a rate, of which `mean` should be. */
static unsigned draw_at(double mean, double rate)
{
    if (mean > 60) {
        double normal = sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
        return (unsigned)fmax(0, floor(mean + sqrt(mean * (1 - rate)) * normal + 0.5));
    }
    unsigned count = 0;
    for (double left = exp(-mean), product = uniform(); product > left; product *= uniform())
        count++;
    return count;
}

static unsigned draw(double mean)
{
    return draw_at(mean, 0);
}

/* ---- Bounds of sums */

enum { RECORDINGS = 2000, BLOCKS = 400 };

static double size_of(int kind)
{
    switch (kind) {
    case 0:
        return 1000;
    case 1: /* mostly small, one in eight large */
        return uniform() < 0.125 ? 16384 : 64;
    default: /* log-normal around 100 bytes, no smaller than malloc's least */
        return fmax(16, exp(4.6 + 1.5 * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform())));
    }
}

struct covered {
    double bytes, objects;
};

static struct covered covered(const double *sizes, double bytes, double rate)
{
    struct heaptap_trace_info info = {.sample_rate = rate, .word_bits = 8};
    struct covered covered = {0};
    for (int i = 0; i < RECORDINGS; i++) {
        struct estimate estimate = estimate_of(&info);
        double samples = 0, density = 0, squares = 0, seen = 0, seen_bytes = 0;
        for (int block = 0; block < BLOCKS; block++) {
            double found = draw(rate * sizes[block]);
            samples += found;
            density += found / sizes[block];
            squares += found / sizes[block] / sizes[block];
            seen += found > 0;
            seen_bytes += found > 0 ? sizes[block] : 0;
            if (found > 0)
                estimate_see(&estimate, (uint64_t)sizes[block]);
        }
        struct estimate_sum sums[] = {estimate_bytes_sum(&estimate, samples),
                                      estimate_objects_sum(&estimate, samples, density, squares)};
        sums[0].least = seen_bytes;
        sums[1].least = seen;
        struct estimate_range of_bytes = estimate_range(&sums[0], rate);
        struct estimate_range of_objects = estimate_range(&sums[1], rate);
        assert_true(of_bytes.low >= seen_bytes && of_objects.low >= seen);
        covered.bytes += of_bytes.low <= bytes && bytes <= of_bytes.high;
        covered.objects += of_objects.low <= BLOCKS && BLOCKS <= of_objects.high;
    }
    return (struct covered){covered.bytes / RECORDINGS, covered.objects / RECORDINGS};
}

static void bounds_cover(void **unused)
{
    static const double expected_samples[] = {2, 5, 12, 30, 100, 1000};
    for (int kind = 0; kind < 3; kind++) {
        double sizes[BLOCKS], bytes = 0;
        for (int i = 0; i < BLOCKS; i++)
            bytes += sizes[i] = size_of(kind);
        for (int i = 0; i < 6; i++) {
            struct covered part = covered(sizes, bytes, expected_samples[i] / bytes);
            assert_true(part.bytes >= 0.93 &&
                        part.bytes <= (expected_samples[i] < 5 ? 0.99 : 0.97));
            assert_true(part.objects >= 0.93);
            print_message("# sizes %d, %g samples: bytes %.3f, objects %.3f\n", kind,
                          expected_samples[i], part.bytes, part.objects);
        }
    }
}

/* ---- Small blocks */

/* Whose sizes are equally many: `count` of them, from `first` on, each times `factor` and `step` longer than the one before. */
struct sizes {
    double first, factor, step;
    int count;
    double large; /* as many of these as of all others; 0 for none */
};

/* How many of `blocks` are of each size, and how long that is. */
static int spread_sizes(const struct sizes *sizes, double blocks, double *lengths, double *numbers)
{
    double length = sizes->first;
    int count = sizes->count;
    for (int i = 0; i < count; i++, length = length * sizes->factor + sizes->step) {
        lengths[i] = length;
        numbers[i] = blocks / count / (sizes->large ? 2 : 1);
    }
    if (sizes->large) {
        lengths[count] = sizes->large;
        numbers[count++] = blocks / 2;
    }
    return count;
}

/* How often the bounds of objects hold: of all, and of the `live` ones among them. */
static struct covered small_covered(const struct sizes *sizes, double blocks, double live,
                                    double rate)
{
    enum { SMALL_RECORDINGS = 600, MOST_SIZES = 20 };
    double lengths[MOST_SIZES], numbers[MOST_SIZES], covered[2] = {0};
    int count = spread_sizes(sizes, blocks, lengths, numbers);
    struct heaptap_trace_info info = {.sample_rate = rate, .word_bits = 8};
    for (int i = 0; i < SMALL_RECORDINGS; i++) {
        struct estimate estimate = estimate_of(&info);
        double samples[2] = {0}, density[2] = {0}, squares[2] = {0}, wanted[2] = {blocks, live};
        for (int k = 0; k < count; k++) {
            double mean = rate * numbers[k] * lengths[k],
                   alive = draw_at(mean * live / blocks, rate);
            double found[] = {alive + draw_at(mean * (1 - live / blocks), rate), alive};
            for (int part = 0; part < 2; part++) {
                samples[part] += found[part];
                density[part] += found[part] / lengths[k];
                squares[part] += found[part] / lengths[k] / lengths[k];
            }
            if (found[0] > 0)
                estimate_see(&estimate, (uint64_t)lengths[k]);
        }
        for (int part = 0; part < 2; part++) {
            struct estimate_sum sum =
                estimate_objects_sum(&estimate, samples[part], density[part], squares[part]);
            struct estimate_range range = estimate_range(&sum, rate);
            covered[part] += range.low <= wanted[part] && wanted[part] <= range.high;
        }
    }
    return (struct covered){covered[1] / SMALL_RECORDINGS, covered[0] / SMALL_RECORDINGS};
}

static void bounds_cover_small_blocks(void **unused)
{
    static const struct sizes programs[] = {
        {1, 2, 0, 16, 0},     /* 1 B to 32 kB, each twice as long as the one before */
        {1, 1, 0, 1, 0},      /* 1 B each */
        {1, 1, 1, 15, 20000}, /* 1 to 15 B, and 20 kB */
        {12, 1, 0, 1, 1024},  /* 12 B and 1 kB */
        {16, 2, 0, 12, 0},    /* 16 B to 32 kB */
    };
    static const double rates[] = {0, 1e-3, 1e-4, 1e-5, 5e-6};
    const double blocks = 200000, budget = 21000;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        double lengths[20], numbers[20], bytes = 0;
        int count = spread_sizes(&programs[i], blocks, lengths, numbers);
        for (int k = 0; k < count; k++)
            bytes += lengths[k] * numbers[k];
        for (int k = 0; k < 5; k++) {
            double rate = rates[k] > 0 ? rates[k] : budget / bytes;
            struct covered part = small_covered(&programs[i], blocks, 4096, rate);
            print_message("# program %zu, rate %.2g: all %.3f, live %.3f\n", i, rate, part.objects,
                          part.bytes);
            assert_true(part.objects >= 0.93 && part.bytes >= 0.93);
        }
    }
}

/* 16 bytes, a quarter of the shortest block that was sampled, or nothing known. */
static void unseen_blocks_are_a_quarter(void **unused)
{
    static const struct {
        int count;
        uint64_t lengths[3];
        double bytes;
    } cases[] = {{0, {0}, 1},
                 {1, {0}, 1},
                 {1, {1}, 1},
                 {1, {2}, 1},
                 {1, {3}, 1},
                 {1, {6}, 1.5},
                 {3, {24, 12, 4096}, 3},
                 {3, {4096, 0, 48}, 1},
                 {2, {1000, 63}, 15.75},
                 {1, {64}, 16},
                 {1, {1 << 20}, 16}};
    struct heaptap_trace_info bytes = {.sample_rate = 0.5, .word_bits = 8};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct estimate estimate = estimate_of(&bytes);
        for (int k = 0; k < cases[i].count; k++)
            estimate_see(&estimate, cases[i].lengths[k]);
        assert_true(estimate_heaviest_object(&estimate) == 1 / (cases[i].bytes * 0.5));
    }
    struct heaptap_trace_info words = {.sample_rate = 0.5,
                                       .word_bits = 64}; /* OCaml's have a header */
    struct estimate estimate = estimate_of(&words);
    assert_true(estimate_heaviest_object(&estimate) == 1);
    estimate_see(&estimate, 1);
    assert_true(estimate_heaviest_object(&estimate) == 1);
}

/* ---- Few samples */

/* Of three samples the bounds are ten times apart, of four seven times. */
static void few_samples_are_called_so(void **unused)
{
    struct heaptap_trace_info info = {.sample_rate = 1e-5, .word_bits = 8};
    struct estimate estimate = estimate_of(&info);
    struct estimate_sum three = estimate_bytes_sum(&estimate, 3),
                        four = estimate_bytes_sum(&estimate, 4);
    struct estimate_range range = estimate_range(&three, info.sample_rate);
    assert_true(range.is_few && range.high / range.low > 10);
    range = estimate_range(&four, info.sample_rate);
    assert_true(!range.is_few && range.high / range.low < 8);
    assert_true(estimate_peak_range(&estimate, 3, 9).is_few);
    assert_true(estimate_peak_range(&estimate, 3, 9).low == 0);
    assert_true(estimate_peak_range(&estimate, 4, 9).low > 1e5);
    assert_false(estimate_range(&three, 1).is_few);
}

/* Neither bound is below what was seen, and where the samples' own is above, that holds; so do those of a difference. */
static void seen_is_the_least(void **unused)
{
    struct estimate_sum sum = {27, 270000, 27e8, 1e4, 0}, other = {1, 1e4, 1e8, 1e4, 5000};
    struct estimate_range free = estimate_range(&sum, 1e-4), range;
    assert_true(free.low < 200000 && free.high > 380000 && free.high < 400000);
    for (sum.least = 10000; sum.least <= 500000; sum.least += 10000) {
        range = estimate_range(&sum, 1e-4);
        assert_true(range.low == fmax(free.low, sum.least) && !range.is_few);
        assert_true(range.high == fmax(free.high, sum.least));
    }
    sum.least = 300000;
    range = estimate_range(&sum, 1e-4);
    struct estimate_range one = estimate_range(&other, 1e-4), none = {0, 0, false};
    assert_true(one.low == 5000 && one.is_few && one.high > 49000);
    struct estimate_range more = estimate_difference_range(270000, &range, 0, 0, &none);
    assert_true(more.low == 300000 && more.high == range.high);
    more = estimate_difference_range(270000, &range, 1, 1e4, &one);
    assert_true(fabs(more.low - (300000 - one.high)) < 1e-6 && more.high > 270000);
    more = estimate_difference_range(1e4, &one, 1, 270000, &range);
    assert_true(fabs(more.high - (one.high - 300000)) < 1e-6 && more.low < -260000);
}

static void exact_has_no_error(void **unused)
{
    struct estimate_sum sum = {10, 1234, 1234, 1, 1000};
    struct estimate_range range = estimate_range(&sum, 1);
    assert_true(range.low == 1234 && range.high == 1234);
}

/* The exact mid-p bounds of Poisson numbers. */
static void poisson_bounds(void **unused)
{
    static const double known[][3] = {{0, 0, 2.995732},
                                      {1, 0.050020, 4.931861},
                                      {10, 5.079522, 17.824854},
                                      {100, 81.791821, 121.103491}};
    for (int i = 0; i < 4; i++) {
        struct estimate_sum sum = {known[i][0], known[i][0], known[i][0], 1, 0};
        struct estimate_range range = estimate_range(&sum, 0);
        assert_true(fabs(range.low - known[i][1]) < 1e-5 && fabs(range.high - known[i][2]) < 1e-5);
    }
}

/* ---- The peak */

struct event {
    int64_t time_us;
    uint32_t block;
    bool ends;
};

struct curve {
    const char *name;
    double *sizes;
    struct event *events;
    size_t block_count, event_count;
    double peak;
};

enum { MOST_BLOCKS = 16000 };

static void add_block(struct curve *curve, double size, int64_t born_us, int64_t died_us)
{
    uint32_t block = (uint32_t)curve->block_count++;
    assert_true(block < MOST_BLOCKS);
    curve->sizes[block] = size;
    curve->events[curve->event_count++] = (struct event){born_us, block, false};
    curve->events[curve->event_count++] = (struct event){died_us, block, true};
}

static int compare_events(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->time_us != b->time_us)
        return a->time_us < b->time_us ? -1 : 1;
    return (int)a->ends - (int)b->ends;
}

static void finish_curve(struct curve *curve)
{
    double live = 0;
    qsort(curve->events, curve->event_count, sizeof *curve->events, compare_events);
    for (size_t i = 0; i < curve->event_count; i++) {
        live += (curve->events[i].ends ? -1 : 1) * curve->sizes[curve->events[i].block];
        curve->peak = fmax(curve->peak, live);
    }
}

static const double PEAK_BYTES = 5.5e6;

static double block_size(void)
{
    return 500 + 8000 * uniform() * uniform();
}

/* Built up piece by piece and let go at once, six times. */
static void sawtooth(struct curve *curve)
{
    for (int tooth = 0; tooth < 6; tooth++)
        for (double live = 0, size; live < PEAK_BYTES; live += size) {
            size = block_size();
            add_block(curve, size, tooth * 1000000 + (int64_t)(900000 * live / PEAK_BYTES),
                      tooth * 1000000 + 950000);
        }
}

/* Blocks come and go, at one level. */
static void plateau(struct curve *curve)
{
    for (int step = 0; step < 400; step++)
        for (double live = 0, size; live < PEAK_BYTES / 50; live += size) {
            size = 4000;
            add_block(curve, size, step * 1000, (step + 50) * 1000);
        }
}

/* A floor, and a short spike on it. */
static void spike(struct curve *curve)
{
    for (double live = 0, size; live < PEAK_BYTES; live += size) {
        size = block_size();
        bool is_floor = live < PEAK_BYTES * 0.3;
        add_block(curve, size, is_floor ? (int64_t)(1000000 * uniform()) : 500000,
                  is_floor ? 2000000 : 510000);
    }
}

struct outcome {
    double mean, highest, low, high, covered;
};

static struct outcome record(const struct curve *curve, double rate, int recordings)
{
    struct heaptap_trace_info info = {.sample_rate = rate, .word_bits = 8};
    struct estimate estimate = estimate_of(&info);
    struct outcome outcome = {0};
    unsigned *samples = calloc(MOST_BLOCKS, sizeof *samples);
    for (int i = 0; i < recordings; i++) {
        struct peak_tracker tracker;
        estimate.seed = (uint64_t)i << 32;
        peak_tracker_init(&tracker, rate);
        for (size_t block = 0; block < curve->block_count; block++)
            samples[block] = draw(rate * curve->sizes[block]);
        for (size_t at = 0; at < curve->event_count; at++) {
            const struct event *event = &curve->events[at];
            uint64_t all = samples[event->block];
            if (all == 0)
                continue;
            uint64_t first = peak_first_half(&estimate, event->block, all);
            peak_tracker_move(&tracker, event->time_us);
            peak_tracker_add(&tracker, 0, (int64_t)first, (int64_t)(all - first),
                             event->ends ? -1 : 1);
        }
        peak_tracker_finish(&tracker);
        const struct peak *peak = &tracker.peak;
        struct estimate_range range =
            estimate_peak_range(&estimate, (double)peak->samples, (double)peak->highest);
        outcome.mean += (double)peak->samples / rate / recordings;
        outcome.highest += (double)peak->highest / rate / recordings;
        outcome.low += range.low / recordings;
        outcome.high += range.high / recordings;
        outcome.covered +=
            (double)(range.low <= curve->peak && curve->peak <= range.high) / recordings;
    }
    free(samples);
    return outcome;
}

static void peaks_are_not_too_high(void **unused)
{
    static const double rates[] = {1e-2, 1e-3, 1e-4, 1e-5, 1.25e-6};
    static void (*const shapes[])(struct curve * curve) = {sawtooth, plateau, spike};
    static const char *const names[] = {"sawtooth", "plateau", "spike"};
    for (int shape = 0; shape < 3; shape++) {
        struct curve curve = {.sizes = calloc(MOST_BLOCKS, sizeof *curve.sizes),
                              .events = calloc(2 * MOST_BLOCKS, sizeof *curve.events)};
        shapes[shape](&curve);
        finish_curve(&curve);
        for (int i = 0; i < 5; i++) {
            struct outcome outcome = record(&curve, rates[i], 200);
            print_message(
                "# %s at %g: highest point %.3f, peak %.3f (%.3f to %.3f), covered %.3f\n",
                names[shape], rates[i], outcome.highest / curve.peak, outcome.mean / curve.peak,
                outcome.low / curve.peak, outcome.high / curve.peak, outcome.covered);
            assert_true(fabs(outcome.mean / curve.peak - 1) < 0.03 ||
                        (outcome.low <= curve.peak && curve.peak <= outcome.high));
            assert_true(outcome.mean < 1.03 * curve.peak + 1 / rates[i]); /* by a sample at most */
            assert_true(outcome.covered >= 0.905); /* 95 % of 200, less three deviations */
        }
        free(curve.sizes);
        free(curve.events);
    }
}

/* The highest point itself, where every byte is sampled, and both times are its. */
static void exact_peak(void **unused)
{
    struct peak_tracker tracker;
    struct estimate estimate = {.sample_rate = 1};
    peak_tracker_init(&tracker, 1);
    static const struct {
        int64_t time_us, samples;
    } changes[] = {{10, 100}, {20, 50}, {20, -100}, {30, 200}, {40, -200}, {50, 200}, {60, -50}};
    for (size_t i = 0; i < 7; i++) {
        int64_t count = llabs(changes[i].samples);
        int64_t first = (int64_t)peak_first_half(&estimate, i, (uint64_t)count);
        peak_tracker_move(&tracker, changes[i].time_us);
        peak_tracker_add(&tracker, 0, first, count - first, changes[i].samples > 0 ? 1 : -1);
    }
    peak_tracker_finish(&tracker);
    assert_int_equal(tracker.peak.samples, 250);
    assert_int_equal(tracker.peak.highest, 250);
    assert_int_equal(tracker.peak.time_us, 30);
    assert_int_equal(tracker.peak.half_us[0], 30);
    assert_int_equal(tracker.peak.half_us[1], 30);
}

static void one_sample(void **unused)
{
    struct peak_tracker tracker;
    peak_tracker_init(&tracker, 1e-6);
    peak_tracker_move(&tracker, 10);
    peak_tracker_add(&tracker, 0, 1, 0, 1);
    peak_tracker_move(&tracker, 20);
    peak_tracker_add(&tracker, 0, 1, 0, -1);
    peak_tracker_finish(&tracker);
    assert_int_equal(tracker.peak.samples, 1);
    assert_int_equal(tracker.peak.time_us, 10);
}

/* Binomial: mean and variance, of few and of many samples. */
static void halves_are_fair(void **unused)
{
    static const uint64_t counts[] = {1, 3, 64, 65, 1000, 100000};
    static const struct estimate estimate = {.sample_rate = 1e-3};
    for (int i = 0; i < 6; i++) {
        double sum = 0, squares = 0, half = (double)counts[i] / 2;
        enum { IDS = 4000 };
        for (uint64_t id = 0; id < IDS; id++) {
            double off = (double)peak_first_half(&estimate, id, counts[i]) - half;
            sum += off;
            squares += off * off;
        }
        assert_true(fabs(sum / IDS) < 4 * sqrt(half / 2 / IDS) + 0.5 * (counts[i] > 4096));
        assert_true(fabs(squares / IDS / (half / 2) - 1) < 0.1);
    }
}

/* Samples of each half that are born, or, negative, die. */
struct change {
    int64_t time_us, first, second;
};

static struct peak_tracker follow(const struct change *changes, size_t count)
{
    struct peak_tracker tracker;
    peak_tracker_init(&tracker, 1e-3);
    for (size_t i = 0; i < count; i++) {
        bool ends = changes[i].first < 0 || changes[i].second < 0;
        peak_tracker_move(&tracker, changes[i].time_us);
        peak_tracker_add(&tracker, 0, llabs(changes[i].first), llabs(changes[i].second),
                         ends ? -1 : 1);
    }
    peak_tracker_finish(&tracker);
    return tracker;
}

/* A peak that lasts less than a microsecond: the order of events tells it. */
static void peak_within_a_microsecond(void **unused)
{
    static const struct change events[] = {{1, 3, 3},  {5, 2, 0},  {5, 0, 2},
                                           {5, 0, -2}, {5, -2, 0}, {9, -3, -3}};
    struct peak_tracker tracker = follow(events, sizeof events / sizeof *events);
    assert_int_equal(tracker.peak.highest, 10);
    assert_int_equal(tracker.peak.samples, 10);
    struct peak_life large = {5, 5, 1, 3}, base = {1, 9, 0, 3}, later = {5, 5, 3, 3};
    for (int half = 0; half < PEAK_HALVES; half++)
        assert_true(peak_holds(&tracker.peak, half, &base) &&
                    !peak_holds(&tracker.peak, half, &later));
    assert_true(peak_holds(&tracker.peak, 0, &large));
}

/* The halves choose times at which they have 2 samples in all; 4 are left, so the peak is where they are: at the end. */
static void peak_is_not_below_what_is_left(void **unused)
{
    static const struct change events[] = {{1, 0, 4}, {2, 0, -2}, {3, 3, 0}, {5, -1, 0}};
    struct peak_tracker tracker = follow(events, sizeof events / sizeof *events);
    assert_true(tracker.peak.is_at_end);
    assert_int_equal(tracker.peak.samples, 4);
    assert_int_equal(tracker.peak.time_us, 5);
    assert_int_equal(tracker.peak.highest, 5);
    assert_int_equal(tracker.peak.highest_us, 3);
    struct peak_life stays = {3, INT64_MAX, 2, UINT64_MAX}, freed = {3, 5, 2, 2};
    for (int half = 0; half < PEAK_HALVES; half++)
        assert_true(peak_holds(&tracker.peak, half, &stays) &&
                    !peak_holds(&tracker.peak, half, &freed));
}

/* A time for each half at which the other has its most: as long as that lasts, the own samples choose. */
static void own_samples_choose_the_moment(void **unused)
{
    static const struct change events[] = {{1, 3, 0},  {2, 0, 1}, {3, 0, 2},  {4, 0, -2},
                                           {5, -3, 0}, {6, 2, 0}, {7, -2, -1}};
    struct peak_tracker tracker = follow(events, sizeof events / sizeof *events);
    assert_int_equal(tracker.peak.half_us[1], 3); /* not 2, nor 4, where one is left */
    assert_int_equal(tracker.peak.half_us[0], 3);
    assert_int_equal(tracker.peak.samples, 6);
}

int main(void)
{
    return RUN_TESTS(bounds_cover, bounds_cover_small_blocks, unseen_blocks_are_a_quarter,
                     seen_is_the_least, exact_has_no_error, poisson_bounds, peaks_are_not_too_high,
                     exact_peak, one_sample, peak_within_a_microsecond, halves_are_fair,
                     peak_is_not_below_what_is_left, own_samples_choose_the_moment,
                     few_samples_are_called_so);
}
