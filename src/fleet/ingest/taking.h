/* Taking a profile that has come whole: the limits, the body, the store.  What the server does, without its sockets.  All
 * functions give a status of HTTP; unless it is 200, with a sentence. */
#ifndef FLEET_INGEST_TAKING_H
#define FLEET_INGEST_TAKING_H

#include <pthread.h>

#include "fleet/ingest/body.h"
#include "fleet/ingest/health.h"
#include "fleet/ingest/accepted.h"
#include "fleet/ingest/metrics.h"
#include "fleet/ingest/request.h"
#include "store/store.h"

struct ingest_symbols;

/* One thread admits, others read (readers.h), another adds, a last one sends (writer.h). */
struct ingest_taking {
    struct store *store;
    struct ingest_symbols *symbols; /* NULL: addresses stay what they are */
    struct health *health;          /* records whether the store can be reached; NULL: not needed */
    struct ingest_limits limits;
    pthread_mutex_t lock; /* of the metrics */
    struct ingest_metrics metrics;
    double tokens;      /* profiles that may come now; grows with time */
    int64_t counted_us; /* when that was so, of a clock that never steps back */
};

/* Whether one more profile of `size` bytes may come now. */
unsigned ingest_admit(struct ingest_taking *taking, size_t size, struct heaptap_error *error);

/* As store_begin, store_seal and store_send. */
unsigned ingest_begin(struct ingest_taking *taking, struct heaptap_error *error);
unsigned ingest_seal(struct ingest_taking *taking, struct heaptap_error *error);
unsigned ingest_send(struct ingest_taking *taking, struct heaptap_error *error);

/* A profile whose body has been read. */
struct ingest_taken {
    struct ingest_body body;
    bool has_interval;
};

/* Reads a body that may have `most` bytes, unpacked; by any thread.  One that was fetched (`since` is not NULL) and says of no interval
 * counts from its program's start. */
struct since_start;
unsigned ingest_read(struct ingest_taking *taking, const uint8_t *body, size_t size, size_t most,
                     struct since_start *since, struct ingest_taken *taken,
                     struct heaptap_error *error);

/* After a status of 200. */
void ingest_taken_release(struct ingest_taken *taken);

/* Adds it to the batch.  `*is_new` is set by ingest_send. */
unsigned ingest_add(struct ingest_taking *taking, const struct ingest_request *request,
                    const struct ingest_taken *taken, bool *is_new, struct heaptap_error *error);

/* Counts a profile that is stored, or a request that was refused. */
void ingest_count(struct ingest_taking *taking, bool is_new);
void ingest_count_refused(struct ingest_taking *taking, unsigned status);
void ingest_count_scrape(struct ingest_taking *taking, bool is_stored);

/* The metrics as text; false when there is no memory. */
bool ingest_put_metrics(struct ingest_taking *taking, struct text *text);

#endif
