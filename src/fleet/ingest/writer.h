/* The threads that put what came whole into the store, after others have read it (readers.h).
 *
 * A store takes many profiles in little more time than one, so those that come at the same time share a batch: the first
 * waits a moment for others, if that is worth it to the store (store_patience_us).  One thread makes batches, another
 * sends them: while one is on its way the next is filled.  Each profile is answered after the batch that it was in is stored. */
#ifndef FLEET_INGEST_WRITER_H
#define FLEET_INGEST_WRITER_H

#include "fleet/ingest/jobs.h"

struct ingest_writer;

enum heaptap_status ingest_writer_new(struct ingest_writer **writer, struct ingest_taking *taking,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Waits until all that was put is done; nothing more can be put.  NULL allowed. */
void ingest_writer_end(struct ingest_writer *writer);

/* After its end; NULL allowed. */
void ingest_writer_free(struct ingest_writer *writer);

/* False where the writer has ended, or is about to. */
bool ingest_writer_put(struct ingest_writer *writer, struct ingest_job *job);

#endif
