#include "report/sites/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum { PAIRS_MOST = TREND_PARTS_MOST * (TREND_PARTS_MOST - 1) / 2 };

/* The probability that so many or fewer pairs of `count` are in the wrong order, where all orders are as likely: by adding one
 * part after the other, which comes before 0 to all of those that are there. */
static double order_tail(size_t count, size_t wrong)
{
    double chance[PAIRS_MOST + 1] = {1}, tail = 0;
    for (size_t n = 2; n <= count; n++) {
        double next[PAIRS_MOST + 1] = {0};
        for (size_t pairs = 0; pairs <= n * (n - 1) / 2; pairs++)
            for (size_t before = 0; before < n && before <= pairs; before++)
                next[pairs] += chance[pairs - before] / (double)n;
        memcpy(chance, next, sizeof chance);
    }
    for (size_t pairs = 0; pairs <= wrong && pairs <= PAIRS_MOST; pairs++)
        tail += chance[pairs];
    return fmin(tail, 1);
}

/* The parts that are there; their slots in `at`, NULL allowed. */
static size_t present(const double *parts, size_t count, double *values, double *at)
{
    size_t found = 0;
    for (size_t i = 0; i < count && found < TREND_PARTS_MOST; i++)
        if (!isnan(parts[i])) {
            values[found] = parts[i];
            if (at)
                at[found] = (double)i;
            found++;
        }
    return found;
}

double trend_p(const double *parts, size_t count)
{
    double values[TREND_PARTS_MOST];
    size_t found = present(parts, count, values, NULL), pairs = found * (found - 1) / 2;
    long s = 0;
    if (found < TREND_PARTS_LEAST)
        return 1;
    for (size_t i = 0; i < found; i++)
        for (size_t k = i + 1; k < found; k++)
            s += (values[k] > values[i]) - (values[k] < values[i]);
    return order_tail(found, (size_t)(((long)pairs - s) / 2));
}

static double mean(const double *values, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += values[i];
    return sum / (double)(to - from);
}

bool trend_goes_on(const double *parts, size_t count)
{
    double values[TREND_PARTS_MOST];
    size_t found = present(parts, count, values, NULL), quarter = found / 4;
    if (found < TREND_PARTS_LEAST)
        return false;
    double second = mean(values, quarter, 2 * quarter),
           third = mean(values, 2 * quarter, 3 * quarter),
           last = mean(values, found - quarter, found);
    double at_end = mean(values, found - 2, found), before = mean(values, found - 4, found - 2);
    return last - third > (third - second) / 2 && last > third && at_end > before;
}

struct trend_rate trend_rate(const double *parts, size_t count)
{
    double values[TREND_PARTS_MOST], at[TREND_PARTS_MOST], slopes[PAIRS_MOST];
    size_t found = present(parts, count, values, at), from = found / 2, pairs = 0;
    for (size_t i = from; i < found; i++)
        for (size_t k = i + 1; k < found; k++)
            slopes[pairs++] = (values[k] - values[i]) / (at[k] - at[i]);
    if (pairs == 0)
        return (struct trend_rate){.rate = 0};
    qsort(slopes, pairs, sizeof *slopes, order_doubles);
    double n = (double)(found - from), spread = 1.96 * sqrt(n * (n - 1) * (2 * n + 5) / 18);
    long low = (long)floor(((double)pairs - spread) / 2),
         high = (long)ceil(((double)pairs + spread) / 2);
    return (struct trend_rate){
        .rate = (slopes[(pairs - 1) / 2] + slopes[pairs / 2]) / 2,
        .range = {.low = slopes[low > 0 ? low : 0],
                  .high = slopes[high < (long)pairs ? high : (long)pairs - 1]}};
}
