#include "fleet/pages.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "export/json.h"
#include "fleet/answers.h"
#include "fleet/assets.h"
#include "fleet/request.h"
#include "fleet/shown.h"
#include "store/store.h"
#include "viewer/served.h"

enum { WAITING_MAX = 64 };

struct fleet_pages {
    char *name; /* of the store */
    struct store *store;
    struct fleet_shows shows;
    pthread_t answerer;
    bool has_answerer;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct ingest_page *first, **last;
    size_t waiting;
    bool ends;
};

/* ---- Responses ----------------------------------------------------------------------- */

static void send_asset(struct ingest_page *page, struct viewer_asset asset)
{
    page->status = 200;
    page->type = asset.type;
    page->text = (char *)asset.text;
    page->size = strlen(asset.text);
    page->is_static = true;
}

/* As the viewer refuses: {"error": sentence}. */
static void send_error(struct ingest_page *page, unsigned status, const char *sentence)
{
    struct json json;
    FILE *file = open_memstream(&page->text, &page->size);
    page->status = status;
    page->type = "application/json";
    page->is_static = false;
    if (!file)
        return;
    json_init_compact(&json, file);
    json.shown = true;
    json_begin_object(&json);
    json_put_string(&json, "error", sentence);
    json_end(&json);
    if (fclose(file) != 0) {
        free(page->text);
        page->text = NULL;
        page->size = 0;
    }
}

static unsigned status_of(enum heaptap_status status)
{
    return status == HEAPTAP_OK                                            ? 200
           : status == HEAPTAP_BAD_ARGUMENT || status == HEAPTAP_BAD_INPUT ? 400
                                                                           : 500;
}

/* ---- Answers ------------------------------------------------------------------------- */

static void answer_store(struct fleet_pages *pages, struct ingest_page *page,
                         const struct fleet_request *request)
{
    struct heaptap_error error = {0};
    FILE *file = open_memstream(&page->text, &page->size);
    if (!file) {
        send_error(page, 500, "out of memory");
        return;
    }
    enum heaptap_status status = fleet_answer_put(file, pages->store, pages->name, request, &error);
    if (fclose(file) != 0 && status == HEAPTAP_OK)
        status = error_no_memory(&error);
    page->status = 200;
    page->type = "application/json";
    if (status == HEAPTAP_OK)
        return;
    free(page->text);
    page->text = NULL;
    send_error(page, status_of(status), error.message);
}

static void answer_viewer(struct fleet_pages *pages, struct ingest_page *page,
                          const struct fleet_request *request)
{
    struct viewer_request asked;
    struct heaptap_error error = {0};
    struct fleet_shown *shown;
    enum viewer_verdict verdict = viewer_request_parse(&asked, request->rest, &error);
    if (verdict != VIEWER_FINE) {
        send_error(page, verdict, error.message);
        return;
    }
    enum heaptap_status status = fleet_shows_find(&pages->shows, pages->store, request,
                                                  asked.subject == VIEWER_ABOUT, &shown, &error);
    if (status != HEAPTAP_OK) {
        send_error(page, status_of(status), error.message);
        return;
    }
    struct viewer_state state = fleet_shown_state(shown);
    struct viewer_answer answer;
    viewer_answer_make(&answer, &state, &asked);
    if (!answer.text) {
        send_error(page, 500, "out of memory");
        return;
    }
    page->status = answer.verdict;
    page->type = "application/json";
    page->text = answer.text;
    page->size = answer.size;
}

static void answer(struct fleet_pages *pages, struct ingest_page *page)
{
    struct fleet_request request;
    struct heaptap_error error;
    unsigned status = fleet_request_parse(&request, page->url, &error);
    if (status != 200)
        send_error(page, status, error.message);
    else if (request.subject == FLEET_SHOW)
        answer_viewer(pages, page, &request);
    else
        answer_store(pages, page, &request);
}

/* ---- What is there at once ----------------------------------------------------------- */

/* The viewer's own files come by way of what it shows. */
static struct viewer_asset asset_of(const struct fleet_request *request)
{
    struct viewer_request asked;
    struct heaptap_error error;
    switch (request->subject) {
    case FLEET_PAGE:
        return (struct viewer_asset){"text/html; charset=utf-8", fleet_page_html};
    case FLEET_SCRIPT:
        return (struct viewer_asset){"text/javascript; charset=utf-8", fleet_page_script};
    case FLEET_STYLE:
        return viewer_asset_of(VIEWER_STYLE);
    case FLEET_ICON:
        return viewer_asset_of(VIEWER_ICON);
    case FLEET_SHOW:
        if (viewer_request_parse(&asked, request->rest, &error) == VIEWER_FINE)
            return viewer_asset_of(asked.subject);
        break;
    default:
        break;
    }
    return (struct viewer_asset){0};
}

static bool is_at_once(struct ingest_page *page)
{
    struct fleet_request request;
    struct heaptap_error error;
    unsigned status = fleet_request_parse(&request, page->url, &error);
    struct viewer_asset asset = status == 200 ? asset_of(&request) : (struct viewer_asset){0};
    if (status != 200)
        send_error(page, status, error.message);
    else if (asset.text)
        send_asset(page, asset);
    return status != 200 || asset.text;
}

/* ---- The thread ---------------------------------------------------------------------- */

static struct ingest_page *next_page(struct fleet_pages *pages)
{
    pthread_mutex_lock(&pages->lock);
    while (!pages->first && !pages->ends)
        pthread_cond_wait(&pages->changed, &pages->lock);
    struct ingest_page *page = pages->first;
    if (page) {
        if (!(pages->first = page->next))
            pages->last = &pages->first;
        pages->waiting--;
    }
    pthread_mutex_unlock(&pages->lock);
    return page;
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
    struct ingest_page *page;
    while ((page = next_page(pages))) {
        if (is_ending(pages))
            send_error(page, 503, "this server ends");
        else
            answer(pages, page);
        page->done(page);
    }
    return NULL;
}

static bool put(struct fleet_pages *pages, struct ingest_page *page)
{
    pthread_mutex_lock(&pages->lock);
    bool is_taken = !pages->ends && pages->waiting < WAITING_MAX;
    if (is_taken) {
        page->next = NULL;
        *pages->last = page;
        pages->last = &page->next;
        pages->waiting++;
        pthread_cond_broadcast(&pages->changed);
    }
    pthread_mutex_unlock(&pages->lock);
    return is_taken;
}

static void ask(void *context, struct ingest_page *page)
{
    struct fleet_pages *pages = context;
    page->headers = viewer_headers;
    if (!is_at_once(page)) {
        if (put(pages, page))
            return;
        send_error(page, 503, "too many questions wait for an answer: ask again");
    }
    page->done(page);
}

/* ---- All ----------------------------------------------------------------------------- */

enum heaptap_status fleet_pages_new(struct fleet_pages **made, const char *store,
                                    struct heaptap_error *error)
{
    struct fleet_pages *pages = *made = calloc(1, sizeof *pages);
    if (!pages)
        return error_no_memory(error);
    pages->last = &pages->first;
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
