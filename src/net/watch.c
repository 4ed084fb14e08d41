#include "net/watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"

enum { SILENT_MS = 500 };

struct watched {
    int socket;
    time_t until;     /* of a clock that never steps back; 0: as long as it likes */
    int64_t heard_ms; /* when it last sent something */
    TAILQ_ENTRY(watched) link;
};

struct watch {
    int seconds;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    TAILQ_HEAD(, watched) all; /* those heard last come last */
    size_t count;
    bool ends;
};

static struct timespec now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

static int64_t now_ms(void)
{
    return clock_us(CLOCK_MONOTONIC) / 1000;
}

static void cut(struct watched *watched)
{
    watched->until = 0;
    shutdown(watched->socket, SHUT_RDWR);
}

static void cut_late(struct watch *watch)
{
    struct watched *each;
    time_t time = now().tv_sec;
    TAILQ_FOREACH(each, &watch->all, link)
    if (each->until && each->until < time)
        cut(each);
}

static void cut_silent(struct watch *watch)
{
    struct watched *each;
    int64_t heard_ms = now_ms() - SILENT_MS;
    size_t left = watch->count;
    TAILQ_FOREACH(each, &watch->all, link)
    {
        if (left <= WATCH_FEW || each->heard_ms > heard_ms)
            break;
        if (each->until) {
            cut(each);
            left--;
        }
    }
}

/* Waits a second, or a tenth of one while there are many; while there is none, for the first. */
static void wait_for_next(struct watch *watch)
{
    if (watch->count == 0) {
        pthread_cond_wait(&watch->changed, &watch->lock);
        return;
    }
    struct timespec next = now();
    bool are_many = watch->count > WATCH_MANY;
    next.tv_nsec += are_many ? 100000000 : 0;
    next.tv_sec += !are_many || next.tv_nsec >= 1000000000;
    next.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&watch->changed, &watch->lock, &next);
}

static void *look(void *context)
{
    struct watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    while (!watch->ends) {
        cut_late(watch);
        if (watch->count > WATCH_MANY)
            cut_silent(watch);
        wait_for_next(watch);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

enum heaptap_status watch_new(struct watch **made, int seconds, struct heaptap_error *error)
{
    pthread_condattr_t attributes;
    struct watch *watch = *made = calloc(1, sizeof *watch);
    if (!watch)
        return error_no_memory(error);
    watch->seconds = seconds;
    TAILQ_INIT(&watch->all);
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    errno = pthread_create(&watch->thread, NULL, look, watch);
    watch->has_thread = errno == 0;
    if (watch->has_thread)
        return HEAPTAP_OK;
    enum heaptap_status status = error_system(error, "cannot start a thread");
    watch_free(watch);
    *made = NULL;
    return status;
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->ends = true;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    if (watch->has_thread)
        pthread_join(watch->thread, NULL);
    pthread_mutex_destroy(&watch->lock);
    pthread_cond_destroy(&watch->changed);
    free(watch);
}

/* With the lock held. */
static void hear(struct watch *watch, struct watched *watched)
{
    watched->heard_ms = now_ms();
    TAILQ_REMOVE(&watch->all, watched, link);
    TAILQ_INSERT_TAIL(&watch->all, watched, link);
}

static void set_until(struct watch *watch, struct watched *watched, time_t until)
{
    if (!watched)
        return;
    pthread_mutex_lock(&watch->lock);
    watched->until = until;
    hear(watch, watched);
    pthread_mutex_unlock(&watch->lock);
}

void watch_touch(struct watch *watch, struct watched *watched)
{
    if (!watched)
        return;
    pthread_mutex_lock(&watch->lock);
    hear(watch, watched);
    pthread_mutex_unlock(&watch->lock);
}

void watch_begin(struct watch *watch, struct watched *watched)
{
    set_until(watch, watched, now().tv_sec + watch->seconds);
}

void watch_pause(struct watch *watch, struct watched *watched)
{
    set_until(watch, watched, 0);
}

struct watched *watch_add(struct watch *watch, int socket)
{
    struct watched *watched = calloc(1, sizeof *watched);
    if (!watched)
        return NULL;
    watched->socket = socket;
    watched->until = now().tv_sec + watch->seconds;
    watched->heard_ms = now_ms();
    pthread_mutex_lock(&watch->lock);
    TAILQ_INSERT_TAIL(&watch->all, watched, link);
    if (++watch->count == 1 || watch->count == WATCH_MANY + 1)
        pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    return watched;
}

void watch_remove(struct watch *watch, struct watched *watched)
{
    if (!watched)
        return;
    pthread_mutex_lock(&watch->lock);
    TAILQ_REMOVE(&watch->all, watched, link);
    watch->count--;
    pthread_mutex_unlock(&watch->lock);
    free(watched);
}
