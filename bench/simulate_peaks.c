/* How true the peaks of sampled recordings are, by simulation: shapes of programs whose peak is known, of each of which many
 * recordings are drawn and given to the estimator that all commands use (profile/peak.h).
 *
 *   simulate_peaks RECORDINGS [SHAPE]
 *
 * Prints a row for each shape and rate (samples per word of 8 bytes, as --rate takes it): how many samples are alive at the
 * peak in the mean; the mean of the estimate as a part of the truth, and its standard error; half the distance of the bounds
 * that are printed with it, likewise; in how many of 100 recordings the truth is within the bounds, and below the lower one.
 *
 * Seeds are fixed.  Exit status 1 where a row breaks the promise by more than chance explains: the estimate is within 3 % of
 * the truth, or within half of what its bounds say; these hold the truth in 92.5 of 100 recordings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "profile/peak.h"

enum { LARGEST_GROUP = 8, ALIVE = 6000, NEVER = -1 };

static const double rates[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

static struct random chance;

/* ---- Programs ------------------------------------------------------------------------ */

/* A block, and its place among all births and ends. */
struct block {
    uint64_t bytes;
    int64_t birth, end;
};

struct program {
    struct block *blocks;
    uint64_t *sums; /* bytes of the blocks before each, and of all */
    size_t count, capacity;
    int64_t events;
    uint64_t live, peak;
};

static size_t take(struct program *program, double bytes)
{
    if (program->count == program->capacity) {
        program->capacity = program->capacity ? 2 * program->capacity : 1024;
        program->blocks = realloc(program->blocks, program->capacity * sizeof *program->blocks);
        if (!program->blocks)
            abort();
    }
    struct block block = {(uint64_t)bytes, program->events++, NEVER};
    program->live += block.bytes;
    program->peak = program->live > program->peak ? program->live : program->peak;
    program->blocks[program->count] = block;
    return program->count++;
}

static void drop(struct program *program, size_t block)
{
    program->blocks[block].end = program->events++;
    program->live -= program->blocks[block].bytes;
}

static void drop_from(struct program *program, size_t first)
{
    for (size_t i = first; i < program->count; i++)
        if (program->blocks[i].end == NEVER)
            drop(program, i);
}

static double between(double low, double high)
{
    return low + (high - low) * random_unit(&chance);
}

static double small_or_not(void)
{
    double unit = random_unit(&chance);
    return 500 + 8000 * unit * random_unit(&chance);
}

/* Built up, held, and let go. */
static void plateau(struct program *program)
{
    for (int i = 0; i < 1300; i++)
        take(program, 4000);
    for (size_t i = 0; i < 8000; i++) {
        drop(program, i);
        take(program, 4000);
    }
}

/* Built up and let go at once: the peak is a moment. */
static void moment(struct program *program)
{
    for (int i = 0; i < 40000; i++)
        take(program, 130);
    drop_from(program, 0);
}

static void three_teeth(struct program *program)
{
    for (int tooth = 0; tooth < 3; tooth++)
        moment(program);
}

static void six_teeth(struct program *program)
{
    for (int tooth = 0; tooth < 6; tooth++) {
        while (program->live < 5500000)
            take(program, small_or_not());
        drop_from(program, 0);
    }
}

/* One large block at a time, over small ones. */
static void one_large(struct program *program)
{
    for (int i = 0; i < 5000; i++)
        take(program, between(20, 420));
    for (int i = 0; i < 60; i++) {
        double unit = random_unit(&chance);
        size_t large = take(program, 2e5 + 4e6 * unit * random_unit(&chance));
        for (int k = 0; k < 50; k++) {
            size_t small = take(program, between(20, 420));
            if (k % 2)
                drop(program, small);
        }
        drop(program, large);
    }
}

/* Log-normal sizes, freed in any order, at a level that goes up and down. */
static void lognormal(struct program *program)
{
    static size_t alive[ALIVE + 1];
    size_t count = 0;
    for (int i = 0; i < 100000; i++) {
        double normal = sqrt(-2 * log(random_unit(&chance))) * cos(between(0, 2 * M_PI));
        alive[count++] = take(program, fmin(1e6, 16 + exp(5 + 1.8 * normal)));
        while ((double)count > 4000 + 2000 * sin(i / 9000.0)) {
            size_t at = random_bits(&chance) % count;
            drop(program, alive[at]);
            alive[at] = alive[--count];
        }
    }
}

/* 50 slots of 200 bytes, each renewed 6000 times. */
static void slots(struct program *program)
{
    for (size_t i = 0; i < 50 * 6000; i++) {
        if (i >= 50)
            drop(program, i - 50);
        take(program, 200);
    }
}

/* Many small blocks, most of which go; then fewer large ones over what is left. */
static void two_phases(struct program *program)
{
    for (int i = 0; i < 30000; i++)
        take(program, 16 + 16 * floor(between(0, 12)));
    for (size_t i = 0; i < program->count; i++)
        if (i % 5)
            drop(program, i);
    for (int i = 0; i < 400; i++)
        take(program, between(4096, 20480));
    drop_from(program, 30000);
}

static const struct {
    const char *name;
    void (*run)(struct program *program);
} shapes[] = {
    {"plateau", plateau},     {"moment", moment},         {"three teeth", three_teeth},
    {"six teeth", six_teeth}, {"one large", one_large},   {"lognormal", lognormal},
    {"slots", slots},         {"two phases", two_phases},
};

static void run(struct program *program, void (*shape)(struct program *program))
{
    *program = (struct program){0};
    random_init(&chance, 1);
    shape(program);
    program->sums = calloc(program->count + 1, sizeof *program->sums);
    if (!program->sums)
        abort();
    for (size_t i = 0; i < program->count; i++)
        program->sums[i + 1] = program->sums[i] + program->blocks[i].bytes;
}

/* ---- Recordings ---------------------------------------------------------------------- */

struct sampled_event {
    int64_t place;
    int64_t first, second; /* samples of each half */
    int sign;
};

struct recording {
    struct sampled_event *events;
    size_t count, capacity;
};

static void add_event(struct recording *recording, const struct sampled_event *event)
{
    if (recording->count == recording->capacity) {
        recording->capacity = recording->capacity ? 2 * recording->capacity : 1024;
        recording->events =
            realloc(recording->events, recording->capacity * sizeof *recording->events);
        if (!recording->events)
            abort();
    }
    recording->events[recording->count++] = *event;
}

static int compare_events(const void *left, const void *right)
{
    const struct sampled_event *a = left, *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

/* The block that holds byte number `at`, which is not before the block `from`: looked for in steps that double. */
static size_t find_block(const struct program *program, size_t from, uint64_t at)
{
    size_t step = 1, low = from, high;
    while (low + step < program->count && program->sums[low + step] <= at) {
        low += step;
        step *= 2;
    }
    high = low + step < program->count ? low + step : program->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(program->sums[middle] <= at ? &low : &high) = middle;
    }
    return low;
}

static void add_block(struct recording *recording, const struct estimate *estimate,
                      const struct block *block, uint64_t id, uint64_t samples)
{
    int64_t first = (int64_t)peak_first_half(estimate, id, samples);
    struct sampled_event event = {block->birth, first, (int64_t)samples - first, 1};
    add_event(recording, &event);
    event.place = block->end;
    event.sign = -1;
    if (block->end != NEVER)
        add_event(recording, &event);
}

/* Gaps between samples are geometric; blocks are numbered as they are met, as by the recorder. */
static void draw(struct recording *recording, const struct program *program,
                 const struct estimate *estimate)
{
    double scale = 1 / log1p(-estimate->sample_rate), all = (double)program->sums[program->count];
    double at = floor(log(random_unit(&chance)) * scale);
    uint64_t id = 0;
    size_t block = 0;
    recording->count = 0;
    while (at < all) {
        uint64_t samples = 0;
        block = find_block(program, block, (uint64_t)at);
        for (; at < (double)program->sums[block + 1]; samples++)
            at += 1 + floor(log(random_unit(&chance)) * scale);
        add_block(recording, estimate, &program->blocks[block], id++, samples);
    }
    qsort(recording->events, recording->count, sizeof *recording->events, compare_events);
}

static struct peak peak_of(const struct recording *recording, double sample_rate)
{
    struct peak_tracker tracker;
    peak_tracker_init(&tracker, sample_rate);
    for (size_t i = 0; i < recording->count; i++) {
        const struct sampled_event *event = &recording->events[i];
        peak_tracker_move(&tracker, 1 + event->place / LARGEST_GROUP);
        peak_tracker_add(&tracker, 0, event->first, event->second, event->sign);
    }
    peak_tracker_finish(&tracker);
    return tracker.peak;
}

/* ---- The table ----------------------------------------------------------------------- */

/* Of all recordings of a row: sums, as parts of the truth. */
struct row {
    double value, squares, stated;
    int recordings, covered, above; /* above: the lower bound is */
};

static void add_recording(struct row *row, const struct peak *peak, const struct estimate *estimate,
                          double truth)
{
    struct estimate_range range = peak_range(peak, estimate);
    double value = estimate_bytes(estimate, (double)peak->samples) / truth;
    row->recordings++;
    row->value += value;
    row->squares += value * value;
    row->stated += (range.high - range.low) / 2 / truth;
    row->covered += range.low <= truth && truth <= range.high;
    row->above += range.low > truth;
}

static struct row record(const struct program *program, double rate, int recordings)
{
    struct heaptap_trace_info info = {.sample_rate = rate / 8, .word_bits = 8};
    struct recording recording = {0};
    struct row row = {0};
    random_init(&chance, 2);
    for (int i = 0; i < recordings; i++) {
        info.start_us = i;
        struct estimate estimate = estimate_of(&info);
        draw(&recording, program, &estimate);
        struct peak peak = peak_of(&recording, info.sample_rate);
        add_recording(&row, &peak, &estimate, (double)program->peak);
    }
    free(recording.events);
    return row;
}

/* Prints it; is the promise kept? */
static int print(const char *shape, const struct program *program, double rate,
                 const struct row *row)
{
    double count = row->recordings, mean = row->value / count, stated = row->stated / count;
    double error = sqrt(fmax(0, row->squares / count - mean * mean) / count);
    double covered = row->covered / count;
    double off = fabs(mean - 1) - 3 * error, chance_of_covered = sqrt(0.925 * 0.075 / count);
    int is_kept = (off <= 0.03 || off <= stated / 2) && covered >= 0.925 - 2 * chance_of_covered;
    printf("| %-11s | %.0e | %8.1f | %6.3f ± %5.3f | %7.3f | %7.1f | %9.1f |%s\n", shape, rate,
           (double)program->peak * rate / 8, mean, error, stated, 100 * covered,
           100 * row->above / count, is_kept ? "" : " not as promised");
    fflush(stdout);
    return is_kept;
}

int main(int argc, char **argv)
{
    int recordings = argc > 1 ? atoi(argv[1]) : 0, is_kept = 1;
    if (recordings < 1) {
        fputs("usage: simulate_peaks RECORDINGS [SHAPE]\n", stderr);
        return 2;
    }
    puts("| shape       | rate  |  samples |  peak / truth   | bounds ± | covered | low above |\n"
         "| ---         | ---   |      --- |             --- |     --- |     --- |       --- |");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct program program;
        if (argc > 2 && !strstr(shapes[i].name, argv[2]))
            continue;
        run(&program, shapes[i].run);
        for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
            struct row row = record(&program, rates[k], recordings);
            is_kept &= print(shapes[i].name, &program, rates[k], &row);
        }
        free(program.blocks);
        free(program.sums);
    }
    return !is_kept;
}
