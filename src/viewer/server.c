#include "viewer/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/url.h"
#include "http/framing.h"
#include "http/microhttpd.h"
#include "viewer/answer.h"
#include "viewer/request.h"
#include "viewer/served.h"

/* libmicrohttpd closes what comes beyond its limit of connections, instead of letting it wait; a
 * browser opens six, a test a hundred. */
enum { CONNECTIONS_MAX = 800, IDLE_SECONDS = 60, TOKEN_BYTES = 16 };

struct viewer_server {
    struct MHD_Daemon *daemon;
    uint16_t port;
    char token[2 * TOKEN_BYTES + 1]; /* the first part of the path of all that is asked for */
    pthread_mutex_t lock;            /* around what follows */
    struct viewer_state state;
};

/* ---- Responses --------------------------------------------------------------------------- */

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status,
                                     const char *type, struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", type);
    for (const struct url_header *header = viewer_headers; header->name; header++)
        MHD_add_response_header(response, header->name, header->value);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED || status == MHD_HTTP_BAD_REQUEST)
        MHD_add_response_header(response, "Connection", "close"); /* where it ends is not known */
    enum MHD_Result sent = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status,
                                 const char *text)
{
    return send_response(
        connection, status, "text/plain; charset=utf-8",
        MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, struct viewer_server *server,
                                   const struct viewer_request *request)
{
    struct viewer_answer answer;
    pthread_mutex_lock(&server->lock);
    viewer_answer_make(&answer, &server->state, request);
    pthread_mutex_unlock(&server->lock);
    if (!answer.text)
        return send_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
    return send_response(
        connection, answer.verdict, "application/json",
        MHD_create_response_from_buffer(answer.size, answer.text, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result send_subject(struct MHD_Connection *connection, struct viewer_server *server,
                                    const struct viewer_request *request)
{
    struct viewer_asset asset = viewer_asset_of(request->subject);
    if (!asset.text)
        return send_answer(connection, server, request);
    return send_response(connection, MHD_HTTP_OK, asset.type,
                         MHD_create_response_from_buffer(strlen(asset.text), (void *)asset.text,
                                                         MHD_RESPMEM_PERSISTENT));
}

/* ---- Requests ---------------------------------------------------------------------------- */

/* libmicrohttpd gives the raw URL here only; it goes with the connection to handle and finish. */
static void *keep_url(void *context, const char *url, struct MHD_Connection *connection)
{
    char *kept = strdup(url);
    http_hide_query(url);
    return kept;
}

static void forget_url(void *context, struct MHD_Connection *connection, void **url,
                       enum MHD_RequestTerminationCode how)
{
    free(*url);
    *url = NULL;
}

/* What follows the token in a URL, "/..."; NULL where it isn't there.  How long that takes does not say
 * how much of it was right. */
static const char *after_token(const struct viewer_server *server, const char *url)
{
    size_t size = strlen(server->token), wrong = 0;
    if (strnlen(url, size + 2) < size + 2 || url[0] != '/' || url[size + 1] != '/')
        return NULL;
    for (size_t i = 0; i < size; i++)
        wrong |= (unsigned char)(url[1 + i] ^ server->token[i]);
    return wrong ? NULL : url + 1 + size;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **url)
{
    struct viewer_server *server = context;
    struct viewer_request request;
    struct heaptap_error error;
    const char *ambiguity = http_ambiguity(connection);
    if (ambiguity)
        return send_text(connection, MHD_HTTP_BAD_REQUEST, ambiguity);
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (!url_host_is_own(host, server->port))
        return send_text(connection, MHD_HTTP_FORBIDDEN,
                         "this server answers under the address that heaptap view printed, and "
                         "under no other name\n");
    if (strcmp(method, "GET") != 0)
        return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "this server only knows GET\n");
    if (!*url)
        return MHD_NO;
    const char *asked = after_token(server, *url);
    if (!asked)
        return send_text(connection, MHD_HTTP_FORBIDDEN,
                         "this server answers those who have the whole address that heaptap view "
                         "printed, with the letters and digits after the port\n");
    enum viewer_verdict verdict = viewer_request_parse(&request, asked, &error);
    if (verdict == VIEWER_FINE)
        return send_subject(connection, server, &request);
    return send_text(connection, verdict, error.message);
}

/* ---- The server -------------------------------------------------------------------------- */

static bool draw_token(struct viewer_server *server)
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    for (int i = 0; i < TOKEN_BYTES; i++)
        sprintf(server->token + 2 * i, "%02x", bytes[i]);
    return true;
}

static bool start(struct viewer_server *server, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, port, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR,
        &address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_LISTEN_BACKLOG_SIZE,
        (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536,
        MHD_OPTION_URI_LOG_CALLBACK, keep_url, NULL, MHD_OPTION_NOTIFY_COMPLETED, forget_url, NULL,
        MHD_OPTION_END);
    return server->daemon;
}

enum heaptap_status viewer_server_new(struct viewer_server **made, uint16_t port, const char *name,
                                      struct heaptap_error *error)
{
    *made = NULL;
    enum heaptap_status status = http_microhttpd_load(error);
    if (status != HEAPTAP_OK)
        return status;
    struct viewer_server *server = calloc(1, sizeof *server);
    if (!server)
        return error_no_memory(error);
    pthread_mutex_init(&server->lock, NULL);
    server->state.name = name;
    errno = 0;
    if (!draw_token(server)) {
        error_system(error, "drawing a token for the address");
        viewer_server_free(server);
        return HEAPTAP_SYSTEM;
    }
    if (!start(server, port)) {
        char what[80];
        snprintf(what, sizeof what, "cannot listen on 127.0.0.1, port %u", port);
        error_system(error, what);
        viewer_server_free(server);
        return HEAPTAP_SYSTEM;
    }
    server->port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    *made = server;
    return HEAPTAP_OK;
}

void viewer_server_free(struct viewer_server *server)
{
    if (!server)
        return;
    if (server->daemon)
        MHD_stop_daemon(server->daemon);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

void viewer_server_address(const struct viewer_server *server, char *address)
{
    snprintf(address, VIEWER_ADDRESS_BYTES, "http://127.0.0.1:%u/%s/", server->port, server->token);
}

void viewer_server_progress(struct viewer_server *server, uint64_t bytes, uint64_t whole,
                            const struct heaptap_trace_info *info)
{
    pthread_mutex_lock(&server->lock);
    snprintf(server->state.program, sizeof server->state.program, "%s", info->executable);
    server->state.start_us = info->start_us;
    server->state.bytes_read = bytes;
    server->state.bytes_whole = whole;
    pthread_mutex_unlock(&server->lock);
}

void viewer_server_show(struct viewer_server *server, struct viewer_dataset **files, size_t count,
                        bool is_live)
{
    pthread_mutex_lock(&server->lock);
    server->state.files = files;
    server->state.file_count = count;
    server->state.is_live = is_live;
    server->state.generation++;
    pthread_mutex_unlock(&server->lock);
}

void viewer_server_set_base(struct viewer_server *server, struct viewer_dataset *base)
{
    pthread_mutex_lock(&server->lock);
    server->state.base = base;
    pthread_mutex_unlock(&server->lock);
}

void viewer_server_set_sources(struct viewer_server *server, const struct viewer_sources *sources)
{
    pthread_mutex_lock(&server->lock);
    server->state.sources = sources;
    pthread_mutex_unlock(&server->lock);
}

void viewer_server_show_one(struct viewer_server *server, size_t index, struct viewer_dataset *file)
{
    pthread_mutex_lock(&server->lock);
    server->state.files[index] = file;
    server->state.generation++;
    pthread_mutex_unlock(&server->lock);
}

void viewer_server_fail(struct viewer_server *server, const char *message)
{
    pthread_mutex_lock(&server->lock);
    snprintf(server->state.failure, sizeof server->state.failure, "%s", message);
    pthread_mutex_unlock(&server->lock);
}
