/* The binomial distribution. */
#ifndef ANALYZE_BINOMIAL_H
#define ANALYZE_BINOMIAL_H

/* The probability of `k` or more of `n` trials that each succeed with probability `p`. */
double binomial_upper_tail(double k, double n, double p);

#endif
