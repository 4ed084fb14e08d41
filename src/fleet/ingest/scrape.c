#include "fleet/ingest/scrape.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "net/curl.h"
#include "fleet/ingest/since_start.h"

enum { LEAST_TIMEOUT_MS = 10000, MOST_TIMEOUT_MS = 120000, CONNECT_MS = 5000, POLL_MS = 1000 };

enum fetch_state { FETCH_IDLE, FETCH_LOADING, FETCH_STORING, FETCH_STORED };

/* A target, and what is on its way from it. */
struct fetch {
    struct ingest_scraper *scraper;
    const struct ingest_target *target;
    CURL *handle;
    _Atomic enum fetch_state state; /* the writer's thread sets it to FETCH_STORED */
    int64_t due_us;                 /* of CLOCK_MONOTONIC */
    int64_t last_us;                /* when the last that was stored was fetched; 0: none was */
    struct ingest_request request;
    struct ingest_job job;
    struct since_start since;
    uint8_t *body;
    size_t size, capacity;
    bool is_too_large, has_failed;
    char message[CURL_ERROR_SIZE];
};

struct ingest_scraper {
    struct ingest_taking *taking;
    struct ingest_writer *writer;
    ingest_scrape_say *say;
    void *context;
    CURLM *multi;
    struct fetch *fetches;
    size_t count;
    pthread_t thread;
    bool has_thread;
    atomic_bool ends;
};

/* ---- Results --------------------------------------------------------------------------- */

/* A target that keeps failing is reported once. */
static void tell(struct fetch *fetch, const char *problem)
{
    char sentence[512];
    bool has_failed = problem != NULL;
    ingest_count_scrape(fetch->scraper->taking, !has_failed);
    if (has_failed != fetch->has_failed) {
        snprintf(sentence, sizeof sentence, "%.200s: %.250s", fetch->target->shown,
                 has_failed ? problem : "works again");
        fetch->scraper->say(fetch->scraper->context, sentence);
    }
    fetch->has_failed = has_failed;
}

static void rest(struct fetch *fetch)
{
    fetch->size = 0;
    fetch->state = FETCH_IDLE;
}

/* By the writer's thread. */
static void stored(struct ingest_job *job)
{
    struct fetch *fetch = job->context;
    fetch->state = FETCH_STORED;
    curl_multi_wakeup(fetch->scraper->multi);
}

static void finish_storing(struct fetch *fetch)
{
    if (fetch->job.status == 200) {
        since_start_keep(&fetch->since);
        fetch->last_us = fetch->request.until_us;
    }
    tell(fetch, fetch->job.status == 200 ? NULL : fetch->job.error.message);
    rest(fetch);
}

static void give(struct fetch *fetch)
{
    int64_t now = clock_us(CLOCK_REALTIME);
    fetch->request = (struct ingest_request){
        .path = INGEST_PROFILES,
        .labels = fetch->target->labels,
        .from_us = fetch->last_us ? fetch->last_us : now,
        .until_us = now,
    };
    fetch->job = (struct ingest_job){.request = &fetch->request,
                                     .body = fetch->body,
                                     .size = fetch->size,
                                     .since = &fetch->since,
                                     .done = stored,
                                     .context = fetch};
    fetch->state = FETCH_STORING;
    if (!ingest_writer_put(fetch->scraper->writer, &fetch->job))
        rest(fetch);
}

static void finish_loading(struct fetch *fetch, CURLcode code)
{
    long status = 0;
    char problem[CURL_ERROR_SIZE + 64];
    curl_multi_remove_handle(fetch->scraper->multi, fetch->handle);
    curl_easy_getinfo(fetch->handle, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK && status == 200) {
        give(fetch);
        return;
    }
    if (fetch->is_too_large)
        snprintf(problem, sizeof problem, "the profile is larger than %zu bytes",
                 fetch->scraper->taking->limits.body_bytes);
    else if (code == CURLE_OK)
        snprintf(problem, sizeof problem, "it answers with status %ld", status);
    else
        snprintf(problem, sizeof problem, "%s",
                 *fetch->message ? fetch->message : curl_easy_strerror(code));
    tell(fetch, problem);
    rest(fetch);
}

/* ---- Fetching -------------------------------------------------------------------------- */

static size_t take_bytes(char *bytes, size_t item, size_t count, void *context)
{
    struct fetch *fetch = context;
    size_t size = item * count, most = fetch->scraper->taking->limits.body_bytes;
    if (size > most - fetch->size) {
        fetch->is_too_large = true;
        return 0;
    }
    if (fetch->size + size > fetch->capacity) {
        size_t capacity = 2 * (fetch->size + size);
        uint8_t *body = realloc(fetch->body, capacity);
        if (!body)
            return 0;
        fetch->body = body;
        fetch->capacity = capacity;
    }
    memcpy(fetch->body + fetch->size, bytes, size);
    fetch->size += size;
    return size;
}

static void start(struct fetch *fetch, int64_t now)
{
    fetch->due_us = now + fetch->target->every_us;
    fetch->is_too_large = false;
    fetch->size = 0;
    *fetch->message = 0;
    fetch->state = FETCH_LOADING;
    if (curl_multi_add_handle(fetch->scraper->multi, fetch->handle) != CURLM_OK)
        rest(fetch);
}

static bool set_up(struct fetch *fetch)
{
    long timeout = (long)(fetch->target->every_us / 1000);
    CURL *handle = fetch->handle = curl_easy_init();
    timeout = timeout < LEAST_TIMEOUT_MS  ? LEAST_TIMEOUT_MS
              : timeout > MOST_TIMEOUT_MS ? MOST_TIMEOUT_MS
                                          : timeout;
    return handle && !curl_easy_setopt(handle, CURLOPT_URL, fetch->target->url) &&
           !curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https") &&
           !curl_easy_setopt(handle, CURLOPT_USERAGENT, "heaptap") &&
           !curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) &&
           !curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, timeout) &&
           !curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS) &&
           !curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, fetch->message) &&
           !curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_bytes) &&
           !curl_easy_setopt(handle, CURLOPT_WRITEDATA, fetch) &&
           !curl_easy_setopt(handle, CURLOPT_PRIVATE, fetch);
}

/* ---- The thread ------------------------------------------------------------------------ */

/* Milliseconds until something is due. */
static int start_due(struct ingest_scraper *scraper)
{
    int64_t now = clock_us(CLOCK_MONOTONIC), next = now + POLL_MS * 1000;
    for (size_t i = 0; i < scraper->count; i++) {
        struct fetch *fetch = &scraper->fetches[i];
        if (fetch->state == FETCH_STORED)
            finish_storing(fetch);
        if (fetch->state == FETCH_IDLE && fetch->due_us <= now)
            start(fetch, now);
        next = fetch->due_us > now && fetch->due_us < next ? fetch->due_us : next;
    }
    return (int)((next - now) / 1000) + 1;
}

static void take_results(struct ingest_scraper *scraper)
{
    int running;
    const CURLMsg *message;
    curl_multi_perform(scraper->multi, &running);
    while ((message = curl_multi_info_read(scraper->multi, &running))) {
        struct fetch *fetch;
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &fetch);
        finish_loading(fetch, code);
    }
}

static bool is_storing(const struct ingest_scraper *scraper)
{
    for (size_t i = 0; i < scraper->count; i++)
        if (scraper->fetches[i].state == FETCH_STORING)
            return true;
    return false;
}

/* At the end, what the writer has is waited for. */
static void *scrape(void *context)
{
    struct ingest_scraper *scraper = context;
    while (!scraper->ends) {
        int wait = start_due(scraper);
        take_results(scraper);
        curl_multi_poll(scraper->multi, NULL, 0, wait, NULL);
    }
    while (is_storing(scraper))
        curl_multi_poll(scraper->multi, NULL, 0, POLL_MS, NULL);
    return NULL;
}

static bool set_up_all(struct ingest_scraper *scraper, const struct ingest_targets *targets)
{
    scraper->multi = curl_multi_init();
    scraper->fetches = calloc(targets->count + 1, sizeof *scraper->fetches);
    for (; scraper->multi && scraper->fetches && scraper->count < targets->count;
         scraper->count++) {
        struct fetch *fetch = &scraper->fetches[scraper->count];
        fetch->scraper = scraper;
        fetch->target = &targets->items[scraper->count];
        if (!set_up(fetch)) {
            scraper->count++;
            return false;
        }
    }
    return scraper->multi && scraper->fetches;
}

enum heaptap_status ingest_scraper_new(struct ingest_scraper **made,
                                       const struct ingest_targets *targets,
                                       struct ingest_taking *taking, struct ingest_writer *writer,
                                       ingest_scrape_say *say, void *context,
                                       struct heaptap_error *error)
{
    *made = NULL;
    enum heaptap_status status = net_curl_load(error);
    if (status != HEAPTAP_OK)
        return status;
    struct ingest_scraper *scraper = *made = calloc(1, sizeof *scraper);
    if (!scraper)
        return error_no_memory(error);
    scraper->taking = taking;
    scraper->writer = writer;
    scraper->say = say;
    scraper->context = context;
    if (set_up_all(scraper, targets))
        scraper->has_thread = pthread_create(&scraper->thread, NULL, scrape, scraper) == 0;
    if (scraper->has_thread)
        return HEAPTAP_OK;
    ingest_scraper_free(scraper);
    *made = NULL;
    return error_no_memory(error);
}

void ingest_scraper_free(struct ingest_scraper *scraper)
{
    if (!scraper)
        return;
    if (scraper->has_thread) {
        scraper->ends = true;
        curl_multi_wakeup(scraper->multi);
        pthread_join(scraper->thread, NULL);
    }
    for (size_t i = 0; i < scraper->count; i++) {
        struct fetch *fetch = &scraper->fetches[i];
        if (fetch->state == FETCH_LOADING)
            curl_multi_remove_handle(scraper->multi, fetch->handle);
        curl_easy_cleanup(fetch->handle);
        since_start_release(&fetch->since);
        free(fetch->body);
    }
    free(scraper->fetches);
    if (scraper->multi)
        curl_multi_cleanup(scraper->multi);
    free(scraper);
}
