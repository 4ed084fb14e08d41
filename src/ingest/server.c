#include "ingest/server.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "http/framing.h"
#include "http/microhttpd.h"
#include "ingest/access.h"
#include "ingest/listen.h"
#include "ingest/routes.h"
#include "ingest/symbols.h"
#include "ingest/watch.h"

enum {
    CONNECTIONS_MAX = 900,
    IDLE_SECONDS = 20,
    END_MILLISECONDS = 2000 /* for what is answered while the server ends */
};

struct ingest_server {
    struct MHD_Daemon *daemon;
    struct listen_address address;
    const struct ingest_tls *tls; /* NULL: not encrypted */
    struct access access;
    struct routes routes;
    struct ingest_scraper *scraper; /* NULL where nothing is fetched */
    atomic_uint unanswered;         /* requests */
    struct incoming_bodies bodies;
    struct watch *watch; /* of slow connections */
};

/* ---- A request ----------------------------------------------------------------------- */

/* A body without a length would be read as the next request. */
static unsigned check_length(struct MHD_Connection *connection, const char *method,
                             struct heaptap_error *error)
{
    if (strcmp(method, "POST") != 0 ||
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length") ||
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Transfer-Encoding"))
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT, "the request has no Content-Length");
    return 411;
}

static unsigned check_size(const struct ingest_limits *limits, struct MHD_Connection *connection,
                           struct heaptap_error *error)
{
    const char *text = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    if (!text || strtoull(text, NULL, 10) <= limits->body_bytes)
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT, "the profile is larger than %zu bytes",
              limits->body_bytes);
    return 413;
}

static unsigned check_framing(struct MHD_Connection *connection, struct heaptap_error *error)
{
    const char *ambiguity = http_ambiguity(connection);
    if (!ambiguity)
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT, "%.*s", (int)strcspn(ambiguity, "\n"), ambiguity);
    return 400;
}

static unsigned check_sender(const struct ingest_server *server, struct MHD_Connection *connection,
                             enum ingest_path path, struct heaptap_error *error)
{
    struct access_headers headers = {
        .host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
        .origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin"),
        .authorization = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization"),
    };
    enum access_to to = path == INGEST_HEALTH || path == INGEST_READY ? ACCESS_PUBLIC
                        : path == INGEST_PAGE                         ? ACCESS_PAGES
                                                                      : ACCESS_ALL;
    return access_check(&server->access, &headers, to, error);
}

static enum MHD_Result begin(struct ingest_server *server, struct MHD_Connection *connection,
                             struct incoming *incoming, const char *method)
{
    incoming->has_begun = true;
    incoming->status =
        ingest_request_parse(&incoming->request, method, incoming->url, &incoming->error);
    unsigned sender = check_sender(server, connection, incoming->request.path, &incoming->error);
    if (sender != 200)
        incoming->status = sender;
    unsigned framing = check_framing(connection, &incoming->error);
    if (framing != 200)
        incoming->status = framing;
    if (incoming->status == 200)
        incoming->status = check_length(connection, method, &incoming->error);
    if (incoming->status == 200)
        incoming->status = check_size(&server->routes.taking.limits, connection, &incoming->error);
    return incoming->status == 200 ? MHD_YES : routes_refuse(&server->routes, connection, incoming);
}

/* ---- libmicrohttpd ------------------------------------------------------------------- */

static struct watched *watched_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void come_or_go(void *context, struct MHD_Connection *connection, void **watched,
                       enum MHD_ConnectionNotificationCode what)
{
    struct ingest_server *server = context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        watch_remove(server->watch, *watched);
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *watched = info ? watch_add(server->watch, info->connect_fd) : NULL;
}

/* The raw URL is given here only. */
static void *receive(void *context, const char *url, struct MHD_Connection *connection)
{
    struct ingest_server *server = context;
    struct incoming *incoming = incoming_new(url);
    http_hide_query(url);
    server->unanswered += incoming != NULL;
    return incoming;
}

static void forget(void *context, struct MHD_Connection *connection, void **given,
                   enum MHD_RequestTerminationCode how)
{
    struct ingest_server *server = context;
    if (!*given)
        return;
    watch_begin(server->watch, watched_of(connection)); /* for the next request */
    incoming_free(*given, &server->bodies);
    *given = NULL;
    server->unanswered--;
}

/* While the profile is stored, or the page made, the connection is not watched. */
static enum MHD_Result answer(struct ingest_server *server, struct MHD_Connection *connection,
                              struct incoming *incoming)
{
    bool was_given = incoming->is_given;
    watch_pause(server->watch, watched_of(connection));
    enum MHD_Result done = routes_answer(&server->routes, connection, incoming);
    if (was_given || !incoming->is_given)
        watch_begin(server->watch, watched_of(connection));
    return done;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **given)
{
    struct ingest_server *server = context;
    struct incoming *incoming = *given;
    if (!incoming)
        return MHD_NO;
    if (!incoming->has_begun)
        return begin(server, connection, incoming, method);
    if (*upload_size == 0)
        return answer(server, connection, incoming);
    watch_touch(server->watch, watched_of(connection));
    incoming_take(incoming, &server->bodies, upload, *upload_size);
    *upload_size = 0;
    return MHD_YES;
}

/* ---- The server ---------------------------------------------------------------------- */

static enum heaptap_status start(struct ingest_server *server, struct heaptap_error *error)
{
    static const char versions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
    const struct ingest_tls *tls = server->tls;
    struct MHD_OptionItem encrypted[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, tls ? tls->certificate : NULL},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, tls ? tls->key : NULL},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)versions},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     (server->address.is_ipv6 ? MHD_USE_IPv6 : 0) | (tls ? MHD_USE_TLS : 0);
    server->access.port =
        server->address.port; /* the first requests come before the daemon is returned */
    errno = 0;
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR, &server->address.socket,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536,
        MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U, MHD_OPTION_URI_LOG_CALLBACK, receive, server,
        MHD_OPTION_NOTIFY_COMPLETED, forget, server, MHD_OPTION_NOTIFY_CONNECTION, come_or_go,
        server, tls ? MHD_OPTION_ARRAY : MHD_OPTION_END, encrypted, MHD_OPTION_END);
    if (!server->daemon)
        return error_system(error, "cannot listen there");
    server->access.port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return HEAPTAP_OK;
}

static enum heaptap_status listen_at(struct ingest_server *server, const char *text,
                                     struct heaptap_error *error)
{
    enum heaptap_status status = listen_parse(&server->address, text, error);
    if (status != HEAPTAP_OK)
        return status;
    if (!server->access.token && !server->address.is_loopback)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "other machines reach %.60s: use --token FILE, or listen at 127.0.0.1",
                         text);
    return start(server, error);
}

static enum heaptap_status set_up(struct ingest_server *server,
                                  const struct ingest_server_options *options,
                                  struct heaptap_error *error)
{
    if (options->token && !(server->access.token = strdup(options->token)))
        return error_no_memory(error);
    enum heaptap_status status = ingest_symbols_new(
        &server->routes.taking.symbols, options->debug_folder, options->debuginfod, error);
    if (status == HEAPTAP_OK)
        status = ingest_writer_new(&server->routes.writer, &server->routes.taking, error);
    if (status == HEAPTAP_OK && options->store)
        status = health_new(&server->routes.taking.health, options->store, options->say,
                            options->say_context, error);
    if (status == HEAPTAP_OK)
        status = watch_new(&server->watch, options->limits.seconds, error);
    return status == HEAPTAP_OK ? listen_at(server, options->address, error) : status;
}

enum heaptap_status ingest_server_new(struct ingest_server **made,
                                      const struct ingest_server_options *options,
                                      struct store *store, struct heaptap_error *error)
{
    *made = NULL;
    enum heaptap_status status = http_microhttpd_load(error);
    if (status != HEAPTAP_OK)
        return status;
    struct ingest_server *server = *made = calloc(1, sizeof *server);
    if (!server)
        return error_no_memory(error);
    server->routes.taking = (struct ingest_taking){
        .store = store, .limits = options->limits, .lock = PTHREAD_MUTEX_INITIALIZER};
    server->routes.pages = options->pages;
    server->tls = options->tls;
    server->bodies.limits = &server->routes.taking.limits;
    status = set_up(server, options, error);
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
    return ingest_scraper_new(&server->scraper, targets, &server->routes.taking,
                              server->routes.writer, say, context, error);
}

/* No more is taken in; what was, is stored and answered. */
static void end_daemon(struct ingest_server *server)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    MHD_socket listening = MHD_quiesce_daemon(server->daemon);
    ingest_writer_end(server->routes.writer);
    routes_end(&server->routes);
    for (int i = 0; i < END_MILLISECONDS && server->unanswered > 0; i++)
        nanosleep(&moment, NULL);
    MHD_stop_daemon(server->daemon);
    if (listening != MHD_INVALID_SOCKET)
        close(listening);
}

void ingest_server_free(struct ingest_server *server)
{
    if (!server)
        return;
    ingest_scraper_free(server->scraper);
    if (server->daemon)
        end_daemon(server);
    else
        ingest_writer_end(server->routes.writer);
    ingest_writer_free(server->routes.writer);
    ingest_symbols_free(server->routes.taking.symbols);
    watch_free(server->watch);
    health_free(server->routes.taking.health);
    free(server->access.token);
    free(server);
}

void ingest_server_address(const struct ingest_server *server, char *address)
{
    snprintf(address, INGEST_ADDRESS_BYTES, server->address.is_ipv6 ? "%s://[%s]:%u" : "%s://%s:%u",
             server->tls ? "https" : "http", server->address.host, server->access.port);
}
