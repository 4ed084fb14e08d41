#include "fleet/ingest/readers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

enum { LIGHT_LEAST = 2, LIGHT_MOST = 8 };

struct ingest_readers {
    struct ingest_taking *taking;
    void (*give)(void *context, struct ingest_job *job);
    void *context;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct ingest_jobs light, heavy;
    size_t at_work; /* threads that have a light one, which may turn out to be heavy */
    bool ends;
    pthread_t threads[LIGHT_MOST + 1];
    size_t count;
};

/* ---- One profile --------------------------------------------------------------------- */

static void finish(struct ingest_readers *readers, struct ingest_job *job)
{
    if (job->status == 200)
        readers->give(readers->context, job);
    else
        job->done(job);
}

/* False where it is a heavy one, of which nothing is kept. */
static bool read_job(const struct ingest_readers *readers, struct ingest_job *job, size_t most)
{
    job->status = ingest_read(readers->taking, job->body, job->size, most, job->since, &job->taken,
                              &job->error);
    return job->status == 200 || !job->taken.body.is_larger ||
           most >= readers->taking->limits.unpacked_bytes;
}

/* ---- The threads --------------------------------------------------------------------- */

static void *read_light(void *context)
{
    struct ingest_readers *readers = context;
    size_t unpacked = readers->taking->limits.unpacked_bytes;
    size_t most = unpacked < INGEST_LIGHT_BYTES ? unpacked : INGEST_LIGHT_BYTES;
    pthread_mutex_lock(&readers->lock);
    for (;;) {
        struct ingest_job *job = ingest_jobs_pop(&readers->light);
        if (!job && readers->ends)
            break;
        if (!job) {
            pthread_cond_wait(&readers->changed, &readers->lock);
            continue;
        }
        readers->at_work++;
        pthread_mutex_unlock(&readers->lock);
        bool is_read = read_job(readers, job, most);
        if (is_read)
            finish(readers, job);
        pthread_mutex_lock(&readers->lock);
        if (!is_read)
            ingest_jobs_push(&readers->heavy, job);
        readers->at_work--;
        pthread_cond_broadcast(&readers->changed);
    }
    pthread_mutex_unlock(&readers->lock);
    return NULL;
}

static void *read_heavy(void *context)
{
    struct ingest_readers *readers = context;
    pthread_mutex_lock(&readers->lock);
    for (;;) {
        struct ingest_job *job = ingest_jobs_pop(&readers->heavy);
        if (!job && readers->ends && !readers->light.first && readers->at_work == 0)
            break;
        if (!job) {
            pthread_cond_wait(&readers->changed, &readers->lock);
            continue;
        }
        pthread_mutex_unlock(&readers->lock);
        read_job(readers, job, readers->taking->limits.unpacked_bytes);
        finish(readers, job);
        pthread_mutex_lock(&readers->lock);
    }
    pthread_mutex_unlock(&readers->lock);
    return NULL;
}

/* ---- All of them --------------------------------------------------------------------- */

static size_t light_count(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < LIGHT_LEAST  ? LIGHT_LEAST
           : processors > LIGHT_MOST ? LIGHT_MOST
                                     : (size_t)processors;
}

enum heaptap_status ingest_readers_new(struct ingest_readers **made, struct ingest_taking *taking,
                                       void (*give)(void *context, struct ingest_job *job),
                                       void *context, struct heaptap_error *error)
{
    struct ingest_readers *readers = *made = calloc(1, sizeof *readers);
    if (!readers)
        return error_no_memory(error);
    readers->taking = taking;
    readers->give = give;
    readers->context = context;
    ingest_jobs_init(&readers->light);
    ingest_jobs_init(&readers->heavy);
    pthread_mutex_init(&readers->lock, NULL);
    pthread_cond_init(&readers->changed, NULL);
    int code = 0;
    for (size_t most = light_count() + 1; code == 0 && readers->count < most;
         readers->count += code == 0)
        code = pthread_create(&readers->threads[readers->count], NULL,
                              readers->count == 0 ? read_heavy : read_light, readers);
    if (code == 0)
        return HEAPTAP_OK;
    ingest_readers_free(readers);
    *made = NULL;
    errno = code;
    return error_system(error, "cannot start a thread");
}

void ingest_readers_free(struct ingest_readers *readers)
{
    if (!readers)
        return;
    pthread_mutex_lock(&readers->lock);
    readers->ends = true;
    pthread_cond_broadcast(&readers->changed);
    pthread_mutex_unlock(&readers->lock);
    for (size_t i = 0; i < readers->count; i++)
        pthread_join(readers->threads[i], NULL);
    pthread_cond_destroy(&readers->changed);
    pthread_mutex_destroy(&readers->lock);
    free(readers);
}

void ingest_readers_put(struct ingest_readers *readers, struct ingest_job *job)
{
    pthread_mutex_lock(&readers->lock);
    ingest_jobs_push(&readers->light, job);
    pthread_cond_broadcast(&readers->changed);
    pthread_mutex_unlock(&readers->lock);
}
