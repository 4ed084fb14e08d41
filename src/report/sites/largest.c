#include "report/sites/largest.h"

#include <math.h>

#include "report/change/binomial.h"
#include "report/sites/trend.h"

static const double most = 0.5;       /* of what is alive at the end */
static const double seen_part = 0.75; /* of the steps from a third of the run on */
static const double fall = 0.1;       /* of the growth since then */
static const double slowed = 0.5;     /* of the middle third's growth */
enum { FIRST_STEP = 2, PAIR = 2, REST = 10 };

/* By step. */
struct sizes {
    double at[LIVES_STEPS]; /* at its end */
    bool is_seen[LIVES_STEPS];
    unsigned count, first; /* steps, and the first of them in which one is seen; `count` for none */
};

/* ---- Sizes ------------------------------------------------------------------------------- */

static void add_cell(struct sizes *sizes, const struct lives_cell *cell,
                     const struct survival_span *span)
{
    bool is_left = cell->ended == LIVES_LEFT || cell->ended >= span->teardown;
    unsigned end = is_left ? span->steps : lives_step(cell->ended);
    for (unsigned step = cell->born; step < end && step < span->steps; step++) {
        sizes->at[step] = fmax(sizes->at[step], cell->largest);
        sizes->is_seen[step] = true;
    }
}

static struct sizes sizes_of(const struct lives_cell *cells, size_t count,
                             const struct survival_span *span)
{
    struct sizes sizes = {.count = span->steps, .first = span->steps};
    for (size_t i = 0; i < count; i++)
        add_cell(&sizes, &cells[i], span);
    for (unsigned step = sizes.count; step-- > 0;)
        sizes.first = sizes.is_seen[step] ? step : sizes.first;
    for (unsigned step = sizes.first + 1; step < sizes.count; step++)
        if (!sizes.is_seen[step])
            sizes.at[step] = sizes.at[step - 1];
    return sizes;
}

/* ---- The test ---------------------------------------------------------------------------- */

static double size_of_pair(const struct sizes *sizes, unsigned pair)
{
    return sizes->at[pair * PAIR + PAIR - 1];
}

static double p_from(struct largest *largest, const struct sizes *sizes, unsigned from)
{
    unsigned first = sizes->first / PAIR, count = sizes->count / PAIR;
    double highest = size_of_pair(sizes, first);
    largest->trials = largest->successes = 0;
    for (unsigned pair = first + 1; pair < count; pair++) {
        double size = size_of_pair(sizes, pair);
        largest->trials += pair >= from && size != size_of_pair(sizes, pair - 1);
        largest->successes += pair >= from && size > highest;
        highest = fmax(highest, size);
    }
    return binomial_upper_tail(largest->successes, largest->trials, 0.5);
}

/* ---- Does it go on? ---------------------------------------------------------------------- */

static bool is_mostly_seen(const struct sizes *sizes)
{
    unsigned seen = 0, from = sizes->count / 3;
    for (unsigned step = from; step < sizes->count; step++)
        seen += sizes->is_seen[step];
    return sizes->first < from && seen >= seen_part * (sizes->count - from);
}

static bool has_fallen(const struct sizes *sizes)
{
    double highest = 0, growth = sizes->at[sizes->count - 1] - sizes->at[sizes->count / 3];
    for (unsigned step = FIRST_STEP; step < sizes->count; step++) {
        highest = fmax(highest, sizes->at[step]);
        if (highest - sizes->at[step] > fall * growth)
            return true;
    }
    return sizes->at[sizes->count - 1] < highest;
}

static bool has_slowed(const struct sizes *sizes)
{
    unsigned third = sizes->count / 3;
    double from = sizes->at[third], middle = sizes->at[2 * third],
           end = sizes->at[sizes->count - 1];
    return end - middle < slowed * (middle - from);
}

/* Has it paused at the end as it has not since a third of the run? */
static bool has_stopped(const struct sizes *sizes)
{
    unsigned pause = 0, longest = 0;
    for (unsigned step = sizes->count / 3; step < sizes->count; step++) {
        bool rises = sizes->at[step] > sizes->at[step - 1];
        longest = rises && pause > longest ? pause : longest;
        pause = rises ? 0 : pause + 1;
    }
    return REST * pause >= sizes->count && pause > longest;
}

/* ---- How fast ------------------------------------------------------------------------------ */

static void estimate_growth(struct largest *largest, const struct sizes *sizes,
                            const struct survival_span *span)
{
    double parts[TREND_PARTS_MOST];
    for (unsigned i = 0; i < TREND_PARTS_MOST; i++) {
        unsigned step = (i + 1) * sizes->count / TREND_PARTS_MOST - 1;
        parts[i] = step < sizes->first ? NAN : sizes->at[step];
    }
    struct trend_rate trend = trend_rate(parts, TREND_PARTS_MOST);
    double seconds = (double)sizes->count / TREND_PARTS_MOST * span->step_us * 1e-6;
    unsigned early = sizes->count / TREND_PARTS_MOST - 1;
    largest->from_bytes = sizes->at[early > sizes->first ? early : sizes->first];
    largest->to_bytes = sizes->at[sizes->count - 1];
    largest->growth_bytes = trend.rate / seconds;
    largest->growth_range = (struct estimate_range){.low = fmax(0, trend.range.low / seconds),
                                                    .high = fmax(0, trend.range.high / seconds)};
}

struct largest largest_of(const struct lives_cell *cells, size_t count,
                          const struct survival_span *span, double live_bytes)
{
    struct largest largest = {.p = 1};
    struct sizes sizes = sizes_of(cells, count, span);
    if (sizes.count < SURVIVAL_STEPS_LEAST || !is_mostly_seen(&sizes) ||
        !sizes.is_seen[sizes.count - 1] || sizes.at[sizes.count - 1] < most * live_bytes ||
        has_fallen(&sizes) || has_slowed(&sizes) || has_stopped(&sizes))
        return largest;
    largest.goes_on = true;
    double late_p = p_from(&largest, &sizes, sizes.count / PAIR / 2);
    largest.p = fmin(1, 2 * fmax(late_p, p_from(&largest, &sizes, sizes.count / PAIR / 3)));
    estimate_growth(&largest, &sizes, span);
    return largest;
}
