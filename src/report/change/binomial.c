#include "report/change/binomial.h"

#include <math.h>
#include <stdbool.h>

/* The continued fraction of the incomplete beta function, by Lentz's method; -1 where it does not come to an end. */
static double beta_fraction(double a, double b, double x)
{
    enum { STEPS_MAX = 200000 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double result = d;
    for (int m = 1; m < STEPS_MAX; m++) {
        double terms[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                           -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double factor = 1;
        for (int i = 0; i < 2; i++) {
            d = 1 + terms[i] * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + terms[i] / c;
            c = fabs(c) < tiny ? tiny : c;
            factor = c * d;
            result *= factor;
        }
        if (fabs(factor - 1) < 1e-13)
            return result;
    }
    return -1;
}

/* The regularized incomplete beta function; 1 where it can't be found. */
static double incomplete_beta(double a, double b, double x)
{
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    bool is_near = x < (a + 1) / (a + b + 2);
    double fraction = is_near ? beta_fraction(a, b, x) : beta_fraction(b, a, 1 - x);
    if (fraction < 0)
        return 1;
    return is_near ? front * fraction / a : 1 - front * fraction / b;
}

double binomial_upper_tail(double k, double n, double p)
{
    const double spread_of_many = 1e4;
    if (k <= 0 || p >= 1)
        return 1;
    if (k > n || p <= 0)
        return 0;
    double variance = n * p * (1 - p);
    if (variance > spread_of_many)
        return erfc((k - 0.5 - n * p) / sqrt(2 * variance)) / 2;
    double tail = incomplete_beta(k, n - k + 1, p);
    return tail < 0 ? 0 : tail > 1 ? 1 : tail;
}
