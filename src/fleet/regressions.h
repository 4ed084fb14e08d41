/* The sites of the report `regressions`, made of two choices of a store's profiles. */
#ifndef FLEET_REGRESSIONS_H
#define FLEET_REGRESSIONS_H

#include "report/change/regressions.h"
#include "store/store.h"

/* Two choices, while they are compared; begin with {0}. */
struct fleet_comparison {
    struct store_sites sides[2]; /* base, new */
    struct site_change *sites;   /* their names are the sides' */
    size_t count;
};

/* Reads what a side has of the question's sample type: 0 for the base, 1 for the new one. */
enum heaptap_status fleet_regressions_read(struct fleet_comparison *comparison, int side,
                                           const struct question *question, struct store *store,
                                           const struct store_selector *selector,
                                           struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Tests the sites of both, which `regressions` borrows until the release.  False when there is no memory. */
bool fleet_regressions_find(struct regressions *regressions, struct fleet_comparison *comparison,
                            const struct question *question);

/* At any time. */
void fleet_regressions_release(struct fleet_comparison *comparison);

#endif
