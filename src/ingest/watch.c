#include "ingest/watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/error.h"

struct watched {
    int socket;
    time_t until; /* of a clock that never steps back; 0: as long as it likes */
    struct watched *next, **link;
};

struct watch {
    int seconds;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct watched *first;
    bool ends;
};

static struct timespec now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

static void *look(void *context)
{
    struct watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    while (!watch->ends) {
        struct timespec next = now();
        for (struct watched *each = watch->first; each; each = each->next)
            if (each->until && each->until < next.tv_sec) {
                each->until = 0;
                shutdown(each->socket, SHUT_RDWR);
            }
        next.tv_sec++;
        pthread_cond_timedwait(&watch->changed, &watch->lock, &next);
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

static void set_until(struct watch *watch, struct watched *watched, time_t until)
{
    if (!watched)
        return;
    pthread_mutex_lock(&watch->lock);
    watched->until = until;
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
    pthread_mutex_lock(&watch->lock);
    watched->next = watch->first;
    watched->link = &watch->first;
    if (watch->first)
        watch->first->link = &watched->next;
    watch->first = watched;
    pthread_mutex_unlock(&watch->lock);
    return watched;
}

void watch_remove(struct watch *watch, struct watched *watched)
{
    if (!watched)
        return;
    pthread_mutex_lock(&watch->lock);
    *watched->link = watched->next;
    if (watched->next)
        watched->next->link = watched->link;
    pthread_mutex_unlock(&watch->lock);
    free(watched);
}
