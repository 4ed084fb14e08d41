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

/* How many of a block's bytes are sampled. */
static unsigned draw(double mean)
{
    if (mean > 60) {
        double normal = sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
        return (unsigned)fmax(0, floor(mean + sqrt(mean) * normal + 0.5));
    }
    unsigned count = 0;
    for (double left = exp(-mean), product = uniform(); product > left; product *= uniform())
        count++;
    return count;
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
    struct estimate estimate = estimate_of(&info);
    struct covered covered = {0};
    for (int i = 0; i < RECORDINGS; i++) {
        double samples = 0, density = 0, squares = 0, seen = 0, seen_bytes = 0;
        for (int block = 0; block < BLOCKS; block++) {
            double found = draw(rate * sizes[block]);
            samples += found;
            density += found / sizes[block];
            squares += found / sizes[block] / sizes[block];
            seen += found > 0;
            seen_bytes += found > 0 ? sizes[block] : 0;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_cover),
        cmocka_unit_test(seen_is_the_least),
        cmocka_unit_test(exact_has_no_error),
        cmocka_unit_test(poisson_bounds),
        cmocka_unit_test(peaks_are_not_too_high),
        cmocka_unit_test(exact_peak),
        cmocka_unit_test(one_sample),
        cmocka_unit_test(peak_within_a_microsecond),
        cmocka_unit_test(halves_are_fair),
        cmocka_unit_test(own_samples_choose_the_moment),
        cmocka_unit_test(few_samples_are_called_so),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
