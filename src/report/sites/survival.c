#include "report/sites/survival.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "report/change/binomial.h"
#include "report/change/holm.h"
#include "report/sites/largest.h"

const double survival_false_alarms = 0.05;

static const double freed_young = 0.99; /* of frees, by the age at which a block is old */
static const double lives_on = 1.0 / 3; /* a trial's probability of success, at most */
static const double gap_least = 0.01;   /* probability of births that end so early */
static const double slowing_z = 2.05;   /* one-sided, 2 % */
static const double turnover = 0.5; /* freed, of what became old; of the old blocks, at one time */
static const double teardown_births = 0.1, teardown_part = 0.5, teardown_begins = 0.02;
static const double falls_from = 8; /* old blocks, at least */
enum { FIRST_STEP = 2, PAIR = 2 };  /* births before FIRST_STEP are the program's start */
enum { REST = 10 }; /* of this many parts of the run, the last, in which a site has no births */
enum { PAUSE = 4 }; /* steps: a program that stands still for less goes on within a period */

/* ---- The teardown ---------------------------------------------------------------------- */

/* The blocks that are alive when a place begins. */
static double alive_at(const struct lives *lives, unsigned place)
{
    double alive = 0;
    for (unsigned i = 0; i < place; i++)
        alive += (double)lives->born[i] - (double)lives->ended[i];
    return alive;
}

/* The place itself may begin with ordinary work, so that more is born in it; but some of the teardown must lie there. */
static bool is_teardown(const struct lives *lives, unsigned place, double born, double ended)
{
    return ended >= 1 && born <= teardown_births * ended &&
           (double)lives->ended[place] >= teardown_begins * ended &&
           (double)lives->born[place] <= (double)lives->ended[place] / 2 &&
           ended - born >= teardown_part * alive_at(lives, place);
}

static unsigned find_teardown(const struct lives *lives)
{
    unsigned found = LIVES_PLACES;
    double born = 0, ended = 0;
    for (unsigned place = LIVES_PLACES; place-- > 0;) {
        born += (double)lives->born[place];
        ended += (double)lives->ended[place];
        if (is_teardown(lives, place, born, ended))
            found = place;
    }
    return found;
}

static uint64_t idle_steps(const struct lives *lives)
{
    uint64_t born[LIVES_STEPS] = {0}, idle = 0;
    for (unsigned place = 0; place < LIVES_PLACES; place++)
        born[lives_step(place)] += lives->born[place];
    for (unsigned step = 0; step < LIVES_STEPS; step++)
        idle |= (uint64_t)(born[step] == 0) << step;
    return idle;
}

static struct survival_span span_of(const struct lives *lives, unsigned steps, unsigned teardown,
                                    unsigned least)
{
    bool is_long = steps >= least && lives->end_us >= LIVES_STEPS;
    return (struct survival_span){.steps = is_long ? steps : 0,
                                  .teardown = teardown,
                                  .step_us = ((double)lives->end_us + 1) / LIVES_STEPS,
                                  .idle = idle_steps(lives)};
}

struct survival_span survival_span_of(const struct lives *lives)
{
    unsigned teardown = find_teardown(lives);
    struct survival_span span = span_of(lives, teardown < LIVES_STEPS ? teardown : LIVES_STEPS,
                                        teardown, SURVIVAL_STEPS_LEAST);
    span.has_sizes = true;
    return span;
}

struct survival_span survival_span_whole(const struct lives *lives)
{
    return span_of(lives, LIVES_STEPS, LIVES_PLACES, SURVIVAL_STEPS_LEAST);
}

/* The step after the last one in which many blocks were freed. */
static unsigned swept_until(const struct lives *lives)
{
    static const double many = 0.25; /* of the mean */
    double ended[LIVES_STEPS] = {0}, mean = 0;
    unsigned steps = LIVES_STEPS;
    for (unsigned place = 0; place < LIVES_PLACES; place++) {
        ended[lives_step(place)] += (double)lives->ended[place];
        mean += (double)lives->ended[place] / LIVES_STEPS;
    }
    while (steps > 0 && ended[steps - 1] <= many * mean)
        steps--;
    return steps;
}

/* A collection that finds nothing to free leaves no trace.  But one begins when the heap is twice what the one before has left, so that the
 * last is over when the heap is a third of what it is at the end, or later. */
static unsigned surely_swept_until(const struct lives *lives)
{
    static const double between = 3;
    double change[LIVES_STEPS + 1] = {0}, alive = 0, end = 0;
    unsigned steps = 0;
    for (size_t i = 0; i < lives->count; i++) {
        const struct lives_cell *cell = &lives->cells[i];
        bool is_left = cell->ended == LIVES_LEFT;
        change[cell->born] += cell->samples;
        change[is_left ? LIVES_STEPS : lives_step(cell->ended)] -= cell->samples;
        end += is_left ? cell->samples : 0;
    }
    for (unsigned step = 0; step < LIVES_STEPS && alive < end / between; step++) {
        alive += change[step];
        steps = step;
    }
    return steps;
}

struct survival_span survival_span_looked_at(const struct lives *lives)
{
    unsigned swept = swept_until(lives), surely = surely_swept_until(lives);
    struct survival_span span =
        span_of(lives, swept > surely ? swept : surely, LIVES_PLACES, SURVIVAL_LOOKED_AT_LEAST);
    span.frees_late = true;
    return span;
}

/* ---- One site's blocks by step ----------------------------------------------------------- */

/* A cell as the span has it. */
struct life {
    unsigned born, age; /* age: at its end, or when it is no longer watched */
    bool is_freed, is_at_exit;
    uint64_t blocks;
    double bytes;
};

/* False where it was born after the span. */
static bool life_of(struct life *life, const struct lives_cell *cell,
                    const struct survival_span *span)
{
    bool is_freed = cell->ended != LIVES_LEFT,
         is_at_exit = is_freed && cell->ended >= span->teardown;
    unsigned end = is_freed && !is_at_exit ? lives_step(cell->ended) : span->steps;
    *life = (struct life){.born = cell->born,
                          .age = is_freed && span->frees_late ? 0 : end - cell->born,
                          .is_freed = is_freed && !is_at_exit,
                          .is_at_exit = is_at_exit,
                          .blocks = cell->blocks,
                          .bytes = cell->samples};
    return cell->born < span->steps && end >= cell->born;
}

struct by_step {
    const struct lives_cell *cells;
    size_t count;
    const struct survival_span *span;
    double freed[LIVES_STEPS + 1], censored[LIVES_STEPS + 1]; /* by age */
    double old[LIVES_STEPS], late[LIVES_STEPS];    /* by birth: those that grew old, and lived on */
    double became[LIVES_STEPS], left[LIVES_STEPS]; /* by time: old blocks */
    double became_bytes[LIVES_STEPS], left_bytes[LIVES_STEPS]; /* the same */
    bool keeps[LIVES_STEPS];                                   /* by birth: old ones are left */
    bool has_left[LIVES_STEPS];                                /* the same: any are */
};

static void sum_up(struct survival *survival, struct by_step *steps)
{
    struct life life;
    for (size_t i = 0; i < steps->count; i++) {
        if (!life_of(&life, &steps->cells[i], steps->span))
            continue;
        survival->blocks += life.blocks;
        survival->bytes += life.bytes;
        (life.is_freed ? steps->freed : steps->censored)[life.age] += (double)life.blocks;
        for (unsigned step = life.born; step < life.born + life.age && step < LIVES_STEPS; step++)
            survival->live[step] += life.bytes;
        if (life.is_freed)
            continue;
        steps->has_left[life.born] = true;
        survival->live_bytes += life.bytes;
        survival->early_bytes += life.born < steps->span->steps / 4 ? life.bytes : 0;
        survival->at_exit_bytes += life.is_at_exit ? life.bytes : 0;
    }
}

/* ---- Survival ----------------------------------------------------------------------------- */

static struct estimate_range bounds_of(double share, double greenwood, double watched)
{
    if (share <= 0)
        return (struct estimate_range){.high = watched > 0 ? 1 - pow(0.05, 1 / watched) : 1};
    if (share >= 1 || greenwood <= 0)
        return (struct estimate_range){.low = watched > 0 ? pow(0.05, 1 / watched) : 0, .high = 1};
    double part = 1.96 * sqrt(greenwood) / fabs(log(share));
    return (struct estimate_range){.low = pow(share, exp(part)), .high = pow(share, exp(-part))};
}

static void estimate_survival(struct survival *survival, const struct by_step *steps)
{
    double watched = (double)survival->blocks, share = 1, greenwood = 0;
    unsigned count = steps->span->steps;
    for (unsigned age = 0; age < count; age++) {
        double freed = steps->freed[age];
        double seen = watched;
        if (freed > 0 && watched > 0) {
            share *= 1 - freed / watched;
            greenwood += watched > freed ? freed / (watched * (watched - freed)) : 0;
        }
        survival->survives[age] = share;
        watched -= freed + steps->censored[age];
        if (age <= survival->late_steps && seen > 0) {
            survival->kept = share;
            survival->kept_range = bounds_of(share, greenwood, seen);
        }
    }
}

/* ---- Old blocks ---------------------------------------------------------------------------- */

static double sum(const double *values, unsigned from, unsigned to)
{
    double all = 0;
    for (unsigned i = from; i < to; i++)
        all += values[i];
    return all;
}

/* The least of the ages by which nearly all frees have happened; else the first of them. */
static void choose_age(struct survival *survival, const struct by_step *steps)
{
    unsigned count = steps->span->steps;
    double all = sum(steps->freed, 0, count + 1);
    survival->old_steps = (count + 15) / 16;
    for (unsigned part = 16; part >= 4; part /= 2) {
        unsigned age = (count + part - 1) / part;
        if (sum(steps->freed, age, count + 1) <= (1 - freed_young) * all) {
            survival->old_steps = age;
            survival->is_by_age = true;
            break;
        }
    }
    survival->late_steps = 2 * survival->old_steps;
}

static void add_old(struct survival *survival, struct by_step *steps, const struct life *life)
{
    unsigned old = survival->old_steps, count = steps->span->steps;
    double blocks = (double)life->blocks;
    if (life->age < old)
        return;
    steps->old[life->born] += blocks;
    if (life->age >= survival->late_steps)
        steps->late[life->born] += blocks;
    if (!life->is_freed) {
        survival->old_kept += life->blocks;
        survival->old_bytes += life->bytes;
        steps->keeps[life->born] = true;
    }
    survival->old_blocks += life->blocks;
    if (life->born + old >= count)
        return;
    steps->became[life->born + old] += blocks;
    steps->became_bytes[life->born + old] += life->bytes;
    if (life->is_freed && life->born + life->age < count) {
        steps->left[life->born + life->age] += blocks;
        steps->left_bytes[life->born + life->age] += life->bytes;
    }
}

static void sum_up_old(struct survival *survival, struct by_step *steps)
{
    struct life life;
    for (size_t i = 0; i < steps->count; i++)
        if (life_of(&life, &steps->cells[i], steps->span))
            add_old(survival, steps, &life);
    survival->became_old = (uint64_t)sum(steps->became, steps->span->steps / 2, steps->span->steps);
    survival->old_freed = (uint64_t)sum(steps->left, steps->span->steps / 2, steps->span->steps);
}

/* ---- The tests ------------------------------------------------------------------------------ */

static void test_by_age(struct survival *survival, const struct by_step *steps)
{
    for (unsigned born = FIRST_STEP; born + survival->late_steps <= steps->span->steps; born++) {
        survival->trials += steps->old[born] > 0;
        survival->successes += 2 * steps->late[born] > steps->old[born];
    }
    survival->p = binomial_upper_tail(survival->successes, survival->trials, lives_on);
}

static double sign_p(struct survival *survival, const struct by_step *steps, unsigned from)
{
    unsigned count = steps->span->steps;
    survival->trials = survival->successes = 0;
    for (unsigned step = from; step < count; step += PAIR) {
        unsigned end = step + PAIR < count ? step + PAIR : count;
        double net = sum(steps->became, step, end) - sum(steps->left, step, end);
        survival->trials += net != 0;
        survival->successes += net > 0;
    }
    return binomial_upper_tail(survival->successes, survival->trials, 0.5);
}

static void test_by_sign(struct survival *survival, const struct by_step *steps)
{
    double p = sign_p(survival, steps, steps->span->steps / 3);
    survival->p = fmax(p, sign_p(survival, steps, steps->span->steps / 2));
}

/* ---- Does it go on? -------------------------------------------------------------------------- */

/* Steps with births, up to an end: from the first to the last, and after that. */
struct births {
    unsigned count, last;
    unsigned between, after; /* steps that count, with births or without */
    unsigned pause;          /* the most of these without any between two with births */
};

static struct births births_of(const bool *is_born, unsigned end, uint64_t left_out)
{
    struct births births = {.count = 0};
    for (unsigned step = FIRST_STEP; step < end; step++) {
        if (is_born[step]) {
            births.pause = births.after > births.pause ? births.after : births.pause;
            births.between += births.after + 1;
            births.after = 0;
            births.last = step;
            births.count++;
        } else if (births.count > 0 && !(left_out >> step & 1)) {
            births.after++;
        }
    }
    return births;
}

/* Of births that are anywhere in the time from the first of them to the end. */
static double chance_at_any_time(const struct births *births)
{
    double part = births->between / ((double)births->between + births->after);
    return births->count > 1 ? pow(part, births->count - 1) : 1;
}

/* Of so many different steps. */
static double chance_of_steps(const struct births *births)
{
    double chance = 1;
    for (unsigned i = 1; i < births->count; i++)
        chance *= (births->between - i) / ((double)births->between + births->after - i);
    return chance;
}

/* Of all that is left, the births are known up to the end. */
static bool have_all_ended(const struct by_step *steps, uint64_t left_out, unsigned *last)
{
    unsigned count = steps->span->steps;
    struct births births = births_of(steps->has_left, count, left_out);
    *last = births.last;
    return REST * (count - 1 - births.last) >= count && births.after > births.pause &&
           chance_of_steps(&births) < gap_least;
}

/* Did the births of what is kept end early? */
static bool has_stopped(struct survival *survival, const struct by_step *steps)
{
    struct births old = births_of(steps->keeps, steps->span->steps - survival->old_steps, 0);
    survival->stopped = old.last;
    return chance_at_any_time(&old) < gap_least || have_all_ended(steps, 0, &survival->stopped) ||
           have_all_ended(steps, steps->span->idle, &survival->stopped);
}

static bool has_slowed(const struct by_step *steps)
{
    unsigned count = steps->span->steps, third = count / 3;
    double came = sum(steps->became, third, 2 * third), went = sum(steps->left, third, 2 * third);
    double late_came = sum(steps->became, 2 * third, count),
           late_went = sum(steps->left, 2 * third, count);
    double middle = came - went, late = late_came - late_went;
    double spread = sqrt(came + went + late_came + late_went);
    return late < middle / 2 && middle - late > slowing_z * spread;
}

/* Did most of the old blocks go at some time in the last half, as they do when a period of work ends? */
static bool has_fallen(const struct by_step *steps)
{
    double old = 0, most = 0;
    for (unsigned step = 0; step < steps->span->steps; step++) {
        old += steps->became[step] - steps->left[step];
        most = fmax(most, old);
        if (step >= steps->span->steps / 2 && most >= falls_from && old < turnover * most)
            return true;
    }
    return false;
}

static enum survival_growth judge_growth(struct survival *survival, const struct by_step *steps)
{
    unsigned keeps = 0;
    for (unsigned born = FIRST_STEP; born < steps->span->steps - survival->old_steps; born++)
        keeps += steps->keeps[born];
    if (keeps == 0)
        return survival->old_freed > 0 ? GROWTH_TURNED_OVER : GROWTH_NONE;
    if (has_stopped(survival, steps))
        return GROWTH_STOPPED;
    if ((double)survival->old_freed >= turnover * (double)survival->became_old || has_fallen(steps))
        return GROWTH_TURNED_OVER;
    if (has_slowed(steps))
        return GROWTH_SLOWED;
    return survival->growth_range.low > 0 ? GROWTH_GOES_ON : GROWTH_UNSURE;
}

/* ---- How fast ---------------------------------------------------------------------------------- */

/* The old bytes that each step of the last half added, and a line through them. */
struct line {
    double mean, slope; /* a step */
    double centre;      /* the middle of the steps */
    double error, fit_error,
        slope_error; /* twice standard errors: of the mean, by itself and on the line; of the slope */
};

static struct line fit_line(const double *nets, unsigned from, unsigned count)
{
    struct line line = {.centre = from + (count - 1) / 2.0};
    double products = 0, squares = 0, about_mean = 0;
    for (unsigned i = 0; i < count; i++)
        line.mean += nets[i] / count;
    for (unsigned i = 0; i < count; i++) {
        double at = from + i - line.centre;
        squares += at * at;
        products += at * nets[i];
        about_mean += (nets[i] - line.mean) * (nets[i] - line.mean);
    }
    line.slope = products / squares;
    double spread = sqrt(fmax(0, about_mean - line.slope * products) / (count - 2));
    line.error = 2.0 * sqrt(about_mean / (count - 1) / count);
    line.fit_error = 2.0 * spread / sqrt(count);
    line.slope_error = 2.0 * spread / sqrt(squares);
    return line;
}

/* Steps with a large block, such as the table of a hash table that moves as it grows, tilt a line.  Those that lie far out (J. W. Tukey's
 * fences, three times the middle half's width beyond it) are drawn to there; where half of the steps are alike, none does. */
static void draw_in(double *nets, unsigned count)
{
    double sorted[LIVES_STEPS];
    memcpy(sorted, nets, count * sizeof *nets);
    qsort(sorted, count, sizeof *sorted, order_doubles);
    double low = sorted[count / 4], high = sorted[count - 1 - count / 4], fence = 3 * (high - low);
    for (unsigned i = 0; fence > 0 && i < count; i++)
        nets[i] = fmin(fmax(nets[i], low - fence), high + fence);
}

/* Of rare blocks of much the same size, whose number varies as that of rare events does, so that its logarithm has bounds; 0 where a few
 * large ones are most of many: without these there might be no growth. */
static double rare_low(const struct by_step *steps, unsigned from, double rate)
{
    double all = 0, squares = 0, times = 0;
    for (unsigned i = from; i < steps->span->steps; i++) {
        double bytes = steps->became_bytes[i];
        all += bytes;
        squares += bytes * bytes;
        times += bytes > 0;
    }
    double alike = squares > 0 ? all * all / squares : 0; /* steps of one size that vary as much */
    return alike > 0 && alike >= times / 2 ? rate * exp(-2.0 / sqrt(alike)) : 0;
}

/* The lower bound of the median of periods of so many steps of the last half, a step, by its order statistic (Conover, Practical
 * Nonparametric Statistics, 3.2): where a few large blocks are most of the bytes, the mean has no bound above 0, and the many small ones
 * may still grow for certain.  Holds for the mean where that is no less than the median, else 0. */
static double median_low(const struct by_step *steps, unsigned from, double rate, unsigned period)
{
    double nets[LIVES_STEPS];
    unsigned count = (steps->span->steps - from) / period;
    for (unsigned i = 0; i < count; i++) {
        unsigned at = from + i * period;
        nets[i] =
            sum(steps->became_bytes, at, at + period) - sum(steps->left_bytes, at, at + period);
        nets[i] /= period;
    }
    qsort(nets, count, sizeof *nets, order_doubles);
    double place = floor(count / 2.0 - sqrt(count)); /* z = 2, as everywhere here */
    return place >= 0 && nets[count / 2] <= rate ? fmax(0, nets[(unsigned)place]) : 0;
}

/* Where the mean's lower bound would be 0. */
static double certain_low(const struct by_step *steps, unsigned from, double rate)
{
    double low = rare_low(steps, from, rate);
    for (unsigned period = 1; period <= PAUSE; period *= PAUSE)
        low = fmax(low, median_low(steps, from, rate, period));
    return low;
}

/* Do the steps fall by their ranks (Kendall's S, z = 2)? */
static bool falls_by_rank(const double *nets, unsigned count)
{
    double n = count, s = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++)
            s += (nets[i] > nets[k]) - (nets[i] < nets[k]);
    return s < -2 * sqrt(n * (n - 1) * (2 * n + 5) / 18);
}

/* The mean from a step on, as of the last half, or, where growth slows down by more than chance, what the line has for blocks that are born at
 * the end, which have yet to become old. */
static void estimate_growth(struct survival *survival, const struct by_step *steps, unsigned from)
{
    unsigned count = steps->span->steps - from;
    double nets[LIVES_STEPS] = {0};
    for (unsigned i = 0; i < count; i++)
        nets[i] = steps->became_bytes[from + i] - steps->left_bytes[from + i];
    struct line line = fit_line(nets, from, count);
    draw_in(nets, count);
    struct line tilt = fit_line(nets, from, count);
    double seconds = steps->span->step_us * 1e-6, rate = line.mean, error = line.error;
    if (tilt.slope < 0 && -tilt.slope > tilt.slope_error && falls_by_rank(nets, count)) {
        double at = steps->span->steps - 1 + survival->old_steps - line.centre;
        rate = fmax(0, line.mean + tilt.slope * at);
        error =
            sqrt(line.fit_error * line.fit_error + tilt.slope_error * at * (tilt.slope_error * at));
    }
    survival->growth_bytes = rate / seconds;
    survival->growth_range = (struct estimate_range){.low = fmax(0, (rate - error) / seconds),
                                                     .high = fmax(0, (rate + error) / seconds)};
    if (rate <= error)
        survival->growth_range.low = certain_low(steps, from, rate) / seconds;
}

/* What begins later than half of the run has grown since then, and not before: behind the first step with old blocks, of which it may have
 * a part.  Of so few steps that nothing would follow from them, the last. */
static unsigned growth_from(const struct by_step *steps)
{
    enum { FEWEST = 6 };
    unsigned half = steps->span->steps / 2, first = 0;
    while (first < steps->span->steps && steps->became_bytes[first] == 0)
        first++;
    unsigned latest = steps->span->steps - FEWEST;
    return first < half || first == steps->span->steps ? half
           : first + 1 < latest                        ? first + 1
                                                       : latest;
}

/* Shares to four digits. */
static void draw_curves(struct survival *survival, unsigned steps)
{
    for (unsigned i = 0; i < SURVIVAL_POINTS; i++) {
        unsigned step = (i + 1) * steps / SURVIVAL_POINTS - 1;
        survival->live_curve[i] = survival->live[step];
        survival->survives_curve[i] = rint(1e4 * survival->survives[step]) / 1e4;
    }
    for (unsigned i = 0; i < SURVIVAL_SHOWN; i++)
        survival->live_shown[i] = survival->live[(i + 1) * steps / SURVIVAL_SHOWN - 1];
}

/* Does one block grow whose ages tell nothing, as it is replaced again and again? */
static void judge_largest(struct survival *survival, const struct by_step *steps)
{
    struct largest largest =
        largest_of(steps->cells, steps->count, steps->span, survival->live_bytes);
    if (!largest.goes_on || largest.trials < SURVIVAL_TRIALS_LEAST)
        return;
    survival->is_by_age = false;
    survival->is_by_largest = true;
    survival->largest_from = largest.from_bytes;
    survival->largest_to = largest.to_bytes;
    survival->trials = largest.trials;
    survival->successes = largest.successes;
    survival->p = largest.p;
    survival->growth_bytes = largest.growth_bytes;
    survival->growth_range = largest.growth_range;
    survival->growth = largest.growth_range.low > 0 ? GROWTH_GOES_ON : GROWTH_UNSURE;
}

/* ---- The whole ------------------------------------------------------------------------------------ */

void survival_of(struct survival *survival, const struct lives_cell *cells, size_t count,
                 const struct survival_span *span)
{
    struct by_step steps = {.cells = cells, .count = count, .span = span};
    *survival = (struct survival){.p = 1, .p_of_all = 1, .step_us = span->step_us};
    if (span->steps == 0)
        return;
    sum_up(survival, &steps);
    choose_age(survival, &steps);
    estimate_survival(survival, &steps);
    sum_up_old(survival, &steps);
    survival->is_by_age ? test_by_age(survival, &steps) : test_by_sign(survival, &steps);
    estimate_growth(survival, &steps, span->steps / 2);
    survival->growth = judge_growth(survival, &steps);
    if (survival->growth == GROWTH_GOES_ON)
        estimate_growth(survival, &steps, growth_from(&steps));
    if (span->has_sizes && survival->growth != GROWTH_GOES_ON)
        judge_largest(survival, &steps);
    draw_curves(survival, span->steps);
}

struct ranked {
    double p;
    size_t number;
};

static int compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return a->p != b->p ? (a->p > b->p) - (a->p < b->p)
                        : (a->number > b->number) - (a->number < b->number);
}

bool survivals_correct(struct survival *items, size_t count)
{
    struct ranked *ranked = malloc((count + 1) * sizeof *ranked);
    size_t tested = 0;
    double previous = 0;
    if (!ranked)
        return false;
    for (size_t i = 0; i < count; i++)
        if (items[i].trials >= SURVIVAL_TRIALS_LEAST)
            ranked[tested++] = (struct ranked){items[i].p, i};
    if (tested > 1)
        qsort(ranked, tested, sizeof *ranked, compare);
    for (size_t i = 0; i < tested; i++)
        items[ranked[i].number].p_of_all = previous = holm_next(previous, ranked[i].p, tested - i);
    free(ranked);
    return true;
}
