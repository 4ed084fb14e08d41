/* Series beside which all others are nothing: broken or hostile profiles, mostly. */
#ifndef FLEET_OUTLIER_H
#define FLEET_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OF_ALLOCATED, OF_IN_USE, OF_COUNT };

struct series_sum {
    int64_t series;
    double sums[OF_COUNT]; /* bytes */
};

struct outlier {
    int64_t series; /* the heaviest one */
    size_t count;   /* of such series: half of all at most */
    double bytes;   /* that it has */
    double rest;    /* that all have together which are no such series */
};

/* Those that have OUTLIER_FACTOR times as much as all lighter series together, if these have anything.  Sorts the sums.  False for
 * none. */
enum { OUTLIER_FACTOR = 1000 };
bool outlier_find(struct outlier *outlier, struct series_sum *sums, size_t count, int of);

#endif
