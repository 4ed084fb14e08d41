#include "ingest/writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"

/* Jobs in the order in which they came. */
struct queue {
    struct ingest_job *first, **last;
};

struct ingest_writer {
    struct ingest_taking *taking;
    pthread_t taker, sender;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct queue queue;
    struct queue
        sealed;   /* jobs of the batch that is to be sent, or on its way; empty: there is none */
    bool is_last; /* there will be no other after it */
    bool ends;
};

static void push(struct queue *queue, struct ingest_job *job)
{
    job->next = NULL;
    *queue->last = job;
    queue->last = &job->next;
}

static struct ingest_job *pop(struct queue *queue)
{
    struct ingest_job *job = queue->first;
    if (job && !(queue->first = job->next))
        queue->last = &queue->first;
    return job;
}

/* ---- Waiting ------------------------------------------------------------------------- */

static struct timespec after(int64_t us)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t ns = time.tv_nsec + us * 1000;
    time.tv_sec += ns / 1000000000;
    time.tv_nsec = ns % 1000000000;
    return time;
}

/* The next job, waited for until `until`, or, if that is NULL, until there is one.  NULL when there is none, or no more. */
static struct ingest_job *next_job(struct ingest_writer *writer, const struct timespec *until)
{
    int code = 0;
    pthread_mutex_lock(&writer->lock);
    while (!writer->queue.first && !writer->ends && code != ETIMEDOUT)
        code = until ? pthread_cond_timedwait(&writer->changed, &writer->lock, until)
                     : pthread_cond_wait(&writer->changed, &writer->lock);
    struct ingest_job *job = pop(&writer->queue);
    pthread_mutex_unlock(&writer->lock);
    return job;
}

/* ---- Batches ------------------------------------------------------------------------- */

/* Adds the job to the batch; one that can't be is done. */
static void take(struct ingest_writer *writer, struct ingest_job *job, struct queue *batch)
{
    job->status = ingest_take(writer->taking, job->request, job->content_type, job->body, job->size,
                              job->since, &job->is_new, &job->error);
    if (job->status == 200)
        push(batch, job);
    else
        job->done(job);
}

static void finish(struct ingest_writer *writer, struct queue *batch, unsigned status,
                   const struct heaptap_error *error)
{
    struct ingest_job *job;
    while ((job = pop(batch))) {
        job->status = status;
        if (status == 200)
            ingest_count(writer->taking, job->is_new);
        else
            job->error = *error;
        job->done(job);
    }
}

static void move(struct queue *to, struct queue *from)
{
    *to = *from;
    if (to->first)
        from->first = NULL;
    else
        to->last = &to->first;
    from->last = &from->first;
}

/* Waits until the batch before is stored. */
static void seal(struct ingest_writer *writer, struct queue *batch)
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
    move(&writer->sealed, batch);
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
}

static void fill(struct ingest_writer *writer, struct ingest_job *job)
{
    struct queue batch = {.last = &batch.first};
    struct store *store = writer->taking->store;
    struct timespec until = after(store_patience_us(store));
    job->status = ingest_begin(writer->taking, &job->error);
    if (job->status != 200) {
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
        struct queue batch;
        pthread_mutex_unlock(&writer->lock);
        unsigned status = ingest_send(writer->taking, &error);
        pthread_mutex_lock(&writer->lock);
        move(&batch, &writer->sealed);
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

enum heaptap_status ingest_writer_new(struct ingest_writer **made, struct ingest_taking *taking,
                                      struct heaptap_error *error)
{
    struct ingest_writer *writer = *made = calloc(1, sizeof *writer);
    pthread_condattr_t attributes;
    if (!writer)
        return error_no_memory(error);
    writer->taking = taking;
    writer->queue.last = &writer->queue.first;
    writer->sealed.last = &writer->sealed.first;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    int code = pthread_create(&writer->taker, NULL, take_all, writer);
    if (code == 0 && (code = pthread_create(&writer->sender, NULL, send_all, writer)) != 0) {
        ask_to_end(writer);
        pthread_join(writer->taker, NULL);
    }
    if (code == 0)
        return HEAPTAP_OK;
    ingest_writer_free(writer);
    *made = NULL;
    errno = code;
    return error_system(error, "cannot start a thread");
}

void ingest_writer_end(struct ingest_writer *writer)
{
    if (!writer)
        return;
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
    bool ends = writer->ends;
    if (!ends)
        push(&writer->queue, job);
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    return !ends;
}
