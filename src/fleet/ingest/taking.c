#include "fleet/ingest/taking.h"

#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "fleet/ingest/body.h"
#include "fleet/ingest/since_start.h"

static const int64_t future_us = INT64_C(600) * 1000000; /* clocks differ */

/* ---- Limits -------------------------------------------------------------------------- */

/* So many a second, and as many as that at once after a pause. */
static bool is_too_fast(struct ingest_taking *taking)
{
    int64_t now = clock_us(CLOCK_MONOTONIC);
    double most = taking->limits.per_second > 1 ? taking->limits.per_second : 1;
    double more = taking->counted_us ? (double)(now - taking->counted_us) * 1e-6 : 1e9;
    taking->tokens += more * taking->limits.per_second;
    taking->tokens = taking->tokens < most ? taking->tokens : most;
    taking->counted_us = now;
    if (taking->tokens < 1)
        return true;
    taking->tokens--;
    return false;
}

static unsigned check_time(const struct ingest_taking *taking, const struct store_upload *upload,
                           int64_t now, struct heaptap_error *error)
{
    if (upload->until_us > now + future_us)
        error_set(error, HEAPTAP_BAD_ARGUMENT,
                  "the profile ends %lld seconds from now: is the sender's clock right?",
                  (long long)((upload->until_us - now) / 1000000));
    else if (upload->until_us < now - taking->limits.age_us)
        error_set(error, HEAPTAP_BAD_ARGUMENT,
                  "the profile ended %lld seconds ago; this server takes those of the last %lld",
                  (long long)((now - upload->until_us) / 1000000),
                  (long long)(taking->limits.age_us / 1000000));
    else
        return 200;
    return 422;
}

static unsigned fail_store(struct ingest_taking *taking, enum heaptap_status status,
                           const struct heaptap_error *error)
{
    if (status == HEAPTAP_NO_MEMORY)
        return 500;
    health_failed(taking->health, error->message);
    return 503;
}

static unsigned check_series(struct ingest_taking *taking, const struct store_labels *labels,
                             struct heaptap_error *error)
{
    size_t count;
    bool is_one;
    enum heaptap_status status = store_count_series(taking->store, labels, &count, &is_one, error);
    if (status != HEAPTAP_OK)
        return fail_store(taking, status, error);
    pthread_mutex_lock(&taking->lock);
    taking->metrics.series = count;
    pthread_mutex_unlock(&taking->lock);
    if (is_one || count < taking->limits.series)
        return 200;
    error_set(
        error, HEAPTAP_BAD_ARGUMENT,
        "the store got %zu different sets of labels in the last %d days, as many as it may: is there a label "
        "that changes all the time?",
        count, STORE_RECENT_DAYS);
    return 429;
}

/* ---- The profile --------------------------------------------------------------------- */

static unsigned read_body(struct ingest_body *body, const struct ingest_taking *taking,
                          const uint8_t *bytes, size_t size, size_t most,
                          struct heaptap_error *error)
{
    const struct ingest_body_bounds bounds = {most, &taking->limits};
    struct input *input;
    enum heaptap_status status = input_open_memory(&input, bytes, size, error);
    if (status != HEAPTAP_OK)
        return 500;
    status = ingest_body_read(body, input, &bounds, taking->symbols, error);
    input_close(input);
    return status == HEAPTAP_OK ? 200 : status == HEAPTAP_NO_MEMORY ? 500 : 422;
}

/* What was fetched and has an interval has that; else its counts become those since the one before. */
static bool take_off(const struct ingest_body *body, struct since_start *since, bool *has_interval)
{
    *has_interval = since && (body->until_us > body->from_us || body->model->kind == MODEL_OBJECTS);
    return !since || *has_interval || since_start_take_off(since, body->model);
}

unsigned ingest_admit(struct ingest_taking *taking, size_t size, struct heaptap_error *error)
{
    pthread_mutex_lock(&taking->lock);
    taking->metrics.bytes += size;
    pthread_mutex_unlock(&taking->lock);
    if (!is_too_fast(taking))
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT,
              "more than %g profiles a second: send it again in a moment",
              taking->limits.per_second);
    return 429;
}

/* Adds the time since `began` to that spent. */
static void count_time(struct ingest_taking *taking, int64_t began)
{
    double seconds = (double)(clock_us(CLOCK_MONOTONIC) - began) * 1e-6;
    pthread_mutex_lock(&taking->lock);
    taking->metrics.add_seconds += seconds;
    pthread_mutex_unlock(&taking->lock);
}

unsigned ingest_read(struct ingest_taking *taking, const uint8_t *bytes, size_t size, size_t most,
                     struct since_start *since, struct ingest_taken *taken,
                     struct heaptap_error *error)
{
    int64_t began = clock_us(CLOCK_MONOTONIC);
    taken->body.is_larger = false;
    unsigned status = read_body(&taken->body, taking, bytes, size, most, error);
    if (status == 200 && !take_off(&taken->body, since, &taken->has_interval)) {
        ingest_taken_release(taken);
        error_no_memory(error);
        status = 500;
    }
    count_time(taking, began);
    return status;
}

void ingest_taken_release(struct ingest_taken *taken)
{
    model_free(taken->body.model);
    taken->body.model = NULL;
}

unsigned ingest_add(struct ingest_taking *taking, const struct ingest_request *request,
                    const struct ingest_taken *taken, bool *is_new, struct heaptap_error *error)
{
    struct store_upload upload;
    int64_t began = clock_us(CLOCK_MONOTONIC), now = clock_us(CLOCK_REALTIME);
    ingest_body_upload(&taken->body, &request->labels, taken->has_interval ? 0 : request->from_us,
                       taken->has_interval ? 0 : request->until_us, now, &upload);
    unsigned status = check_time(taking, &upload, now, error);
    if (status == 200)
        status = check_series(taking, &request->labels, error);
    if (status == 200) {
        enum heaptap_status added =
            store_add(taking->store, &upload, taken->body.model, is_new, error);
        status = added == HEAPTAP_OK ? 200 : fail_store(taking, added, error);
    }
    count_time(taking, began);
    return status;
}

/* ---- Batches ------------------------------------------------------------------------- */

unsigned ingest_begin(struct ingest_taking *taking, struct heaptap_error *error)
{
    enum heaptap_status status = store_begin(taking->store, error);
    return status == HEAPTAP_OK ? 200 : fail_store(taking, status, error);
}

unsigned ingest_seal(struct ingest_taking *taking, struct heaptap_error *error)
{
    int64_t began = clock_us(CLOCK_MONOTONIC);
    enum heaptap_status status = store_seal(taking->store, error);
    count_time(taking, began);
    return status == HEAPTAP_OK ? 200 : fail_store(taking, status, error);
}

unsigned ingest_send(struct ingest_taking *taking, struct heaptap_error *error)
{
    int64_t began = clock_us(CLOCK_MONOTONIC);
    enum heaptap_status status = store_send(taking->store, error);
    count_time(taking, began);
    if (status == HEAPTAP_OK)
        health_stored(taking->health);
    return status == HEAPTAP_OK ? 200 : fail_store(taking, status, error);
}

/* ---- Metrics ------------------------------------------------------------------------- */

void ingest_count(struct ingest_taking *taking, bool is_new)
{
    pthread_mutex_lock(&taking->lock);
    taking->metrics.added += is_new;
    taking->metrics.repeated += !is_new;
    pthread_mutex_unlock(&taking->lock);
}

void ingest_count_scrape(struct ingest_taking *taking, bool is_stored)
{
    pthread_mutex_lock(&taking->lock);
    *(is_stored ? &taking->metrics.scraped : &taking->metrics.unscraped) += 1;
    pthread_mutex_unlock(&taking->lock);
}

void ingest_count_refused(struct ingest_taking *taking, unsigned status)
{
    pthread_mutex_lock(&taking->lock);
    ingest_metrics_refuse(&taking->metrics, status);
    pthread_mutex_unlock(&taking->lock);
}

bool ingest_put_metrics(struct ingest_taking *taking, struct text *text)
{
    pthread_mutex_lock(&taking->lock);
    ingest_metrics_put(&taking->metrics, text);
    pthread_mutex_unlock(&taking->lock);
    return !text->failed;
}
