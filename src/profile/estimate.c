/* Samples are few events of many trials, so that their numbers are Poisson's, and an estimate is a weighted sum of them.
 * The bounds are the mid-p gamma interval of M. P. Fay and S. Kim, "Confidence intervals for directly standardized rates
 * using mid-p gamma intervals", Biometrical Journal 59 (2017), which goes back to Fay and Feuer (1997): of a sum y with
 * variance v, the lower bound's distribution is a gamma of mean y and variance v, the upper one's a gamma of mean y + w and
 * variance v + w^2, w being the heaviest weight; bounds are quantiles of both mixed in equal parts.  With equal weights
 * that is the exact mid-p interval of a Poisson number.  A word has one sample at most: so variances shrink by 1 - lambda,
 * to nothing where every word is sampled. */
#include "profile/estimate.h"

static const double tail = 0.025;

/* The two halves of a peak are not quite independent where several times compete: each is judged at a time that was chosen by
 * the other.  So much greater than Poisson's was the variance of their sum in simulations of plateaus and of equal teeth
 * (bench/simulate_peaks.c). */
static const double chosen_spread = 1.3;

/* Of large shapes by Wilson and Hilferty's cube root, which is normal. */
static double gamma_below_large(double shape, double x)
{
    double root = cbrt(x / shape) - 1 + 1 / (9 * shape);
    return 0.5 * erfc(-root * 3 * sqrt(shape) / sqrt(2));
}

static double gamma_below_series(double shape, double x)
{
    double term = 1 / shape, sum = term;
    for (double n = shape + 1; term > sum * 1e-13; n++)
        sum += term *= x / n;
    return sum;
}

/* Lentz's continued fraction, for x beyond shape + 1. */
static double gamma_above_fraction(double shape, double x)
{
    double b = x + 1 - shape, c = 1e300, d = 1 / b, product = d, factor = 0;
    for (int i = 1; i < 10000 && fabs(factor - 1) > 1e-13; i++) {
        double a = -i * (i - shape);
        b += 2;
        d = 1 / (a * d + b);
        c = b + a / c;
        product *= factor = d * c;
    }
    return product;
}

/* The probability that a gamma of scale 1 is below x. */
static double gamma_below(double shape, double x)
{
    int sign;
    if (x <= 0)
        return 0;
    if (shape <= 0)
        return 1;
    if (shape > 1000)
        return gamma_below_large(shape, x);
    double front = exp(shape * log(x) - x - lgamma_r(shape, &sign));
    return x < shape + 1 ? front * gamma_below_series(shape, x)
                         : 1 - front * gamma_above_fraction(shape, x);
}

struct moments {
    double mean, variance;
};

static double moments_below(const struct moments *moments, double x)
{
    if (moments->variance <= 0)
        return x >= moments->mean;
    double scale = moments->variance / moments->mean;
    return gamma_below(moments->mean / scale, x / scale);
}

static double mixed_quantile(const struct moments *low, const struct moments *high, double part)
{
    double least = 0, most = high->mean + 40 * sqrt(high->variance);
    for (int i = 0; i < 60; i++) {
        double middle = (least + most) / 2;
        bool is_below = (moments_below(low, middle) + moments_below(high, middle)) / 2 < part;
        *(is_below ? &least : &most) = middle;
    }
    return (least + most) / 2;
}

struct estimate_range estimate_range(const struct estimate_sum *sum, double sample_rate)
{
    double left = 1 - sample_rate, heaviest = sum->heaviest * left;
    if (left <= 0)
        return (struct estimate_range){sum->value, sum->value, false};
    struct moments low = {sum->value, sum->squares * left};
    struct moments high = {sum->value + heaviest, sum->squares * left + heaviest * sum->heaviest};
    double lower = sum->samples > 0 ? mixed_quantile(&low, &high, tail) : 0;
    double upper = mixed_quantile(&low, &high, 1 - tail);
    return (struct estimate_range){fmax(lower, sum->least), fmax(upper, sum->least),
                                   sum->samples < ESTIMATE_ENOUGH};
}

struct estimate_range estimate_peak_sum_range(const struct estimate_sum *chosen,
                                              const struct estimate_sum *top, double sample_rate)
{
    struct estimate_sum wider = *chosen;
    wider.squares *= chosen_spread;
    struct estimate_range range = estimate_range(&wider, sample_rate);
    range.high = estimate_range(top, sample_rate).high;
    range.low = range.is_few ? 0 : range.low;
    return range;
}

struct estimate_range estimate_peak_range(const struct estimate *estimate, double samples,
                                          double highest)
{
    struct estimate_sum chosen = estimate_bytes_sum(estimate, samples),
                        top = estimate_bytes_sum(estimate, highest);
    return estimate_peak_sum_range(&chosen, &top, estimate->sample_rate);
}

/* Of two errors that have nothing to do with each other.  (hypot would ask for glibc 2.35.) */
static double together(double a, double b)
{
    return sqrt(a * a + b * b);
}

struct estimate_range estimate_difference_range(double a, const struct estimate_range *of_a,
                                                double factor, double b,
                                                const struct estimate_range *of_b)
{
    double least_a = fmax(a, of_a->low), least_b = fmax(b, of_b->low); /* what was seen is there */
    return (struct estimate_range){
        least_a - factor * b - together(least_a - of_a->low, factor * (of_b->high - b)),
        a - factor * least_b + together(of_a->high - a, factor * (least_b - of_b->low)),
        of_a->is_few || (factor != 0 && of_b->is_few),
    };
}
