#include "report/blocks/spread.h"

#include <math.h>

/* Neumaier's sum: `lost` is what rounding has taken from `total`. */
struct sum {
    long double total, lost;
};

static void sum_add(struct sum *sum, long double value)
{
    long double total = sum->total + value;
    if (fabsl(sum->total) >= fabsl(value))
        sum->lost += (sum->total - total) + value;
    else
        sum->lost += (value - total) + sum->total;
    sum->total = total;
}

static long double sum_value(const struct sum *sum)
{
    return sum->total + sum->lost;
}

struct spread spread_of(const struct weighted_value *values, size_t count)
{
    struct spread spread = {0};
    struct sum weights = {0}, products = {0}, squares = {0};
    for (size_t i = 0; i < count; i++) {
        if (values[i].weight <= 0)
            continue;
        sum_add(&weights, values[i].weight);
        sum_add(&products, (long double)values[i].weight * (long double)values[i].value);
        if (values[i].value > spread.max)
            spread.max = values[i].value;
    }
    long double total = sum_value(&weights);
    if (!(total > 0))
        return spread;
    long double mean = sum_value(&products) / total;
    for (size_t i = 0; i < count; i++) {
        long double distance = (long double)values[i].value - mean;
        if (values[i].weight > 0)
            sum_add(&squares, (long double)values[i].weight * distance * distance);
    }
    long double variance = sum_value(&squares) / total;
    spread.count = (double)total;
    spread.mean = (double)mean;
    spread.variance = (double)variance;
    spread.standard_deviation = (double)sqrtl(variance);
    return spread;
}
