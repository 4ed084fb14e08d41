/* Which sets of labels a store got profiles of in the last days, to bound how many there are: what was not seen for
 * STORE_RECENT_DAYS leaves its place to others. */
#ifndef STORE_RECENT_SERIES_H
#define STORE_RECENT_SERIES_H

#include "base/map.h"
#include "base/text.h"
#include "store/labels.h"
#include "store/store.h"

/* Zeroed, nothing is known.  Others may add to the store, so that it is asked again from time to time. */
struct recent_series {
    struct map ids;   /* hashes of labels */
    int64_t asked_us; /* of a clock that never steps back; 0: never */
};

void recent_series_release(struct recent_series *recent);

/* Is the set of labels one of them, and how many are there? */
enum heaptap_status recent_series_count(struct store *store, const struct store_labels *labels,
                                        size_t *count, bool *is_one,
                                        struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* A profile was added. */
void recent_series_note(struct recent_series *recent, const struct store_upload *upload);

#endif
