/* The binomial distribution. */
#ifndef REPORT_CHANGE_BINOMIAL_H
#define REPORT_CHANGE_BINOMIAL_H

/* The probability of `k` or more of `n` trials that each succeed with probability `p`. */
double binomial_upper_tail(double k, double n, double p);

#endif
