/* Profiles that came whole, in the order in which they came. */
#ifndef FLEET_INGEST_JOBS_H
#define FLEET_INGEST_JOBS_H

#include "fleet/ingest/taking.h"

/* All but the results is borrowed until it is done. */
struct ingest_job {
    const struct ingest_request *request;
    const uint8_t *body;
    size_t size;
    struct since_start *since; /* of a target that was fetched, see ingest_read; NULL for others */
    void (*done)(struct ingest_job *job); /* called once, by a thread of the writer's */
    void *context;                        /* for `done` */
    unsigned status;                      /* of HTTP */
    bool is_new;                          /* it was not there before */
    struct heaptap_error error;           /* unless the status is 200 */
    struct ingest_taken taken;            /* what was read of the body */
    struct ingest_job *next;              /* in its queue */
};

struct ingest_jobs {
    struct ingest_job *first, **last;
};

void ingest_jobs_init(struct ingest_jobs *jobs);
void ingest_jobs_push(struct ingest_jobs *jobs, struct ingest_job *job);

/* NULL where there is none. */
struct ingest_job *ingest_jobs_pop(struct ingest_jobs *jobs);

/* Moves all to `to`, which has none. */
void ingest_jobs_move(struct ingest_jobs *to, struct ingest_jobs *from);

#endif
