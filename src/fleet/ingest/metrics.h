/* What the server has done, as Prometheus reads it. */
#ifndef FLEET_INGEST_METRICS_H
#define FLEET_INGEST_METRICS_H

#include "base/text.h"

enum { METRICS_STATUSES = 16 };

/* Zeroed, nothing was done yet. */
struct ingest_metrics {
    uint64_t added, repeated;
    uint64_t scraped, unscraped; /* targets that gave a profile which was stored, or did not */
    uint64_t bytes;              /* of bodies that came whole */
    double add_seconds;          /* reading profiles and putting them into the store */
    struct metrics_refused {
        unsigned status; /* of HTTP; 0 ends the list */
        uint64_t count;
    } refused[METRICS_STATUSES];
    uint64_t series; /* in the store, as last seen */
};

void ingest_metrics_refuse(struct ingest_metrics *metrics, unsigned status);

/* The text of GET /metrics. */
void ingest_metrics_put(const struct ingest_metrics *metrics, struct text *text);

#endif
