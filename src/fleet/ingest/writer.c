#include "fleet/ingest/writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "fleet/ingest/readers.h"

struct ingest_writer {
    struct ingest_taking *taking;
    struct ingest_readers *readers; /* NULL once there is nothing more to come */
    pthread_t taker, sender;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct ingest_jobs queue;
    struct ingest_jobs
        sealed;   /* jobs of the batch that is to be sent, or on its way; empty: there is none */
    bool is_last; /* there will be no other after it */
    bool ends;
};

/* ---- Waiting ------------------------------------------------------------------------- */

/* The next job, waited for until `until`, or, if that is NULL, until there is one.  NULL when there is none, or no more. */
static struct ingest_job *next_job(struct ingest_writer *writer, const struct timespec *until)
{
    int code = 0;
    pthread_mutex_lock(&writer->lock);
    while (!writer->queue.first && !writer->ends && code != ETIMEDOUT)
        code = until ? pthread_cond_timedwait(&writer->changed, &writer->lock, until)
                     : pthread_cond_wait(&writer->changed, &writer->lock);
    struct ingest_job *job = ingest_jobs_pop(&writer->queue);
    pthread_mutex_unlock(&writer->lock);
    return job;
}

/* ---- Batches ------------------------------------------------------------------------- */

/* Adds the job to the batch; one that can't be is done. */
static void take(struct ingest_writer *writer, struct ingest_job *job, struct ingest_jobs *batch)
{
    job->status = ingest_add(writer->taking, job->request, &job->taken, &job->is_new, &job->error);
    ingest_taken_release(&job->taken);
    if (job->status == 200)
        ingest_jobs_push(batch, job);
    else
        job->done(job);
}

static void finish(struct ingest_writer *writer, struct ingest_jobs *batch, unsigned status,
                   const struct heaptap_error *error)
{
    struct ingest_job *job;
    while ((job = ingest_jobs_pop(batch))) {
        job->status = status;
        if (status == 200)
            ingest_count(writer->taking, job->is_new);
        else
            job->error = *error;
        job->done(job);
    }
}

/* Waits until the batch before is stored. */
static void seal(struct ingest_writer *writer, struct ingest_jobs *batch)
{
    struct heaptap_error error;
    pthread_mutex_lock(&writer->lock);
    while (writer->sealed.first)
        pthread_cond_wait(&writer->changed, &writer->lock);
    pthread_mutex_unlock(&writer->lock);
    unsigned status = ingest_seal(writer->taking, &error);
    if (status != 200) {
        finish(writer, batch, status, &error);
        return;
    }
    pthread_mutex_lock(&writer->lock);
    ingest_jobs_move(&writer->sealed, batch);
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
}

static void fill(struct ingest_writer *writer, struct ingest_job *job)
{
    struct ingest_jobs batch;
    struct store *store = writer->taking->store;
    struct timespec until = clock_after(CLOCK_MONOTONIC, store_patience_us(store));
    ingest_jobs_init(&batch);
    job->status = ingest_begin(writer->taking, &job->error);
    if (job->status != 200) {
        ingest_taken_release(&job->taken);
        job->done(job);
        return;
    }
    while (job) {
        take(writer, job, &batch);
        job = store_is_full(store) ? NULL : next_job(writer, &until);
    }
    seal(writer, &batch);
}

static void *take_all(void *context)
{
    struct ingest_writer *writer = context;
    struct ingest_job *job;
    while ((job = next_job(writer, NULL)))
        fill(writer, job);
    pthread_mutex_lock(&writer->lock);
    writer->is_last = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* The jobs stay in the writer until they are stored: that is what says that a batch is on its way. */
static void *send_all(void *context)
{
    struct ingest_writer *writer = context;
    pthread_mutex_lock(&writer->lock);
    while (writer->sealed.first || !writer->is_last) {
        if (!writer->sealed.first) {
            pthread_cond_wait(&writer->changed, &writer->lock);
            continue;
        }
        struct heaptap_error error;
        struct ingest_jobs batch;
        pthread_mutex_unlock(&writer->lock);
        unsigned status = ingest_send(writer->taking, &error);
        pthread_mutex_lock(&writer->lock);
        ingest_jobs_move(&batch, &writer->sealed);
        pthread_cond_broadcast(&writer->changed);
        pthread_mutex_unlock(&writer->lock);
        finish(writer, &batch, status, &error);
        pthread_mutex_lock(&writer->lock);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* ---- The writer ---------------------------------------------------------------------- */

static void ask_to_end(struct ingest_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    writer->ends = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
}

/* By a thread of the readers. */
static void queue_read(void *context, struct ingest_job *job)
{
    struct ingest_writer *writer = context;
    pthread_mutex_lock(&writer->lock);
    ingest_jobs_push(&writer->queue, job);
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
}

static void init_lock(struct ingest_writer *writer)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static enum heaptap_status start(struct ingest_writer *writer, struct heaptap_error *error)
{
    int code = pthread_create(&writer->taker, NULL, take_all, writer);
    if (code == 0 && (code = pthread_create(&writer->sender, NULL, send_all, writer)) != 0) {
        ask_to_end(writer);
        pthread_join(writer->taker, NULL);
    }
    if (code == 0)
        return HEAPTAP_OK;
    errno = code;
    return error_system(error, "cannot start a thread");
}

enum heaptap_status ingest_writer_new(struct ingest_writer **made, struct ingest_taking *taking,
                                      struct heaptap_error *error)
{
    struct ingest_writer *writer = *made = calloc(1, sizeof *writer);
    if (!writer)
        return error_no_memory(error);
    writer->taking = taking;
    ingest_jobs_init(&writer->queue);
    ingest_jobs_init(&writer->sealed);
    init_lock(writer);
    enum heaptap_status status =
        ingest_readers_new(&writer->readers, taking, queue_read, writer, error);
    if (status == HEAPTAP_OK)
        status = start(writer, error);
    if (status == HEAPTAP_OK)
        return HEAPTAP_OK;
    ingest_readers_free(writer->readers);
    ingest_writer_free(writer);
    *made = NULL;
    return status;
}

/* Those that are being read are put into the store, too. */
void ingest_writer_end(struct ingest_writer *writer)
{
    if (!writer)
        return;
    pthread_mutex_lock(&writer->lock);
    struct ingest_readers *readers = writer->readers;
    writer->readers = NULL;
    pthread_mutex_unlock(&writer->lock);
    ingest_readers_free(readers);
    ask_to_end(writer);
    pthread_join(writer->taker, NULL);
    pthread_join(writer->sender, NULL);
}

void ingest_writer_free(struct ingest_writer *writer)
{
    if (!writer)
        return;
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}

bool ingest_writer_put(struct ingest_writer *writer, struct ingest_job *job)
{
    pthread_mutex_lock(&writer->lock);
    bool takes = writer->readers != NULL;
    if (takes)
        ingest_readers_put(writer->readers, job);
    pthread_mutex_unlock(&writer->lock);
    return takes;
}
