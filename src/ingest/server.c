#include "ingest/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/url.h"
#include "ingest/writer.h"

/* Bodies in all that are on their way at once may have four times the size of one. */
enum {
    CONNECTIONS_MAX = 900,
    IDLE_SECONDS = 20,
    BODIES_AT_ONCE = 4,
    END_MILLISECONDS = 2000 /* for what is answered while the server ends */
};

struct ingest_server {
    struct MHD_Daemon *daemon;
    struct ingest_taking taking;
    struct ingest_writer *writer;
    struct ingest_scraper *scraper; /* NULL where nothing is fetched */
    atomic_uint unanswered;         /* requests */
    char *token;                    /* NULL for none */
    char host[48];
    uint16_t port;
    bool is_ipv6;
    size_t held; /* bytes of bodies that are not whole yet */
};

/* A request while it arrives. */
struct incoming {
    char *url;
    bool has_begun;
    struct ingest_request request;
    uint8_t *body;
    size_t size, capacity;
    unsigned status; /* 200, or why it will be refused */
    struct heaptap_error error;
    time_t began;
    struct ingest_job job; /* for the writer, once all is there */
    bool is_given;         /* to the writer, which has it or is done with it */
};

static time_t seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

/* ---- Responses ----------------------------------------------------------------------- */

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status,
                                 const char *text, size_t size, const char *allowed)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)text, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    if (status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (status == 405)
        MHD_add_response_header(response, "Allow", allowed);
    if (status == 429 || status == 503)
        MHD_add_response_header(response, "Retry-After", "1");
    enum MHD_Result sent = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result refuse(struct ingest_server *server, struct MHD_Connection *connection,
                              const struct incoming *incoming)
{
    char text[sizeof incoming->error.message + 2];
    const char *allowed = incoming->url && (strncmp(incoming->url, "/healthz", 8) == 0 ||
                                            strncmp(incoming->url, "/metrics", 8) == 0)
                              ? "GET"
                              : "POST";
    ingest_count_refused(&server->taking, incoming->status);
    snprintf(text, sizeof text, "%s\n", incoming->error.message);
    return send_text(connection, incoming->status, text, strlen(text), allowed);
}

static enum MHD_Result send_metrics(struct ingest_server *server, struct MHD_Connection *connection)
{
    struct text text = {0};
    enum MHD_Result sent = ingest_put_metrics(&server->taking, &text)
                               ? send_text(connection, 200, text.bytes, text.size, NULL)
                               : MHD_NO;
    text_release(&text);
    return sent;
}

/* ---- Who may ask --------------------------------------------------------------------- */

static bool is_token(const struct ingest_server *server, const char *given)
{
    static const char bearer[] = "Bearer ";
    size_t size = strlen(server->token);
    unsigned wrong = 0;
    if (!given || strncmp(given, bearer, strlen(bearer)) != 0)
        return false;
    given += strlen(bearer);
    if (strlen(given) != size)
        return false;
    for (size_t i = 0; i < size; i++) /* how long it takes does not say how much was right */
        wrong |= (unsigned char)(given[i] ^ server->token[i]);
    return !wrong;
}

/* Without a token anybody on this machine may send; but no page of the web through a browser here, which names itself as the
 * Origin, or, its name being made to lead here, as the Host. */
static unsigned check_sender(const struct ingest_server *server, struct MHD_Connection *connection,
                             const struct ingest_request *request, struct heaptap_error *error)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (server->token) {
        const char *given =
            MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
        if (request->path == INGEST_HEALTH || is_token(server, given))
            return 200;
        error_set(error, HEAPTAP_BAD_ARGUMENT,
                  "this server wants its token: Authorization: Bearer TOKEN");
        return 401;
    }
    if (url_host_is_own(host, server->port) &&
        !MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin"))
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT,
              "this server answers programs of this machine, under the address at which it "
              "listens");
    return 403;
}

/* ---- A request ----------------------------------------------------------------------- */

static unsigned check_size(const struct ingest_server *server, struct MHD_Connection *connection,
                           struct heaptap_error *error)
{
    const char *text = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    if (!text || strtoull(text, NULL, 10) <= server->taking.limits.body_bytes)
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT, "the profile is larger than %zu bytes",
              server->taking.limits.body_bytes);
    return 413;
}

static enum MHD_Result begin(struct ingest_server *server, struct MHD_Connection *connection,
                             struct incoming *incoming, const char *method)
{
    incoming->has_begun = true;
    incoming->began = seconds_now();
    incoming->status =
        ingest_request_parse(&incoming->request, method, incoming->url, &incoming->error);
    unsigned sender = check_sender(server, connection, &incoming->request, &incoming->error);
    if (sender != 200)
        incoming->status = sender;
    if (incoming->status == 200)
        incoming->status = check_size(server, connection, &incoming->error);
    return incoming->status == 200 ? MHD_YES : refuse(server, connection, incoming);
}

static void drop_body(struct ingest_server *server, struct incoming *incoming)
{
    server->held -= incoming->size;
    free(incoming->body);
    incoming->body = NULL;
    incoming->size = incoming->capacity = 0;
}

static void refuse_rest(struct ingest_server *server, struct incoming *incoming, unsigned status,
                        const char *sentence)
{
    drop_body(server, incoming);
    incoming->status = status;
    error_set(&incoming->error, HEAPTAP_BAD_ARGUMENT, "%s", sentence);
}

/* What is refused in the midst of its body is answered at the end of it; the rest is thrown away. */
static enum MHD_Result take_bytes(struct ingest_server *server, struct incoming *incoming,
                                  const char *bytes, size_t size)
{
    size_t most = server->taking.limits.body_bytes;
    if (seconds_now() - incoming->began > server->taking.limits.seconds)
        return MHD_NO;
    if (incoming->status != 200)
        return MHD_YES;
    if (size > most - incoming->size) {
        refuse_rest(server, incoming, 413, "the profile is larger than this server takes");
        return MHD_YES;
    }
    if (server->held + size > BODIES_AT_ONCE * most) {
        refuse_rest(server, incoming, 503, "too many profiles arrive at once: send it again");
        return MHD_YES;
    }
    if (incoming->size + size > incoming->capacity) {
        size_t capacity = (incoming->size + size) * 2;
        uint8_t *body = realloc(incoming->body, capacity);
        if (!body) {
            refuse_rest(server, incoming, 500, "out of memory");
            return MHD_YES;
        }
        incoming->body = body;
        incoming->capacity = capacity;
    }
    memcpy(incoming->body + incoming->size, bytes, size);
    incoming->size += size;
    server->held += size;
    return MHD_YES;
}

/* The connection sleeps until the profile is stored, and then finish_profile is called again. */
static void wake(struct ingest_job *job)
{
    MHD_resume_connection(job->context);
}

static void give_to_writer(struct ingest_server *server, struct MHD_Connection *connection,
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
    if (ingest_writer_put(server->writer, &incoming->job))
        return;
    incoming->job.status = 503;
    error_set(&incoming->job.error, HEAPTAP_BAD_ARGUMENT, "this server ends: send it again");
    MHD_resume_connection(connection);
}

static enum MHD_Result finish_profile(struct ingest_server *server,
                                      struct MHD_Connection *connection, struct incoming *incoming)
{
    if (incoming->status == 200 && !incoming->is_given)
        incoming->status = ingest_admit(&server->taking, incoming->size, &incoming->error);
    if (incoming->status == 200 && !incoming->is_given) {
        give_to_writer(server, connection, incoming);
        return MHD_YES;
    }
    if (incoming->is_given) {
        incoming->status = incoming->job.status;
        incoming->error = incoming->job.error;
    }
    if (incoming->status != 200)
        return refuse(server, connection, incoming);
    const char *said = incoming->job.is_new ? "added\n" : "there before\n";
    return send_text(connection, 200, said, strlen(said), NULL);
}

static enum MHD_Result finish(struct ingest_server *server, struct MHD_Connection *connection,
                              struct incoming *incoming)
{
    if (incoming->request.path == INGEST_HEALTH)
        return send_text(connection, 200, "ok\n", 3, NULL);
    if (incoming->request.path == INGEST_METRICS)
        return send_metrics(server, connection);
    return finish_profile(server, connection, incoming);
}

/* ---- libmicrohttpd ------------------------------------------------------------------- */

/* The raw URL is given here only. */
static void *receive(void *context, const char *url, struct MHD_Connection *connection)
{
    struct ingest_server *server = context;
    struct incoming *incoming = calloc(1, sizeof *incoming);
    if (incoming && !(incoming->url = strdup(url))) {
        free(incoming);
        return NULL;
    }
    server->unanswered += incoming != NULL;
    return incoming;
}

static void forget(void *context, struct MHD_Connection *connection, void **given,
                   enum MHD_RequestTerminationCode how)
{
    struct incoming *incoming = *given;
    if (!incoming)
        return;
    struct ingest_server *server = context;
    drop_body(server, incoming);
    free(incoming->url);
    free(incoming);
    *given = NULL;
    server->unanswered--;
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
    if (*upload_size > 0) {
        enum MHD_Result taken = take_bytes(server, incoming, upload, *upload_size);
        *upload_size = 0;
        return taken;
    }
    return finish(server, connection, incoming);
}

/* ---- The server ---------------------------------------------------------------------- */

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
}

/* Splits HOST:PORT; false where it is not that. */
static bool parse_address(struct ingest_server *server, const char *text, char *port, size_t size)
{
    const char *colon = strrchr(text, ':');
    size_t host = colon ? (size_t)(colon - text) : 0;
    if (host == 0 || strlen(colon + 1) == 0 || strlen(colon + 1) >= size)
        return false;
    if (text[0] == '[' && text[host - 1] == ']') {
        text++;
        host -= 2;
        server->is_ipv6 = true;
    }
    if (host == 0 || host >= sizeof server->host)
        return false;
    memcpy(server->host, text, host);
    strcpy(port, colon + 1);
    return strspn(port, "0123456789") == strlen(port);
}

static enum heaptap_status start(struct ingest_server *server, const struct sockaddr *address,
                                 struct heaptap_error *error)
{
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     (server->is_ipv6 ? MHD_USE_IPv6 : 0);
    errno = 0;
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR, address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536,
        MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U, MHD_OPTION_URI_LOG_CALLBACK, receive, server,
        MHD_OPTION_NOTIFY_COMPLETED, forget, server, MHD_OPTION_END);
    if (!server->daemon)
        return error_system(error, "cannot listen there");
    server->port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return HEAPTAP_OK;
}

static enum heaptap_status listen_at(struct ingest_server *server, const char *text,
                                     struct heaptap_error *error)
{
    struct addrinfo *found,
        how = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    char port[8];
    if (!parse_address(server, text, port, sizeof port) ||
        getaddrinfo(server->host, port, &how, &found) != 0)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "'%.60s' is no address to listen at: use 127.0.0.1:4040 or [::1]:4040",
                         text);
    enum heaptap_status status =
        server->token || is_loopback(found->ai_addr)
            ? start(server, found->ai_addr, error)
            : error_set(error, HEAPTAP_BAD_ARGUMENT,
                        "other machines reach %.60s: use --token FILE, or listen at 127.0.0.1",
                        text);
    freeaddrinfo(found);
    return status;
}

enum heaptap_status ingest_server_new(struct ingest_server **made, const char *address,
                                      const char *token, const struct ingest_limits *limits,
                                      struct store *store, struct heaptap_error *error)
{
    struct ingest_server *server = *made = calloc(1, sizeof *server);
    if (!server)
        return error_no_memory(error);
    server->taking = (struct ingest_taking){
        .store = store, .limits = *limits, .lock = PTHREAD_MUTEX_INITIALIZER};
    server->token = token ? strdup(token) : NULL;
    enum heaptap_status status = token && !server->token
                                     ? error_no_memory(error)
                                     : ingest_writer_new(&server->writer, &server->taking, error);
    if (status == HEAPTAP_OK)
        status = listen_at(server, address, error);
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

/* No more is taken in; what was, is stored and answered. */
static void end_daemon(struct ingest_server *server)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    MHD_socket listening = MHD_quiesce_daemon(server->daemon);
    ingest_writer_end(server->writer);
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
        ingest_writer_end(server->writer);
    ingest_writer_free(server->writer);
    free(server->token);
    free(server);
}

void ingest_server_address(const struct ingest_server *server, char *address)
{
    snprintf(address, INGEST_ADDRESS_BYTES, server->is_ipv6 ? "http://[%s]:%u" : "http://%s:%u",
             server->host, server->port);
}
