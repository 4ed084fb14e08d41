/* A request is a struct incoming from its first line on (receive) until its connection has sent the answer or is gone (forget). */
#include "net/server.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "net/framing.h"
#include "net/incoming.h"
#include "net/listen.h"
#include "net/microhttpd.h"
#include "net/response.h"
#include "net/watch.h"

/* libmicrohttpd closes what comes beyond its limit of connections, instead of letting it wait. */
enum {
    CONNECTIONS_MAX = 900,
    CONNECTION_BYTES = 65536,
    IDLE_SECONDS = 20,
    END_MILLISECONDS = 2000 /* for what is answered while the server ends */
};

struct net_server {
    struct MHD_Daemon *daemon;
    MHD_socket listening; /* once it ends, for us to close */
    struct net_service service;
    struct listen_address address;
    bool is_encrypted;
    _Atomic uint16_t port; /* 0: not known yet */
    struct watch *watch;   /* of slow connections */
    struct incoming_bodies bodies;
    atomic_uint unsent, unanswered; /* requests; by the service, of those that it was asked */
    atomic_bool ends;
};

/* ---- A request ----------------------------------------------------------------------- */

unsigned net_fault(struct heaptap_error *error, unsigned status, const char *sentence)
{
    error_set(error, HEAPTAP_BAD_ARGUMENT, "%s", sentence);
    return status;
}

/* A body without a length would be read as the next request. */
static unsigned check_length(const struct net_request *request, struct heaptap_error *error)
{
    if (strcmp(request->method, "POST") != 0 || net_request_header(request, "Content-Length") ||
        net_request_header(request, "Transfer-Encoding"))
        return 200;
    return net_fault(error, 411, "the request has no Content-Length");
}

static unsigned check_size(const struct net_server *server, const struct net_request *request,
                           struct heaptap_error *error)
{
    const char *text = net_request_header(request, "Content-Length");
    if (!text || strtoull(text, NULL, 10) <= server->bodies.most)
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT, "the request's body is larger than %zu bytes",
              server->bodies.most);
    return 413;
}

/* What the service says of a request is not told where its headers are ambiguous. */
static enum MHD_Result begin(struct net_server *server, struct incoming *incoming,
                             const char *method)
{
    struct net_request *request = &incoming->request;
    struct heaptap_error *error = &incoming->error;
    const char *ambiguity = net_ambiguity(incoming->request.connection);
    incoming->has_begun = true;
    request->method = method;
    request->port = server->port;
    unsigned status = ambiguity ? net_fault(error, 400, ambiguity)
                                : server->service.check(server->service.context, request, error);
    if (status == 200)
        status = check_length(request, error);
    if (status == 200)
        status = check_size(server, request, error);
    if (status == 200 && server->service.part)
        status = incoming_begin_form(incoming, error);
    incoming->status = status;
    return status == 200 ? MHD_YES : response_refuse(incoming);
}

/* The connection sleeps until the service answers, and then `handle` is called again. */
static void ask(struct net_server *server, struct incoming *incoming)
{
    incoming->is_asked = true;
    watch_pause(server->watch, incoming_watched(incoming));
    server->unanswered++;
    MHD_suspend_connection(incoming->request.connection);
    if (server->ends)
        net_refuse(&incoming->request, 503, "this server ends: send it again");
    else
        server->service.answer(server->service.context, &incoming->request);
}

static void wake(struct incoming *incoming)
{
    struct net_server *server = incoming->server;
    MHD_resume_connection(incoming->request.connection);
    server->unanswered--;
}

void net_answer(struct net_request *request, const struct net_answer *answer)
{
    struct incoming *incoming = (struct incoming *)request;
    incoming->answer = *answer;
    wake(incoming);
}

void net_refuse(struct net_request *request, unsigned status, const char *sentence)
{
    struct incoming *incoming = (struct incoming *)request;
    incoming->status = net_fault(&incoming->error, status, sentence);
    wake(incoming);
}

/* ---- libmicrohttpd ------------------------------------------------------------------- */

static void come_or_go(void *context, struct MHD_Connection *connection, void **watched,
                       enum MHD_ConnectionNotificationCode what)
{
    struct net_server *server = context;
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
    struct net_server *server = context;
    struct incoming *incoming = incoming_new(url, server, &server->service, connection);
    net_hide_query(url);
    server->unsent += incoming != NULL;
    return incoming;
}

static void forget(void *context, struct MHD_Connection *connection, void **given,
                   enum MHD_RequestTerminationCode how)
{
    struct net_server *server = context;
    if (!*given)
        return;
    watch_begin(server->watch, incoming_watched(*given)); /* for the next request */
    incoming_free(*given, &server->bodies);
    *given = NULL;
    server->unsent--;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **given)
{
    struct net_server *server = context;
    struct incoming *incoming = *given;
    if (!incoming)
        return MHD_NO;
    if (!incoming->has_begun)
        return begin(server, incoming, method);
    if (*upload_size > 0) {
        watch_touch(server->watch, incoming_watched(incoming));
        incoming_take(incoming, &server->bodies, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    if (!incoming->is_asked)
        incoming_end_form(incoming);
    if (incoming->status == 200 && !incoming->is_asked) {
        ask(server, incoming);
        return MHD_YES;
    }
    watch_begin(server->watch, incoming_watched(incoming));
    return incoming->status == 200 ? response_send(incoming) : response_refuse(incoming);
}

/* ---- The server ---------------------------------------------------------------------- */

static enum heaptap_status start(struct net_server *server, const struct net_tls *tls,
                                 struct heaptap_error *error)
{
    static const char versions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
    struct MHD_OptionItem encrypted[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, tls ? tls->certificate : NULL},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, tls ? tls->key : NULL},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)versions},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     (server->address.is_ipv6 ? MHD_USE_IPv6 : 0) | (tls ? MHD_USE_TLS : 0);
    char what[80];
    server->port = server->address.port; /* requests may come before the daemon is returned */
    errno = 0;
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR, &server->address.socket,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_LISTEN_BACKLOG_SIZE,
        (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_STRICT_FOR_CLIENT,
        1, MHD_OPTION_URI_LOG_CALLBACK, receive, server, MHD_OPTION_NOTIFY_COMPLETED, forget,
        server, MHD_OPTION_NOTIFY_CONNECTION, come_or_go, server,
        tls ? MHD_OPTION_ARRAY : MHD_OPTION_END, encrypted, MHD_OPTION_END);
    if (!server->daemon) {
        snprintf(what, sizeof what, "cannot listen on %s, port %u", server->address.host,
                 server->address.port);
        return error_system(error, what);
    }
    server->port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return HEAPTAP_OK;
}

static enum heaptap_status set_up(struct net_server *server, const struct net_options *options,
                                  struct heaptap_error *error)
{
    enum heaptap_status status = listen_parse(&server->address, options->address, error);
    if (status != HEAPTAP_OK)
        return status;
    if (!options->is_open && !server->address.is_loopback)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "other machines reach %.60s: use --token FILE, or listen at 127.0.0.1",
                         options->address);
    status = watch_new(&server->watch, options->seconds, error);
    return status == HEAPTAP_OK ? start(server, options->tls, error) : status;
}

enum heaptap_status net_server_new(struct net_server **made, const struct net_options *options,
                                   const struct net_service *service, struct heaptap_error *error)
{
    *made = NULL;
    enum heaptap_status status = net_microhttpd_load(error);
    if (status != HEAPTAP_OK)
        return status;
    struct net_server *server = *made = calloc(1, sizeof *server);
    if (!server)
        return error_no_memory(error);
    server->service = *service;
    server->is_encrypted = options->tls;
    server->bodies.most = options->body_bytes;
    status = set_up(server, options, error);
    if (status == HEAPTAP_OK)
        return status;
    net_server_free(server);
    *made = NULL;
    return status;
}

void net_server_end(struct net_server *server)
{
    if (!server || !server->daemon || server->ends)
        return;
    server->ends = true;
    server->listening = MHD_quiesce_daemon(server->daemon);
}

static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* What was taken in is answered, and sent if that doesn't take long. */
static void end_daemon(struct net_server *server)
{
    net_server_end(server);
    while (server->unanswered > 0)
        wait_a_moment();
    for (int i = 0; i < END_MILLISECONDS && server->unsent > 0; i++)
        wait_a_moment();
    MHD_stop_daemon(server->daemon);
    if (server->listening != MHD_INVALID_SOCKET)
        close(server->listening);
}

void net_server_free(struct net_server *server)
{
    if (!server)
        return;
    if (server->daemon)
        end_daemon(server);
    watch_free(server->watch);
    free(server);
}

void net_server_address(const struct net_server *server, char *address)
{
    snprintf(address, NET_ADDRESS_BYTES, server->address.is_ipv6 ? "%s://[%s]:%u" : "%s://%s:%u",
             server->is_encrypted ? "https" : "http", server->address.host, server->port);
}
