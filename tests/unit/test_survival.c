
#include "run_tests.h"
#include <math.h>

#include "report/sites/survival.h"

enum { CELLS_MAX = 512 };

/* A site that is being put together. */
struct made {
    struct lives_cell cells[CELLS_MAX];
    size_t count;
};

static const struct survival_span whole = {
    .steps = LIVES_STEPS, .teardown = LIVES_PLACES, .step_us = 1e6};

static void add(struct made *made, unsigned born, unsigned ended, uint64_t blocks)
{
    made->cells[made->count++] = (struct lives_cell){.born = (uint8_t)born,
                                                     .ended = (uint8_t)ended,
                                                     .blocks = blocks,
                                                     .samples = 100 * (double)blocks};
}

/* Blocks that die in the step they are born in. */
static void add_short(struct made *made, uint64_t blocks)
{
    for (unsigned step = 0; step < LIVES_STEPS; step++)
        add(made, step, step, blocks);
}

static struct survival judged(const struct made *made, const struct survival_span *span)
{
    struct survival survival;
    survival_of(&survival, made->cells, made->count, span);
    return survival;
}

static void assert_near(double got, double wanted, double error)
{
    assert_true(fabs(got - wanted) <= error);
}

/* The remission times of Freireich et al. (1963), weeks as steps, as textbooks have their curve and its log-log bounds. */
static void kaplan_meier(void **state)
{
    static const unsigned freed[] = {6, 6, 6, 7, 10, 13, 16, 22, 23};
    static const unsigned censored[] = {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35};
    static const double expected[][2] = {{5, 1},      {6, 0.857},  {7, 0.807},  {10, 0.753},
                                         {13, 0.690}, {16, 0.627}, {22, 0.538}, {23, 0.448}};
    struct made made = {.count = 0};
    for (size_t i = 0; i < sizeof freed / sizeof freed[0]; i++)
        add(&made, 0, freed[i], 1);
    for (size_t i = 0; i < sizeof censored / sizeof censored[0]; i++)
        add(&made, LIVES_STEPS - censored[i], LIVES_LEFT, 1);
    struct survival survival = judged(&made, &whole);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_near(survival.survives[(int)expected[i][0]], expected[i][1], 0.0006);
    assert_int_equal(survival.late_steps, 8);
    assert_near(survival.kept, 0.807, 0.0006);
    assert_near(survival.kept_range.low, 0.563, 0.0006);
    assert_near(survival.kept_range.high, 0.923, 0.0006);
}

/* Nothing is freed of 20 blocks: the lower bound is that of which 20 of 20 are 5 in 100. */
static void nothing_is_freed(void **state)
{
    struct made made = {.count = 0};
    add(&made, 0, LIVES_LEFT, 20);
    struct survival survival = judged(&made, &whole);
    assert_near(survival.kept, 1, 0);
    assert_near(pow(survival.kept_range.low, 20), 0.05, 1e-9);
    assert_near(survival.kept_range.high, 1, 0);
}

/* One block of a hundred stays in each fifth step: 3, 8, ... 53 are trials, each of which lives on. */
static void leak(void **state)
{
    struct made made = {.count = 0};
    add_short(&made, 20);
    for (unsigned born = 3; born < LIVES_STEPS; born += 5)
        add(&made, born, LIVES_LEFT, 1);
    struct survival survival = judged(&made, &whole);
    assert_true(survival.is_by_age);
    assert_int_equal(survival.old_steps, 4);
    assert_int_equal(survival.trials, 11);
    assert_int_equal(survival.successes, 11);
    assert_near(survival.p * pow(3, 11), 1, 1e-9);
    assert_int_equal(survival.growth, GROWTH_GOES_ON);
    /* Old in the last half are 28, ... 58 in their births: 7 blocks of 100 bytes in 32 s. */
    assert_int_equal(survival.became_old, 7);
    assert_near(survival.growth_bytes, 700.0 / 32, 1e-9);
    assert_true(survival.growth_range.low > 0 && survival.growth_range.low < 700.0 / 32 &&
                survival.growth_range.high > 700.0 / 32);
    assert_true(survivals_correct(&survival, 1));
    assert_true(survival_is_accused(&survival));
    assert_near(survival.live[63], 1300, 0);
}

/* The same, with other histories than that it goes on: none is accused, however many blocks it has. */
static void growth_that_ended(void **state)
{
    struct made made = {.count = 0};
    for (unsigned born = 0; born < 40; born++)
        add(&made, born, LIVES_LEFT, 50);
    add_short(&made, 10);
    struct survival survival = judged(&made, &whole);
    assert_int_equal(survival.growth, GROWTH_STOPPED);
    assert_int_equal(survival.stopped, 39);
    assert_true(survival.p < 1e-10);
}

/* Blocks of a site that are left, of steps up to another, beside as many that die in the step they are born in. */
static void add_filled(struct made *made, unsigned from, unsigned until, unsigned every)
{
    for (unsigned born = from; born <= until; born += every) {
        add(made, born, LIVES_LEFT, 50);
        add(made, born, born, 50);
    }
}

static void check_filled(unsigned from, unsigned until, unsigned every, enum survival_growth growth)
{
    struct made made = {.count = 0};
    add_filled(&made, from, until, every);
    struct survival survival = judged(&made, &whole);
    assert_int_equal(survival.growth, growth);
    if (growth == GROWTH_STOPPED)
        assert_int_equal(survival.stopped, until);
}

/* A table that is full some time before the end, be it filled from the start or later: where many steps have births, a shorter rest of the
 * run without any tells that; of few it is chance. */
static void tables_that_are_full(void **state)
{
    check_filled(2, 54, 1, GROWTH_STOPPED);
    check_filled(2, 56, 1, GROWTH_STOPPED);
    check_filled(28, 53, 1, GROWTH_STOPPED);
    check_filled(40, 56, 1, GROWTH_STOPPED);
    check_filled(30, 36, 1, GROWTH_STOPPED);
    check_filled(2, 57, 1, GROWTH_GOES_ON);
    check_filled(28, 61, 1, GROWTH_GOES_ON);
    check_filled(3, 53, 5, GROWTH_GOES_ON);
}

/* Its blocks of a moment go on, and of some the moment isn't over as the run ends. */
static void full_beside_blocks_of_a_moment(void **state)
{
    struct made made = {.count = 0};
    add_filled(&made, 20, 40, 1);
    add_short(&made, 50);
    add(&made, 63, LIVES_LEFT, 5);
    struct survival survival = judged(&made, &whole);
    assert_int_equal(survival.growth, GROWTH_STOPPED);
    assert_int_equal(survival.stopped, 40);
}

/* Work that stands still now and then may do so as the run ends. */
static void growth_with_pauses(void **state)
{
    struct made made = {.count = 0};
    for (unsigned from = 10; from < LIVES_STEPS; from += 18)
        add_filled(&made, from, from + 9, 1);
    assert_int_equal(judged(&made, &whole).growth, GROWTH_GOES_ON);
}

/* A program that is kept waiting now and then fills a table until step 52, and goes on to make other blocks. */
static void table_of_a_slow_program(void **state)
{
    static const unsigned born[] = {20, 21, 22, 23, 24, 25, 26, 29, 33, 35, 40, 41, 52};
    struct survival_span span = whole;
    struct made made = {.count = 0};
    span.idle = ((uint64_t)1 << 53) - 1;
    for (size_t i = 0; i < sizeof born / sizeof *born; i++) {
        add(&made, born[i], LIVES_LEFT, 50);
        span.idle &= ~((uint64_t)1 << born[i]);
    }
    struct survival survival = judged(&made, &span);
    assert_int_equal(survival.growth, GROWTH_STOPPED);
    assert_int_equal(survival.stopped, 52);
    assert_int_not_equal(judged(&made, &whole).growth, GROWTH_STOPPED);
}

static void growth_that_slows(void **state)
{
    struct made made = {.count = 0};
    for (unsigned born = 0; born < LIVES_STEPS; born++)
        add(&made, born, LIVES_LEFT, 1 + (LIVES_STEPS - born) * (LIVES_STEPS - born) / 8);
    assert_int_equal(judged(&made, &whole).growth, GROWTH_SLOWED);
}

/* A cache of what the last 12 steps have brought, beside blocks of a moment. */
static void cache(void **state)
{
    struct made made = {.count = 0};
    add_short(&made, 5);
    for (unsigned born = 0; born < LIVES_STEPS; born++)
        add(&made, born, born + 12 < LIVES_STEPS ? born + 12 : LIVES_LEFT, 10);
    struct survival survival = judged(&made, &whole);
    assert_int_equal(survival.old_steps, 16);
    assert_int_equal(survival.growth, GROWTH_NONE);
    assert_near(survival.p, 1, 0);
}

/* Lives of 20 to 40 steps: no age tells what is kept, so signs are counted. */
static void slow_cache(void **state)
{
    struct made made = {.count = 0};
    for (unsigned born = 0; born < LIVES_STEPS; born++) {
        unsigned ended = born + 20 + born * 7 % 21;
        add(&made, born, ended < LIVES_STEPS ? ended : LIVES_LEFT, 10);
    }
    struct survival survival = judged(&made, &whole);
    assert_false(survival.is_by_age);
    assert_int_equal(survival.growth, GROWTH_TURNED_OVER);
}

/* Blocks that are born together are one trial, be they thousands. */
static void few_loads(void **state)
{
    struct made made = {.count = 0};
    add_short(&made, 5);
    for (unsigned i = 0; i < 4; i++)
        add(&made, 5 + 15 * i, LIVES_LEFT, 5000);
    struct survival survival = judged(&made, &whole);
    assert_int_equal(survival.trials, 4);
    assert_true(survivals_correct(&survival, 1));
    assert_near(survival.p_of_all, 1, 0);
}

/* What is freed in the teardown was alive until then. */
static void freed_at_exit(void **state)
{
    static struct lives lives;
    struct made made = {.count = 0};
    lives_init(&lives, 6399999);
    for (int64_t i = 0; i < 6400; i++)
        lives_count(&lives, i * 1000, i % 10 == 0 ? 6399900 + i / 100 : i * 1000 + 10, 1);
    struct survival_span span = survival_span_of(&lives);
    assert_int_equal(span.steps, LIVES_STEPS);
    assert_near(span.step_us, 100000, 0);
    assert_int_equal(span.teardown, lives_place(&lives, 6399900));
    add_short(&made, 10);
    for (unsigned born = 0; born < LIVES_STEPS; born++)
        add(&made, born, span.teardown, 1);
    struct survival survival = judged(&made, &span);
    assert_int_equal(survival.growth, GROWTH_GOES_ON);
    assert_near(survival.live_bytes, 6400, 0);
    assert_near(survival.at_exit_bytes, 6400, 0);
    lives_release(&lives);
}

/* When a collector that works in steps 20 and 44 frees what was born in a step. */
static unsigned collected_in(unsigned born)
{
    return born < 20 ? 20 : born < 44 ? 44 : LIVES_LEFT;
}

static bool is_accused(const struct made *made, const struct survival_span *span)
{
    struct survival survival = judged(made, span);
    assert_true(survivals_correct(&survival, 1));
    return survival_is_accused(&survival);
}

/* Garbage that no collection has looked at is left, but nobody keeps it; and what is kept goes on growing, though old garbage is freed. */
static void collected_late(void **state)
{
    static struct lives lives;
    struct made garbage = {.count = 0}, both = {.count = 0};
    lives_init(&lives, 6399999);
    for (unsigned born = 0; born < LIVES_STEPS; born++) {
        unsigned ended = collected_in(born);
        lives_count(&lives, 100000 * born, ended == LIVES_LEFT ? MODEL_NEVER : 100000 * ended, 10);
        add(&garbage, born, ended, 10);
        add(&both, born, ended, 10);
        add(&both, born, LIVES_LEFT, 2);
    }
    struct survival_span span = survival_span_whole(&lives),
                         looked_at = survival_span_looked_at(&lives);
    assert_int_equal(span.steps, LIVES_STEPS);
    assert_int_equal(looked_at.steps, 45);
    assert_false(is_accused(&garbage, &looked_at));
    assert_true(is_accused(&both, &looked_at));
    assert_int_equal(judged(&both, &span).growth, GROWTH_TURNED_OVER);
    lives_release(&lives);
}

/* Where nothing is garbage, a collection must have looked at the first third. */
static void nothing_to_collect(void **state)
{
    static struct lives lives;
    lives_init(&lives, 6399999);
    for (unsigned born = 0; born < LIVES_STEPS; born++)
        assert_true(lives_add(&lives, 0, 100000 * born, MODEL_NEVER, 10, 1000, 0, 8));
    struct survival_span looked_at = survival_span_looked_at(&lives);
    assert_int_equal(looked_at.steps, 21);
    struct made made = {.count = 0};
    for (unsigned born = 0; born < LIVES_STEPS; born++)
        add(&made, born, LIVES_LEFT, 10);
    assert_true(is_accused(&made, &looked_at));
    lives_release(&lives);
}

/* One large block among small ones, one every so many steps, is most of the growth: where small ones come all the time, or the program
 * stands still for some steps, these grow for certain, at `least` bytes a second; where they are rare, its rate may be none. */
static void check_one_block(unsigned every, double least)
{
    struct made made = {.count = 0};
    for (unsigned born = 0; born < LIVES_STEPS; born += every)
        add(&made, born, LIVES_LEFT, 1);
    assert_int_equal(judged(&made, &whole).growth, GROWTH_GOES_ON);
    made.cells[44 / every].samples = 1e6;
    struct survival survival = judged(&made, &whole);
    assert_near(survival.growth_range.low, least, 1e-9);
    assert_int_equal(survival.growth, least > 0 ? GROWTH_GOES_ON : GROWTH_UNSURE);
    assert_true(survivals_correct(&survival, 1));
    assert_true(survival.p_of_all <= 0.05);
    assert_int_equal(survival_is_accused(&survival), least > 0);
}

static void growth_of_one_block(void **state)
{
    check_one_block(1, 100);
    check_one_block(2, 50);
    check_one_block(3, 25);
    check_one_block(4, 25);
    check_one_block(8, 0);
}

/* A hash table whose entries grow steadily, and whose array of buckets moves to one twice as large in a step, and again in one twice as late:
 * near the end that is too late for the new one to become old. */
static void growth_with_a_table(void **state)
{
    for (unsigned step = 16; step < LIVES_STEPS; step++) {
        struct made made = {.count = 0};
        unsigned moves[] = {step / 2, step, 2 * step, LIVES_LEFT};
        for (unsigned born = 0; born < LIVES_STEPS; born++)
            add(&made, born, LIVES_LEFT, 100 + born % 3);
        for (size_t i = 0; i < 3 && moves[i] < LIVES_STEPS; i++) {
            add(&made, moves[i], moves[i + 1] < LIVES_STEPS ? moves[i + 1] : LIVES_LEFT, 1);
            made.cells[made.count - 1].samples = 4e3 * moves[i];
        }
        assert_int_equal(judged(&made, &whole).growth, GROWTH_GOES_ON);
    }
}

static void places(void **state)
{
    static struct lives lives;
    lives_init(&lives, 63999999); /* steps of a second */
    assert_int_equal(lives_place(&lives, 0), 0);
    assert_int_equal(lives_place(&lives, 999999), 0);
    assert_int_equal(lives_place(&lives, 1000000), 1);
    assert_int_equal(lives_place(&lives, 62999999), 62);
    assert_int_equal(lives_place(&lives, 63000000), 63);
    assert_int_equal(lives_place(&lives, 63500000), 63 + LIVES_OCTAVE);
    assert_int_equal(lives_place(&lives, 63750000), 63 + 2 * LIVES_OCTAVE);
    assert_true(lives_place(&lives, 63999999) < LIVES_PLACES);
    assert_true(lives_add(&lives, 3, 10, 20, 1, 2, 64e6, 8) &&
                lives_add(&lives, 3, 30, 900000, 1, 2, 64e6, 8) &&
                lives_add(&lives, 3, 30, MODEL_NEVER, 1, 2, 64e6, 8) &&
                lives_add(&lives, 1, 30, 40, 1, 2, 64e6, 8));
    lives_sort(&lives);
    assert_int_equal(lives.count, 3);
    assert_int_equal(lives.cells[0].owner, 1);
    assert_int_equal(lives.cells[1].blocks, 2);
    assert_int_equal(lives.cells[2].ended, LIVES_LEFT);
    assert_int_equal(lives.born[0], 4);
    assert_int_equal(lives.ended[0], 3);
    lives_release(&lives);
}

/* Holm's: of three tests with p 0.01, 0.02 and 0.04; a fourth has too few trials to be one. */
static void all_sites(void **state)
{
    struct survival items[] = {{.p = 0.04, .trials = 9, .p_of_all = 1},
                               {.p = 0.01, .trials = 9, .p_of_all = 1},
                               {.p = 0.001, .trials = 4, .p_of_all = 1},
                               {.p = 0.02, .trials = 9, .p_of_all = 1}};
    assert_true(survivals_correct(items, 4));
    assert_near(items[0].p_of_all, 0.04, 1e-12);
    assert_near(items[1].p_of_all, 0.03, 1e-12);
    assert_near(items[2].p_of_all, 1, 0);
    assert_near(items[3].p_of_all, 0.04, 1e-12);
}

/* Each step keeps one block fewer, of 100 bytes: 64 in the first, one in the last; so many are kept a second at the run's end. */
static void the_rate_at_the_end(void **state)
{
    struct made made = {.count = 0};
    for (unsigned step = 0; step < LIVES_STEPS; step++)
        add(&made, step, LIVES_LEFT, LIVES_STEPS - step);
    struct survival survival = judged(&made, &whole);
    assert_near(survival.growth_bytes, 100, 1e-6);
    assert_near(survival.growth_range.low, 100, 1e-6);
    assert_near(survival.growth_range.high, 100, 1e-6);
    made.count = 0;
    for (unsigned step = 0; step < LIVES_STEPS; step++)
        add(&made, step, LIVES_LEFT, step + 1);
    survival = judged(
        &made,
        &whole); /* one that gets faster has the mean of the last half, of blocks that became old */
    assert_near(survival.growth_bytes, 100 * (LIVES_STEPS * .75 + .5 - survival.old_steps), 1e-6);
}

/* All that a period of work has kept goes when it ends, and in the last one it has not ended yet. */
static void periods(void **state)
{
    struct made made = {.count = 0};
    for (unsigned step = 0; step < LIVES_STEPS; step++)
        add(&made, step, step < 40 ? 40 : LIVES_LEFT, step < 40 ? 10 : 25);
    add(&made, 0, 0, 100000);
    assert_int_equal(judged(&made, &whole).growth, GROWTH_TURNED_OVER);
    made.count = 0;
    for (unsigned step = 0; step < LIVES_STEPS; step++)
        add(&made, step, LIVES_LEFT, 10);
    add(&made, 0, 0, 100000);
    assert_int_equal(judged(&made, &whole).growth, GROWTH_GOES_ON);
}

/* One block of so many bytes, which another replaces in the next step. */
static void add_replaced(struct made *made, unsigned born, unsigned ended, double bytes)
{
    add(made, born, ended, 1);
    made->cells[made->count - 1].samples = made->cells[made->count - 1].largest = bytes;
}

/* A block that has a size in each step. */
static struct survival judged_by_sizes(double (*size_of)(unsigned step))
{
    struct made made = {.count = 0};
    struct survival_span span = whole;
    span.has_sizes = true;
    unsigned born = 0;
    for (unsigned step = 1; step <= LIVES_STEPS; step++)
        if (step == LIVES_STEPS || size_of(step) != size_of(born)) {
            add_replaced(&made, born, step == LIVES_STEPS ? LIVES_LEFT : step, size_of(born));
            born = step;
        }
    struct survival survival = judged(&made, &span);
    assert_true(survivals_correct(&survival, 1));
    return survival;
}

static double by_steps(unsigned step)
{
    return 1000 * (step + 1);
}

static double by_doubling(unsigned step)
{
    return step == 0 ? 1 : 2 * by_doubling(step / 2);
}

static double up_and_down(unsigned step)
{
    return 1000 + 900 * sin(step / 5.0);
}

static double until_half(unsigned step)
{
    return fmin(by_steps(step), 32000);
}

static double until_a_tenth_before(unsigned step)
{
    return fmin(by_steps(step), 56000);
}

static double ever_slower(unsigned step)
{
    return 64000 - 64 * pow(LIVES_STEPS - 1 - step, 1.7);
}

static double after_a_flush(unsigned step)
{
    return by_steps(step < 12 ? step + 52 : step - 12);
}

/* Its blocks are young, and it grows by 1000 bytes a second: 16 pairs from half of the run on are larger than ever. */
static void one_block_ever_larger(void **state)
{
    struct survival survival = judged_by_sizes(by_steps);
    assert_true(survival.is_by_largest && survival_is_accused(&survival));
    assert_int_equal(survival.trials, 22);
    assert_int_equal(survival.successes, 22);
    assert_near(survival.p * pow(2, 15), 1, 1e-9);
    assert_near(survival.largest_from, 4000, 0);
    assert_near(survival.largest_to, 64000, 0);
    assert_near(survival.growth_bytes, 1000, 1e-9);
    assert_near(survival.growth_range.low, 1000, 1e-9);
}

static void one_block_otherwise(void **state)
{
    double (*const sizes[])(unsigned) = {by_doubling,          up_and_down, until_half,
                                         until_a_tenth_before, ever_slower, after_a_flush};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct survival survival = judged_by_sizes(sizes[i]);
        assert_false(survival_is_accused(&survival));
    }
}

int main(void)
{
    return RUN_TESTS(kaplan_meier, nothing_is_freed, leak, growth_that_ended, tables_that_are_full,
                     full_beside_blocks_of_a_moment, growth_with_pauses, table_of_a_slow_program,
                     growth_that_slows, cache, slow_cache, few_loads, freed_at_exit, collected_late,
                     nothing_to_collect, growth_of_one_block, growth_with_a_table, places,
                     all_sites, the_rate_at_the_end, periods, one_block_ever_larger,
                     one_block_otherwise);
}
