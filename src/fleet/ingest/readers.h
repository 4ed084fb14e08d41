/* The threads that make models of the profiles that came, so that what one sender sends is no wait for the others: it is done
 * before the one thread that puts profiles into the store (writer.h) sees them, and what takes long has a thread of its own.
 *
 * Each profile is unpacked up to INGEST_LIGHT_BYTES.  One that has more is left to the thread of heavy ones, which takes them
 * one by one.  What a light one can cost is bounded: accepted.h. */
#ifndef FLEET_INGEST_READERS_H
#define FLEET_INGEST_READERS_H

#include "fleet/ingest/jobs.h"

struct ingest_readers;

/* `give` gets each job whose body was read, in no order; the others are done. */
enum heaptap_status ingest_readers_new(struct ingest_readers **readers,
                                       struct ingest_taking *taking,
                                       void (*give)(void *context, struct ingest_job *job),
                                       void *context,
                                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Waits until all that was put is read, and frees them.  NULL allowed. */
void ingest_readers_free(struct ingest_readers *readers);

void ingest_readers_put(struct ingest_readers *readers, struct ingest_job *job);

#endif
