/* Binomial variates in constant time: how many words of a huge block are samples.
 *
 * 1. p > 1/2 is turned round: the failures are counted.  1 - p is exact then.
 *
 * 2. Few successes expected, n p < 10: geometric gaps are drawn until n trials are used up.
 *
 * 3. Otherwise transformed rejection with squeeze (W. Hörmann, "The generation of binomial random
 * variates", J. Stat. Comput. Simul. 46, 1993; algorithm BTRS).  A uniform u in (-1/2, 1/2) is sent
 * through x(u) = (2a / (1/2 - |u|) + b) u
 * + c, whose derivative follows the shape of the binomial density; k = floor x(u) is proposed, and
 * accepted if v <= f(k) x'(u) / (alpha f(m)), where f is the probability of k, m the mode, and
 * alpha large enough that the bound dominates for n p >= 10.  In a box in the middle, which has
 * most of the probability, the right side is known to exceed a constant, and nothing need be
 * computed.  About 1.2 proposals are made for each variate.
 *
 * 4. f(k) / f(m).  The usual formula with factorials takes the difference of terms as large as n;
 * at n = 2^40 their rounding errors would spoil the acceptance in the fourth digit.  So the
 * saddle-point form is used (C. Loader, "Fast and accurate computation of binomial probabilities",
 * 2000):
 *
 *     log f(k) = S(n) - S(k) - S(n - k) - D(k, n p) - D(n - k, n q) - 1/2 log(2 pi k (n - k) / n),
 *
 * S being the error of Stirling's formula and D(x, m) = x log(x / m) + m - x the deviance, of which
 * all is small where the probability is not.  D is computed without cancellation by a series in (x
 * - m) / (x + m).  What remains is the rounding of n p, one part in 2^53 of the mean: no more than
 * the rounding of p itself. */
#include "tap/engine/logarithm.h"
#include "tap/engine/sampler.h"

/* log n! less Stirling's log(sqrt(2 pi n) (n / e)^n), for integral n >= 1. */
static double stirling_error(double n)
{
    if (n < 16) {
        double factorial = 1;
        for (double i = 2; i <= n; i++)
            factorial *= i;
        return natural_log(factorial) - 0.5 * natural_log(6.283185307179586 * n) -
               n * natural_log(n) + n;
    }
    double z = 1 / (n * n);
    return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / n;
}

/* x log(x / m) + m - x. */
static double deviance(double x, double m)
{
    double d = (x - m) / (x + m);
    if (d > 0.1 || d < -0.1)
        return x * natural_log(x / m) + m - x;
    double z = d * d, tail = 0;
    for (int i = 17; i >= 3; i -= 2)
        tail = (tail + 1.0 / i) * z;
    return (x - m) * d + 2 * x * d * tail;
}

double binomial_log_probability(double n, double p, double k)
{
    if (k == 0)
        return n * natural_log_1m(p);
    if (k == n)
        return n * natural_log(p);
    return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
           deviance(n - k, n * (1 - p)) - 0.5 * natural_log(6.283185307179586 * k * ((n - k) / n));
}

/* By gaps; for small n p. */
static uint64_t count_gaps(struct generator *generator, uint64_t n, double p)
{
    double scale = -1 / natural_log_1m(p);
    uint64_t count = 0;
    for (;;) {
        double gap = -natural_log(generator_uniform(generator)) * scale;
        if (gap >= (double)n)
            return count;
        uint64_t used = (uint64_t)gap + 1;
        if (used > n)
            return count;
        n -= used;
        count++;
    }
}

/* n p >= 10, p <= 1/2. */
static uint64_t transformed_rejection(struct generator *generator, double n, double p)
{
    double sigma = square_root(n * p * (1 - p));
    double b = 1.15 + 2.53 * sigma;
    double a = -0.0873 + 0.0248 * b + 0.01 * p;
    double center = n * p + 0.5;
    double alpha = (2.83 + 5.1 / b) * sigma;
    double box = 0.92 - 4.2 / b;
    double log_mode = 0;
    for (;;) {
        double u = generator_uniform(generator) - 0.5;
        double v = generator_uniform(generator);
        double edge = 0.5 - (u < 0 ? -u : u);
        double x = (2 * a / edge + b) * u + center;
        if (x < 0 || x >= n + 1)
            continue;
        uint64_t k = (uint64_t)x;
        if (edge >= 0.07 && v <= box)
            return k;
        if (log_mode == 0)
            log_mode = binomial_log_probability(n, p, (double)(uint64_t)((n + 1) * p));
        if (natural_log(v * alpha / (a / (edge * edge) + b)) <=
            binomial_log_probability(n, p, (double)k) - log_mode)
            return k;
    }
}

uint64_t binomial_draw(struct generator *generator, uint64_t n, double p)
{
    if (p > 0.5)
        return n - binomial_draw(generator, n, 1 - p);
    if (p <= 0)
        return 0;
    if ((double)n * p < 10)
        return count_gaps(generator, n, p);
    return transformed_rejection(generator, (double)n, p);
}
