#include "fleet/ingest/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "fleet/ingest/symbols.h"
#include "fleet/ingest/writer.h"
#include "net/access.h"

struct ingest_server {
    struct net_server *net;
    char *token; /* NULL for none */
    struct ingest_taking taking;
    struct ingest_writer *writer;
    const struct ingest_pages *pages; /* NULL: there are none */
    struct ingest_scraper *scraper;   /* NULL where nothing is fetched */
};

/* What the server has of a request. */
struct asked {
    struct ingest_request request;
    struct ingest_job job; /* for the writer, of a profile */
};

/* Access is checked first: others don't learn which pages there are. */
static unsigned check(void *context, struct net_request *request, struct heaptap_error *error)
{
    struct ingest_server *server = context;
    struct ingest_request *asked = &((struct asked *)request->own)->request;
    struct heaptap_error of_sender;
    unsigned status = ingest_request_parse(asked, request->method, request->url, error);
    enum access_to to = asked->path == INGEST_HEALTH || asked->path == INGEST_READY ? ACCESS_PUBLIC
                        : asked->path == INGEST_PAGE                                ? ACCESS_PAGES
                                                                                    : ACCESS_ALL;
    unsigned sender = access_check(request, server->token, to, &of_sender);
    request->allowed = asked->method;
    if (sender == 200)
        return status;
    *error = of_sender;
    return sender;
}

static void answer_text(struct net_request *request, char *text, size_t size, bool is_static)
{
    net_answer(request, &(struct net_answer){.status = 200,
                                             .type = "text/plain; charset=utf-8",
                                             .text = text,
                                             .size = size,
                                             .is_static = is_static});
}

static void answer_word(struct net_request *request, const char *word)
{
    answer_text(request, (char *)word, strlen(word), true);
}

/* ---- How it is doing ----------------------------------------------------------------- */

static void answer_health(struct ingest_server *server, struct net_request *request)
{
    answer_word(request, "ok\n");
}

/* While no profile can be stored this is 503, so that a balancer sends to another server. */
static void answer_ready(struct ingest_server *server, struct net_request *request)
{
    char why[HEALTH_WHY_BYTES];
    if (health_is_good(server->taking.health, why))
        answer_word(request, "ready\n");
    else
        net_refuse(request, 503, why);
}

static void answer_metrics(struct ingest_server *server, struct net_request *request)
{
    struct text text = {0};
    if (!ingest_put_metrics(&server->taking, &text))
        text_release(&text);
    answer_text(request, text.bytes, text.size, false);
}

/* ---- Profiles ------------------------------------------------------------------------ */

/* By a thread of the writer's. */
static void answer_job(struct ingest_job *job)
{
    if (job->status == 200)
        answer_word(job->context, job->is_new ? "added\n" : "there before\n");
    else
        net_refuse(job->context, job->status, job->error.message);
}

static void answer_profile(struct ingest_server *server, struct net_request *request)
{
    struct asked *asked = request->own;
    struct heaptap_error error;
    unsigned status = ingest_admit(&server->taking, request->size, &error);
    asked->job = (struct ingest_job){
        .request = &asked->request,
        .body = request->body,
        .size = request->size,
        .done = answer_job,
        .context = request,
    };
    if (status != 200)
        net_refuse(request, status, error.message);
    else if (!ingest_writer_put(server->writer, &asked->job))
        net_refuse(request, 503, "this server ends: send it again");
}

/* ---- All of them --------------------------------------------------------------------- */

static void answer_page(struct ingest_server *server, struct net_request *request)
{
    if (server->pages)
        server->pages->ask(server->pages->context, request);
    else
        net_refuse(request, 404, "there is no such page: profiles go to /profiles or /ingest");
}

static void answer(void *context, struct net_request *request)
{
    static void (*const answers[])(struct ingest_server *, struct net_request *) = {
        [INGEST_PROFILES] = answer_profile, [INGEST_PYROSCOPE] = answer_profile,
        [INGEST_HEALTH] = answer_health,    [INGEST_METRICS] = answer_metrics,
        [INGEST_READY] = answer_ready,      [INGEST_PAGE] = answer_page,
    };
    answers[((struct asked *)request->own)->request.path](context, request);
}

static void count_refused(void *context, unsigned status)
{
    ingest_count_refused(&((struct ingest_server *)context)->taking, status);
}

/* ---- The server ---------------------------------------------------------------------- */

static enum heaptap_status listen_at(struct ingest_server *server,
                                     const struct ingest_server_options *options,
                                     struct heaptap_error *error)
{
    const struct net_service service = {
        .context = server,
        .own_bytes = sizeof(struct asked),
        .check = check,
        .answer = answer,
        .count_refused = count_refused,
        .part = "profile",
        .refused_part = "prev_profile",
        .refused_why = "there is a 'prev_profile': this server takes profiles of one interval, not "
                       "those that count from the program's start",
    };
    const struct net_options how = {.address = options->address,
                                    .is_open = options->token,
                                    .tls = options->tls,
                                    .body_bytes = options->limits.body_bytes,
                                    .seconds = options->limits.seconds};
    return net_server_new(&server->net, &how, &service, error);
}

static enum heaptap_status set_up(struct ingest_server *server,
                                  const struct ingest_server_options *options,
                                  struct heaptap_error *error)
{
    if (options->token && !(server->token = strdup(options->token)))
        return error_no_memory(error);
    enum heaptap_status status = ingest_symbols_new(&server->taking.symbols, options->debug_folder,
                                                    options->debuginfod, error);
    if (status == HEAPTAP_OK)
        status = ingest_writer_new(&server->writer, &server->taking, error);
    if (status == HEAPTAP_OK && options->store)
        status = health_new(&server->taking.health, options->store, options->say,
                            options->say_context, error);
    return status == HEAPTAP_OK ? listen_at(server, options, error) : status;
}

enum heaptap_status ingest_server_new(struct ingest_server **made,
                                      const struct ingest_server_options *options,
                                      struct store *store, struct heaptap_error *error)
{
    struct ingest_server *server = *made = calloc(1, sizeof *server);
    if (!server)
        return error_no_memory(error);
    server->taking = (struct ingest_taking){
        .store = store, .limits = options->limits, .lock = PTHREAD_MUTEX_INITIALIZER};
    server->pages = options->pages;
    enum heaptap_status status = set_up(server, options, error);
    if (status == HEAPTAP_OK)
        return status;
    ingest_server_free(server);
    *made = NULL;
    return status;
}

enum heaptap_status ingest_server_scrape(struct ingest_server *server,
                                         const struct ingest_targets *targets,
                                         ingest_scrape_say *say, void *context,
                                         struct heaptap_error *error)
{
    return ingest_scraper_new(&server->scraper, targets, &server->taking, server->writer, say,
                              context, error);
}

void ingest_server_free(struct ingest_server *server)
{
    if (!server)
        return;
    ingest_scraper_free(server->scraper);
    net_server_end(server->net);
    ingest_writer_end(server->writer);
    net_server_free(server->net);
    ingest_writer_free(server->writer);
    ingest_symbols_free(server->taking.symbols);
    health_free(server->taking.health);
    free(server->token);
    free(server);
}

void ingest_server_address(const struct ingest_server *server, char *address)
{
    net_server_address(server->net, address);
}
