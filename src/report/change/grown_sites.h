/* Which sites of a program have a larger share of what it allocates than before, by more than the chance of sampling.
 *
 * Figures are sums over samples, with their variances.  A site of value v and variance V has about v^2 / V samples' worth of
 * evidence, each of weight V / v.  If its share is the same in two versions, each of its samples falls into the new one with
 * the same probability r, which follows from what all other sites have in both: so of n samples in both, how many are in the
 * new one is binomial, and p is the probability of at least as many as there are.  Where a site had none before, that holds, too.
 *
 * What the other sites have is sampled as well, and so r is off.  Where S is the sum of the relative variances of theirs in both
 * versions, the variance of the number in the new one is n r (1 - r) (1 + n r (1 - r) S), to first order: samples count as if there
 * were fewer by the factor in brackets.  That is near 1 for a site of few samples among many.  Where blocks are counted, it can be
 * large: a few samples of small blocks, each of which stands for many, may be most of the total.
 *
 * Many sites are looked at at once, and one in a hundred has a p of 1 % by chance.  So p is multiplied as Holm does it, the
 * smallest by the number of sites, the next by one less, and so on: if those below a rate are reported, the probability
 * that any site is reported whose share is not larger is at most that rate, whatever the number of sites.
 *
 * A side that counts everything has no variance: then each byte (or block) is evidence of its own. */
#ifndef REPORT_CHANGE_GROWN_SITES_H
#define REPORT_CHANGE_GROWN_SITES_H

#include <stdint.h>

#include "report/change/change_test.h"

struct site_change {
    const char *function, *file; /* borrowed */
    uint32_t line;               /* that has most; 0 where none is known */
    struct site_sum base, new;
    double p;        /* of a share that is not larger */
    double adjusted; /* the same over all sites */
};

/* Sets p and adjusted, and sorts: the smallest p first, of equal ones what grew most. */
void regressions_find(struct site_change *sites, size_t count, const struct site_sum *base,
                      const struct site_sum *new);

#endif
