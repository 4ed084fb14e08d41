#include "fleet/pages.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fleet/answers.h"
#include "fleet/request.h"
#include "fleet/shown.h"
#include "store/store.h"
#include "page/served.h"

enum { WAITING_MAX = 64 };

struct fleet_pages {
    char *name; /* of the store */
    struct store *store;
    const struct viewer_sources *sources; /* NULL: none */
    struct fleet_shows shows;
    pthread_t answerer;
    bool has_answerer;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct net_request *first, **last;
    size_t waiting;
    bool ends;
};

static unsigned status_of(enum heaptap_status status)
{
    return status == HEAPTAP_OK                                            ? 200
           : status == HEAPTAP_BAD_ARGUMENT || status == HEAPTAP_BAD_INPUT ? 400
                                                                           : 500;
}

/* ---- Answers ------------------------------------------------------------------------- */

static struct net_answer answer_store(struct fleet_pages *pages,
                                      const struct fleet_request *request)
{
    char *text = NULL;
    size_t size = 0;
    struct heaptap_error error = {0};
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return viewer_answer_refuse(500, "out of memory");
    enum heaptap_status status = fleet_answer_put(file, pages->store, pages->name, request, &error);
    struct net_answer made = viewer_answer_json(200, file, &text, &size);
    if (status == HEAPTAP_OK)
        return made;
    free(made.text);
    return viewer_answer_refuse(status_of(status), error.message);
}

static struct net_answer answer_viewer(struct fleet_pages *pages,
                                       const struct fleet_request *request)
{
    struct viewer_request asked;
    struct heaptap_error error = {0};
    struct fleet_shown *shown;
    enum viewer_verdict verdict = viewer_request_parse(&asked, request->rest, &error);
    if (verdict != VIEWER_FINE)
        return viewer_answer_refuse(verdict, error.message);
    enum heaptap_status status = fleet_shows_find(&pages->shows, pages->store, request,
                                                  asked.subject == VIEWER_ABOUT, &shown, &error);
    if (status != HEAPTAP_OK)
        return viewer_answer_refuse(status_of(status), error.message);
    struct viewer_state state = fleet_shown_state(shown);
    state.sources = pages->sources;
    return viewer_answer_make(&state, &asked);
}

static struct net_answer answer(struct fleet_pages *pages, const char *url)
{
    struct fleet_request request;
    struct heaptap_error error;
    unsigned status = fleet_request_parse(&request, url, &error);
    return status != 200                   ? viewer_answer_refuse(status, error.message)
           : request.subject == FLEET_SHOW ? answer_viewer(pages, &request)
                                           : answer_store(pages, &request);
}

/* ---- What is there at once ----------------------------------------------------------- */

/* One page shows the store, and what is chosen of it. */
static struct net_answer asset_of(const struct fleet_request *request)
{
    static const enum viewer_subject files[] = {[FLEET_PAGE] = VIEWER_PAGE,
                                                [FLEET_SCRIPT] = VIEWER_SCRIPT,
                                                [FLEET_STYLE] = VIEWER_STYLE,
                                                [FLEET_ICON] = VIEWER_ICON};
    struct viewer_request asked;
    struct heaptap_error error;
    if (request->subject < FLEET_ABOUT)
        return viewer_asset_of(files[request->subject]);
    if (request->subject == FLEET_SHOW &&
        viewer_request_parse(&asked, request->rest, &error) == VIEWER_FINE)
        return viewer_asset_of(asked.subject);
    return (struct net_answer){0};
}

static bool is_at_once(const char *url, struct net_answer *answer)
{
    struct fleet_request request;
    struct heaptap_error error;
    unsigned status = fleet_request_parse(&request, url, &error);
    *answer = status == 200 ? asset_of(&request) : viewer_answer_refuse(status, error.message);
    return status != 200 || answer->text;
}

/* ---- The thread ---------------------------------------------------------------------- */

static struct net_request *next_request(struct fleet_pages *pages)
{
    pthread_mutex_lock(&pages->lock);
    while (!pages->first && !pages->ends)
        pthread_cond_wait(&pages->changed, &pages->lock);
    struct net_request *request = pages->first;
    if (request) {
        if (!(pages->first = request->next))
            pages->last = &pages->first;
        pages->waiting--;
    }
    pthread_mutex_unlock(&pages->lock);
    return request;
}

static bool is_ending(struct fleet_pages *pages)
{
    pthread_mutex_lock(&pages->lock);
    bool ends = pages->ends;
    pthread_mutex_unlock(&pages->lock);
    return ends;
}

static void *answer_all(void *context)
{
    struct fleet_pages *pages = context;
    struct net_request *request;
    while ((request = next_request(pages))) {
        struct net_answer made = is_ending(pages) ? viewer_answer_refuse(503, "this server ends")
                                                  : answer(pages, request->url);
        net_answer(request, &made);
    }
    return NULL;
}

static bool put(struct fleet_pages *pages, struct net_request *request)
{
    pthread_mutex_lock(&pages->lock);
    bool is_taken = !pages->ends && pages->waiting < WAITING_MAX;
    if (is_taken) {
        request->next = NULL;
        *pages->last = request;
        pages->last = &request->next;
        pages->waiting++;
        pthread_cond_broadcast(&pages->changed);
    }
    pthread_mutex_unlock(&pages->lock);
    return is_taken;
}

static void ask(void *context, struct net_request *request)
{
    struct fleet_pages *pages = context;
    struct net_answer made;
    if (!is_at_once(request->url, &made)) {
        if (put(pages, request))
            return;
        made = viewer_answer_refuse(503, "too many questions wait for an answer: ask again");
    }
    made = viewer_asset_packed(&made, request);
    net_answer(request, &made);
}

/* ---- All ----------------------------------------------------------------------------- */

enum heaptap_status fleet_pages_new(struct fleet_pages **made, const char *store,
                                    const struct viewer_sources *sources,
                                    struct heaptap_error *error)
{
    struct fleet_pages *pages = *made = calloc(1, sizeof *pages);
    if (!pages)
        return error_no_memory(error);
    pages->last = &pages->first;
    pages->sources = sources;
    pthread_mutex_init(&pages->lock, NULL);
    pthread_cond_init(&pages->changed, NULL);
    enum heaptap_status status = (pages->name = strdup(store))
                                     ? store_open(&pages->store, store, STORE_READ, error)
                                     : error_no_memory(error);
    int code = status == HEAPTAP_OK ? pthread_create(&pages->answerer, NULL, answer_all, pages) : 0;
    pages->has_answerer = status == HEAPTAP_OK && code == 0;
    if (code != 0) {
        errno = code;
        status = error_system(error, "cannot start a thread");
    }
    if (status != HEAPTAP_OK) {
        fleet_pages_free(pages);
        *made = NULL;
    }
    return status;
}

struct ingest_pages fleet_pages_asked(struct fleet_pages *pages)
{
    return (struct ingest_pages){ask, pages};
}

void fleet_pages_end(struct fleet_pages *pages)
{
    if (!pages || !pages->has_answerer)
        return;
    pthread_mutex_lock(&pages->lock);
    pages->ends = true;
    pthread_cond_broadcast(&pages->changed);
    pthread_mutex_unlock(&pages->lock);
    pthread_join(pages->answerer, NULL);
    pages->has_answerer = false;
}

void fleet_pages_free(struct fleet_pages *pages)
{
    if (!pages)
        return;
    fleet_pages_end(pages);
    fleet_shows_release(&pages->shows);
    store_close(pages->store);
    pthread_cond_destroy(&pages->changed);
    pthread_mutex_destroy(&pages->lock);
    free(pages->name);
    free(pages);
}
