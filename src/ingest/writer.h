/* The threads that put what came whole into the store.
 *
 * A store takes many profiles in little more time than one, so those that come at the same time share a batch: the first
 * waits a moment for others, if that is worth it to the store (store_patience_us).  One thread makes batches, another
 * sends them: while one is on its way the next is filled.  Each profile is answered after the batch that it was in is stored. */
#ifndef INGEST_WRITER_H
#define INGEST_WRITER_H

#include "ingest/taking.h"

struct ingest_writer;

/* A profile that came whole; all but the results is borrowed until it is done. */
struct ingest_job {
    const struct ingest_request *request;
    const char *content_type; /* NULL: not said */
    const uint8_t *body;
    size_t size;
    struct since_start *since; /* of a target that was fetched, see ingest_take; NULL for others */
    void (*done)(struct ingest_job *job); /* called once, by a thread of the writer's */
    void *context;                        /* for `done` */
    unsigned status;                      /* of HTTP */
    bool is_new;                          /* it was not there before */
    struct heaptap_error error;           /* unless the status is 200 */
    struct ingest_job *next;              /* the writer's */
};

enum heaptap_status ingest_writer_new(struct ingest_writer **writer, struct ingest_taking *taking,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Waits until all that was put is done; nothing more can be put.  NULL allowed. */
void ingest_writer_end(struct ingest_writer *writer);

/* After its end; NULL allowed. */
void ingest_writer_free(struct ingest_writer *writer);

/* False where the writer has ended, or is about to. */
bool ingest_writer_put(struct ingest_writer *writer, struct ingest_job *job);

#endif
