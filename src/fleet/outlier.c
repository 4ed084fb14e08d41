#include "fleet/outlier.h"

#include <math.h>
#include <stdlib.h>

static int by_weight(const void *left, const void *right, void *context)
{
    const struct series_sum *a = left, *b = right;
    int of = *(const int *)context;
    double one = fabs(a->sums[of]), other = fabs(b->sums[of]);
    return one != other ? (one < other) - (one > other)
                        : (a->series > b->series) - (a->series < b->series);
}

bool outlier_find(struct outlier *outlier, struct series_sum *sums, size_t count, int of)
{
    double rest = 0;
    if (count > 0)
        qsort_r(sums, count, sizeof *sums, by_weight, &of);
    for (size_t heavy = count; heavy-- > 1;) {
        rest += fabs(sums[heavy].sums[of]);
        if (heavy <= count / 2 && rest > 0 &&
            fabs(sums[heavy - 1].sums[of]) >= OUTLIER_FACTOR * rest) {
            *outlier = (struct outlier){sums[0].series, heavy, sums[0].sums[of], rest};
            return true;
        }
    }
    return false;
}
