#include "page/server.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/hex.h"
#include "net/access.h"
#include "net/server.h"
#include "page/answer.h"
#include "page/kept_answers.h"
#include "page/request.h"
#include "page/served.h"

enum { REQUEST_SECONDS = 60, TOKEN_BYTES = 16 };

struct viewer_server {
    struct net_server *net;
    char token[2 * TOKEN_BYTES + 1]; /* the first part of the path of all that is asked for */
    pthread_mutex_t lock;            /* around what follows */
    struct viewer_state state;
    struct kept_answers kept; /* from what the state has */
};

/* ---- Requests ---------------------------------------------------------------------------- */

static unsigned check(void *context, struct net_request *request, struct heaptap_error *error)
{
    const struct viewer_server *server = context;
    const char *url = request->url;
    size_t size = strlen(server->token);
    request->allowed = "GET";
    if (!net_request_is_to_own_host(request))
        return net_fault(
            error, 403,
            "this server answers under the address that heaptap view printed, and under "
            "no other name");
    if (strcmp(request->method, "GET") != 0)
        return net_fault(error, 405, "this server only knows GET");
    if (strnlen(url, size + 2) == size + 2 && url[0] == '/' && url[size + 1] == '/' &&
        access_is_token(server->token, url + 1, size))
        return 200;
    return net_fault(error, 403,
                     "this server answers those who have the whole address that heaptap view "
                     "printed, with the letters and digits after the port");
}

/* `url` is what comes after the token. */
static struct net_answer answer_locked(struct viewer_server *server, const char *url,
                                       const struct viewer_request *request)
{
    bool is_kept = request->subject == VIEWER_ANSWER;
    struct net_answer answer =
        is_kept ? kept_answers_find(&server->kept, url) : (struct net_answer){0};
    if (answer.text)
        return answer;
    answer = viewer_answer_make(&server->state, request);
    if (is_kept && answer.status == VIEWER_FINE)
        kept_answers_put(&server->kept, url, &answer);
    return answer;
}

static struct net_answer answer_request(struct viewer_server *server,
                                        const struct net_request *request, const char *url,
                                        const struct viewer_request *asked)
{
    struct net_answer answer = viewer_asset_of(asked->subject);
    if (answer.text)
        return viewer_asset_packed(&answer, request);
    pthread_mutex_lock(&server->lock);
    answer = answer_locked(server, url, asked);
    pthread_mutex_unlock(&server->lock);
    return answer;
}

static void answer(void *context, struct net_request *request)
{
    struct viewer_server *server = context;
    struct viewer_request asked;
    struct heaptap_error error;
    const char *url = request->url + 1 + strlen(server->token);
    enum viewer_verdict verdict = viewer_request_parse(&asked, url, &error);
    struct net_answer made = verdict == VIEWER_FINE ? answer_request(server, request, url, &asked)
                                                    : viewer_answer_refuse(verdict, error.message);
    net_answer(request, &made);
}

/* ---- The server -------------------------------------------------------------------------- */

static enum heaptap_status draw_token(struct viewer_server *server, struct heaptap_error *error)
{
    unsigned char bytes[TOKEN_BYTES];
    errno = 0;
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return error_system(error, "drawing a token for the address");
    hex_put(server->token, bytes, sizeof bytes);
    return HEAPTAP_OK;
}

static enum heaptap_status start(struct viewer_server *server, uint16_t port,
                                 struct heaptap_error *error)
{
    char address[32];
    const struct net_service service = {.context = server, .check = check, .answer = answer};
    const struct net_options options = {.address = address, .seconds = REQUEST_SECONDS};
    snprintf(address, sizeof address, "127.0.0.1:%u", port);
    enum heaptap_status status = draw_token(server, error);
    return status == HEAPTAP_OK ? net_server_new(&server->net, &options, &service, error) : status;
}

enum heaptap_status viewer_server_new(struct viewer_server **made, uint16_t port, const char *name,
                                      struct heaptap_error *error)
{
    struct viewer_server *server = *made = calloc(1, sizeof *server);
    if (!server)
        return error_no_memory(error);
    pthread_mutex_init(&server->lock, NULL);
    server->state.name = name;
    enum heaptap_status status = start(server, port, error);
    if (status != HEAPTAP_OK) {
        viewer_server_free(server);
        *made = NULL;
    }
    return status;
}

void viewer_server_free(struct viewer_server *server)
{
    if (!server)
        return;
    net_server_free(server->net);
    kept_answers_clear(&server->kept);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

void viewer_server_address(const struct viewer_server *server, char *address)
{
    char origin[NET_ADDRESS_BYTES];
    net_server_address(server->net, origin);
    snprintf(address, VIEWER_ADDRESS_BYTES, "%s/%s/", origin, server->token);
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
    kept_answers_clear(&server->kept);
    server->state.file_count = count;
    server->state.is_live = is_live;
    server->state.generation++;
    pthread_mutex_unlock(&server->lock);
}

void viewer_server_set_base(struct viewer_server *server, struct viewer_dataset *base)
{
    pthread_mutex_lock(&server->lock);
    server->state.base = base;
    kept_answers_clear(&server->kept);
    pthread_mutex_unlock(&server->lock);
}

void viewer_server_set_sources(struct viewer_server *server, const struct viewer_sources *sources)
{
    pthread_mutex_lock(&server->lock);
    server->state.sources = sources;
    kept_answers_clear(&server->kept);
    pthread_mutex_unlock(&server->lock);
}

void viewer_server_set_reading(struct viewer_server *server, const struct viewer_reading *reading)
{
    pthread_mutex_lock(&server->lock);
    server->state.reading = reading;
    pthread_mutex_unlock(&server->lock);
}

void viewer_server_show_one(struct viewer_server *server, size_t index, struct viewer_dataset *file)
{
    pthread_mutex_lock(&server->lock);
    server->state.files[index] = file;
    kept_answers_clear(&server->kept);
    server->state.generation++;
    pthread_mutex_unlock(&server->lock);
}
