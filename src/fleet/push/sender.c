#include "fleet/push/sender.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "base/url.h"
#include "net/curl.h"

enum { CONNECT_SECONDS = 10, TRY_SECONDS = 60, PAUSE_FIRST = 1, PAUSE_MOST = 60 };

struct sender {
    const char *url;
    struct spool *spool;
    CURL *curl;
    char why[CURL_ERROR_SIZE]; /* a try failed, in libcurl's words */
    struct curl_slist *headers;
    pthread_t thread;
    bool is_started;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    bool ends;
    struct timespec until; /* when `ends`: of the monotonic clock */
    struct sender_state state;
};

bool sender_is_url(const char *url)
{
    const char *rest = strncasecmp(url, "http://", 7) == 0    ? url + 7
                       : strncasecmp(url, "https://", 8) == 0 ? url + 8
                                                              : "";
    return *rest && *rest != '/' && !strpbrk(rest, "?# \"\\<>") && url_has_good_port(rest);
}

static struct timespec in_seconds(double seconds)
{
    return clock_after(CLOCK_MONOTONIC, (int64_t)(seconds * 1e6));
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static bool is_over(struct sender *sender)
{
    struct timespec now = in_seconds(0);
    pthread_mutex_lock(&sender->lock);
    bool over = sender->ends && !is_before(&now, &sender->until);
    pthread_mutex_unlock(&sender->lock);
    return over;
}

/* ---- One try ------------------------------------------------------------------------ */

struct answer {
    size_t size;
    char line[SENDER_MESSAGE_BYTES]; /* the first one of what the server says */
};

static size_t keep_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct answer *answer = context;
    for (size_t i = 0; i < size * count && answer->size < sizeof answer->line - 1; i++)
        answer->line[answer->size++] = isprint((unsigned char)bytes[i]) ? bytes[i] : ' ';
    answer->line[answer->size] = 0;
    return size * count;
}

static int stop_when_over(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    return is_over(context);
}

/* Can it never be taken, as it is? */
static bool is_refusal(long code)
{
    return code == 400 || code == 413 || code == 415 || code == 422;
}

static void note(struct sender *sender, bool taken, bool refused, const char *message)
{
    pthread_mutex_lock(&sender->lock);
    sender->state.sent += taken;
    sender->state.refused += refused;
    sender->state.fails = !taken && !refused;
    if (!taken)
        snprintf(sender->state.message, sizeof sender->state.message, "%s", message);
    pthread_mutex_unlock(&sender->lock);
}

/* Only the longer text says what is wrong with a certificate; other errors have names and times in theirs. */
static const char *explain(const struct sender *sender, CURLcode result)
{
    bool is_of_certificate =
        result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CACERT_BADFILE;
    return is_of_certificate && sender->why[0] ? sender->why : curl_easy_strerror(result);
}

/* Whether the item is done with. */
static bool try_once(struct sender *sender, const struct spool_item *item)
{
    struct answer answer = {0};
    char message[SENDER_MESSAGE_BYTES], *url = text_format("%s?%s", sender->url, item->query);
    long code = 0;
    if (!url)
        return false;
    curl_easy_setopt(sender->curl, CURLOPT_URL, url);
    curl_easy_setopt(sender->curl, CURLOPT_POSTFIELDS, item->profile);
    curl_easy_setopt(sender->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)item->size);
    curl_easy_setopt(sender->curl, CURLOPT_WRITEDATA, &answer);
    CURLcode result = curl_easy_perform(sender->curl);
    curl_easy_getinfo(sender->curl, CURLINFO_RESPONSE_CODE, &code);
    free(url);
    bool taken = result == CURLE_OK && code >= 200 && code < 300;
    bool refused = result == CURLE_OK && is_refusal(code);
    if (result == CURLE_OK)
        snprintf(message, sizeof message, "it answers %ld: %.150s", code, answer.line);
    else
        snprintf(message, sizeof message, "%.199s", explain(sender, result));
    note(sender, taken, refused, message);
    return taken || refused;
}

/* ---- The thread --------------------------------------------------------------------- */

/* Waits for something new, for `seconds` where they are over 0; false when all ends. */
static bool wait_for_more(struct sender *sender, double seconds)
{
    struct timespec until = in_seconds(seconds);
    pthread_mutex_lock(&sender->lock);
    bool had_end = sender->ends;
    if (seconds <= 0 && !sender->ends && spool_count(sender->spool).waiting == 0)
        pthread_cond_wait(&sender->wake, &sender->lock);
    else if (seconds > 0) {
        if (sender->ends && is_before(&sender->until, &until))
            until = sender->until;
        /* What is new does not make the server come back; the end is worth a try. */
        while (sender->ends == had_end &&
               pthread_cond_timedwait(&sender->wake, &sender->lock, &until) == 0)
            ;
    }
    bool ends = sender->ends;
    pthread_mutex_unlock(&sender->lock);
    return !is_over(sender) && !(ends && spool_count(sender->spool).waiting == 0);
}

static bool has_end(struct sender *sender)
{
    pthread_mutex_lock(&sender->lock);
    bool ends = sender->ends;
    pthread_mutex_unlock(&sender->lock);
    return ends;
}

static void *run(void *context)
{
    struct sender *sender = context;
    struct spool_item item;
    double pause = 0;
    while (wait_for_more(sender, pause)) {
        if (!spool_first(sender->spool, &item)) {
            pause = 0;
            continue;
        }
        bool is_last = has_end(sender), done = try_once(sender, &item);
        spool_done(sender->spool, &item, done);
        if (is_last && !done)
            break; /* the next process tries again */
        pause = done ? 0 : pause == 0 ? PAUSE_FIRST : pause * 2;
        pause = pause > PAUSE_MOST ? PAUSE_MOST : pause;
    }
    return NULL;
}

/* ---- Beginning and end -------------------------------------------------------------- */

static bool set_up(struct sender *sender, const char *token, const char *authorities)
{
    char header[600];
    sender->curl = curl_easy_init();
    if (!sender->curl)
        return false;
    sender->headers = curl_slist_append(NULL, "Content-Type: application/octet-stream");
    if (token) {
        snprintf(header, sizeof header, "Authorization: Bearer %s", token);
        struct curl_slist *more = curl_slist_append(sender->headers, header);
        if (!more)
            return false;
        sender->headers = more;
    }
    curl_easy_setopt(sender->curl, CURLOPT_HTTPHEADER, sender->headers);
    curl_easy_setopt(sender->curl, CURLOPT_ERRORBUFFER, sender->why);
    curl_easy_setopt(sender->curl, CURLOPT_POST, 1L);
    curl_easy_setopt(sender->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(sender->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    if (authorities)
        curl_easy_setopt(sender->curl, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(sender->curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(sender->curl, CURLOPT_TIMEOUT, (long)TRY_SECONDS);
    curl_easy_setopt(sender->curl, CURLOPT_WRITEFUNCTION, keep_answer);
    curl_easy_setopt(sender->curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(sender->curl, CURLOPT_XFERINFOFUNCTION, stop_when_over);
    curl_easy_setopt(sender->curl, CURLOPT_XFERINFODATA, sender);
    return sender->headers;
}

enum heaptap_status sender_new(struct sender **made, const char *url, const char *token,
                               const char *authorities, struct spool *spool,
                               struct heaptap_error *error)
{
    pthread_condattr_t attributes;
    *made = NULL;
    enum heaptap_status status = net_curl_load(error);
    if (status != HEAPTAP_OK)
        return status;
    struct sender *sender = *made = calloc(1, sizeof *sender);
    if (!sender)
        return error_no_memory(error);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sender->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&sender->lock, NULL);
    sender->url = url;
    sender->spool = spool;
    if (set_up(sender, token, authorities))
        return HEAPTAP_OK;
    sender_free(sender);
    *made = NULL;
    return error_no_memory(error);
}

bool sender_start(struct sender *sender)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&sender->thread, NULL, run, sender);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sender->is_started = code == 0;
    errno = code;
    return sender->is_started;
}

void sender_wake(struct sender *sender)
{
    pthread_mutex_lock(&sender->lock);
    pthread_cond_signal(&sender->wake);
    pthread_mutex_unlock(&sender->lock);
}

void sender_end(struct sender *sender, double seconds)
{
    if (!sender->is_started)
        return;
    pthread_mutex_lock(&sender->lock);
    sender->ends = true;
    sender->until = in_seconds(seconds);
    pthread_cond_signal(&sender->wake);
    pthread_mutex_unlock(&sender->lock);
    pthread_join(sender->thread, NULL);
    sender->is_started = false;
}

void sender_free(struct sender *sender)
{
    if (!sender)
        return;
    sender_end(sender, 0);
    if (sender->curl)
        curl_easy_cleanup(sender->curl);
    curl_slist_free_all(sender->headers);
    pthread_mutex_destroy(&sender->lock);
    pthread_cond_destroy(&sender->wake);
    free(sender);
}

void sender_look(struct sender *sender, struct sender_state *state)
{
    pthread_mutex_lock(&sender->lock);
    *state = sender->state;
    pthread_mutex_unlock(&sender->lock);
}
