/* What was lost when profiles could not be stored comes back when some are, or, as whoever asks /readyz may send none until then,
 * when the store opens and nothing failed for ten seconds. */
#include "fleet/ingest/health.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/store.h"

enum { LOOK_SECONDS = 2, WRITE_SECONDS = 10, LEAVE_SECONDS = 2 };

struct health {
    char *store;
    health_say *say;
    void *context;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    bool ends, has_ended; /* asked to, done */
    bool is_lost;
    time_t lost_at,
        failed_at; /* of a clock that never steps back; the latter by profiles, 0: not by them */
    char why[HEALTH_WHY_BYTES];
};

static time_t now(void)
{
    return clock_us(CLOCK_MONOTONIC) / 1000000;
}

/* ---- What is known ------------------------------------------------------------------- */

/* With the lock held. */
static void lose(struct health *health, const char *why)
{
    char line[HEALTH_WHY_BYTES + 64];
    snprintf(health->why, sizeof health->why, "%s", why);
    if (health->is_lost)
        return;
    health->is_lost = true;
    health->lost_at = now();
    snprintf(line, sizeof line, "the store can't be reached: %s", health->why);
    health->say(health->context, line);
}

static void find(struct health *health)
{
    char line[64];
    if (!health->is_lost)
        return;
    health->is_lost = false;
    health->failed_at = 0;
    snprintf(line, sizeof line, "the store is back, after %lld s",
             (long long)(now() - health->lost_at));
    health->say(health->context, line);
}

void health_stored(struct health *health)
{
    if (!health)
        return;
    pthread_mutex_lock(&health->lock);
    find(health);
    pthread_mutex_unlock(&health->lock);
}

void health_failed(struct health *health, const char *why)
{
    if (!health)
        return;
    pthread_mutex_lock(&health->lock);
    health->failed_at = now();
    lose(health, why);
    pthread_mutex_unlock(&health->lock);
}

bool health_is_good(struct health *health, char why[HEALTH_WHY_BYTES])
{
    if (!health)
        return true;
    pthread_mutex_lock(&health->lock);
    bool is_good = !health->is_lost;
    strcpy(why, health->why);
    pthread_mutex_unlock(&health->lock);
    return is_good;
}

/* ---- Looking ------------------------------------------------------------------------- */

/* Without the lock: a server that does not answer takes its time. */
static enum heaptap_status try(const struct health *health, struct heaptap_error *error)
{
    struct store *store;
    enum heaptap_status status = store_open(&store, health->store, STORE_READ, error);
    if (status == HEAPTAP_OK)
        store_close(store);
    return status;
}

static void wait_for_next(struct health *health)
{
    struct timespec until = {.tv_sec = now() + LOOK_SECONDS};
    while (!health->ends && now() < until.tv_sec)
        pthread_cond_timedwait(&health->changed, &health->lock, &until);
}

static void *look(void *context)
{
    struct health *health = context;
    pthread_mutex_lock(&health->lock);
    for (wait_for_next(health); !health->ends; wait_for_next(health)) {
        struct heaptap_error error;
        pthread_mutex_unlock(&health->lock);
        enum heaptap_status status = try(health, &error);
        pthread_mutex_lock(&health->lock);
        if (status != HEAPTAP_OK && status != HEAPTAP_NO_MEMORY)
            lose(health, error.message);
        else if (status == HEAPTAP_OK && now() >= health->failed_at + WRITE_SECONDS)
            find(health);
    }
    health->has_ended = true;
    pthread_cond_broadcast(&health->changed);
    pthread_mutex_unlock(&health->lock);
    return NULL;
}

/* ---- All ----------------------------------------------------------------------------- */

static void init_lock(struct health *health)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&health->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&health->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void release(struct health *health)
{
    pthread_cond_destroy(&health->changed);
    pthread_mutex_destroy(&health->lock);
    free(health->store);
    free(health);
}

enum heaptap_status health_new(struct health **made, const char *store, health_say *say,
                               void *context, struct heaptap_error *error)
{
    struct health *health = *made = calloc(1, sizeof *health);
    if (!health)
        return error_no_memory(error);
    *health = (struct health){
        .store = strdup(store), .say = say, .context = context, .failed_at = -WRITE_SECONDS};
    init_lock(health);
    errno = health->store ? pthread_create(&health->thread, NULL, look, health) : ENOMEM;
    if (errno == 0)
        return HEAPTAP_OK;
    enum heaptap_status status = error_system(error, "cannot start a thread");
    release(health);
    *made = NULL;
    return status;
}

/* A thread that waits for a server which does not answer is left behind: the program ends. */
void health_free(struct health *health)
{
    struct timespec until = {.tv_sec = now() + LEAVE_SECONDS};
    if (!health)
        return;
    pthread_mutex_lock(&health->lock);
    health->ends = true;
    pthread_cond_broadcast(&health->changed);
    while (!health->has_ended && now() < until.tv_sec)
        pthread_cond_timedwait(&health->changed, &health->lock, &until);
    bool has_ended = health->has_ended;
    pthread_mutex_unlock(&health->lock);
    if (has_ended) {
        pthread_join(health->thread, NULL);
        release(health);
    } else {
        pthread_detach(health->thread);
    }
}
