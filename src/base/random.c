#include "base/random.h"

#include <math.h>

static const double exact_mean_max = 1e6;

/* Standard normal, by Box and Muller. */
static double normal(struct random *random)
{
    const double pi = 3.14159265358979323846;
    double radius = sqrt(-2 * log(random_unit(random)));
    return radius * cos(2 * pi * random_unit(random));
}

/* From success to success by geometric gaps. */
static uint64_t count_gaps(struct random *random, uint64_t n, double p)
{
    double log_failure = log1p(-p);
    uint64_t successes = 0;
    double position = 0;
    for (;;) {
        position += 1 + floor(log(random_unit(random)) / log_failure);
        if (position > (double)n)
            return successes;
        successes++;
    }
}

uint64_t random_binomial(struct random *random, uint64_t n, double p)
{
    double mean = (double)n * p;
    if (p >= 1)
        return n;
    if (mean < exact_mean_max)
        return count_gaps(random, n, p);
    double drawn = round(mean + normal(random) * sqrt(mean * (1 - p)));
    return drawn <= 0 ? 0 : drawn >= (double)n ? n : (uint64_t)drawn;
}
