#include "ingest/routes.h"

#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/text.h"
#include "ingest/response.h"

enum MHD_Result routes_refuse(struct routes *routes, struct MHD_Connection *connection,
                              const struct incoming *incoming)
{
    ingest_count_refused(&routes->taking, incoming->status);
    return response_refusal(connection, incoming->status, incoming->error.message,
                            incoming->request.method);
}

/* ---- How it is doing ----------------------------------------------------------------- */

static enum MHD_Result answer_health(struct routes *routes, struct MHD_Connection *connection,
                                     struct incoming *incoming)
{
    return response_text(connection, "ok\n", 3);
}

/* While no profile can be stored this is 503, so that a balancer sends to another server. */
static enum MHD_Result answer_ready(struct routes *routes, struct MHD_Connection *connection,
                                    struct incoming *incoming)
{
    char why[HEALTH_WHY_BYTES];
    if (health_is_good(routes->taking.health, why))
        return response_text(connection, "ready\n", 6);
    return response_refusal(connection, 503, why, incoming->request.method);
}

static enum MHD_Result answer_metrics(struct routes *routes, struct MHD_Connection *connection,
                                      struct incoming *incoming)
{
    struct text text = {0};
    enum MHD_Result sent = ingest_put_metrics(&routes->taking, &text)
                               ? response_text(connection, text.bytes, text.size)
                               : MHD_NO;
    text_release(&text);
    return sent;
}

/* ---- Profiles ------------------------------------------------------------------------ */

/* The connection sleeps until the profile is stored, and then answer_profile is called again. */
static void wake(struct ingest_job *job)
{
    MHD_resume_connection(job->context);
}

static void give_to_writer(struct routes *routes, struct MHD_Connection *connection,
                           struct incoming *incoming)
{
    incoming->is_given = true;
    incoming->job = (struct ingest_job){
        .request = &incoming->request,
        .content_type = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Type"),
        .body = incoming->body,
        .size = incoming->size,
        .done = wake,
        .context = connection,
    };
    MHD_suspend_connection(connection);
    if (ingest_writer_put(routes->writer, &incoming->job))
        return;
    incoming->job.status = 503;
    error_set(&incoming->job.error, HEAPTAP_BAD_ARGUMENT, "this server ends: send it again");
    MHD_resume_connection(connection);
}

static enum MHD_Result answer_profile(struct routes *routes, struct MHD_Connection *connection,
                                      struct incoming *incoming)
{
    if (incoming->is_given) {
        incoming->status = incoming->job.status;
        incoming->error = incoming->job.error;
    } else
        incoming->status = ingest_admit(&routes->taking, incoming->size, &incoming->error);
    if (incoming->status == 200 && !incoming->is_given) {
        give_to_writer(routes, connection, incoming);
        return MHD_YES;
    }
    if (incoming->status != 200)
        return routes_refuse(routes, connection, incoming);
    const char *said = incoming->job.is_new ? "added\n" : "there before\n";
    return response_text(connection, said, strlen(said));
}

/* ---- Pages --------------------------------------------------------------------------- */

/* The last that is done to a page by whom makes it: once the connection goes on, all may be over but `routes`. */
static void wake_page(struct ingest_page *page)
{
    struct incoming *incoming = page->context;
    struct routes *routes = incoming->routes;
    MHD_resume_connection(incoming->connection);
    routes->asked--;
}

static enum MHD_Result refuse_page(struct routes *routes, struct MHD_Connection *connection,
                                   struct incoming *incoming, unsigned status, const char *sentence)
{
    incoming->status = status;
    error_set(&incoming->error, HEAPTAP_BAD_ARGUMENT, "%s", sentence);
    return routes_refuse(routes, connection, incoming);
}

/* The connection sleeps until the page is made, and then answer_page is called again. */
static enum MHD_Result answer_page(struct routes *routes, struct MHD_Connection *connection,
                                   struct incoming *incoming)
{
    if (incoming->is_given)
        return response_page(connection, &incoming->page);
    if (!routes->pages)
        return refuse_page(routes, connection, incoming, 404,
                           "there is no such page: profiles go to /profiles or /ingest");
    if (routes->ends)
        return refuse_page(routes, connection, incoming, 503, "this server ends");
    incoming->is_given = true;
    incoming->connection = connection;
    incoming->routes = routes;
    incoming->page = (struct ingest_page){
        .url = incoming->url,
        .done = wake_page,
        .context = incoming,
    };
    routes->asked++;
    MHD_suspend_connection(connection);
    routes->pages->ask(routes->pages->context, &incoming->page);
    return MHD_YES;
}

/* ---- All of them --------------------------------------------------------------------- */

typedef enum MHD_Result answer_function(struct routes *routes, struct MHD_Connection *connection,
                                        struct incoming *incoming);

static answer_function *const answers[] = {
    [INGEST_PROFILES] = answer_profile, [INGEST_PYROSCOPE] = answer_profile,
    [INGEST_HEALTH] = answer_health,    [INGEST_METRICS] = answer_metrics,
    [INGEST_READY] = answer_ready,      [INGEST_PAGE] = answer_page,
};

enum MHD_Result routes_answer(struct routes *routes, struct MHD_Connection *connection,
                              struct incoming *incoming)
{
    if (incoming->status != 200)
        return routes_refuse(routes, connection, incoming);
    return answers[incoming->request.path](routes, connection, incoming);
}

void routes_end(struct routes *routes)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    routes->ends = true;
    while (routes->asked > 0)
        nanosleep(&moment, NULL);
}
