#include "agent/agent.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "agent/about.h"
#include "agent/client.h"
#include "agent/fit.h"
#include "agent/message.h"
#include "agent/root.h"
#include "agent/tool.h"
#include "base/plain.h"

enum { CALLS_MOST = 8, WATCH_MS = 500, PROGRESS_MS = 1000 };

/* JSON-RPC's own numbers. */
enum {
    NO_JSON = -32700,
    NO_REQUEST = -32600,
    NO_METHOD = -32601,
    BAD_PARAMETERS = -32602,
    BUSY = -32000
};

struct server {
    const struct agent_options *options;
    struct client client;
    const struct about_version *version; /* that is spoken */
    struct call calls[CALLS_MOST];       /* that run; without an id: none */
};

/* ---- Messages to the client ---------------------------------------------------------------- */

/* Takes over the message. */
static void send(struct server *server, json_t *message)
{
    char *text = fit_text(message);
    json_decref(message);
    if (text)
        client_put(&server->client, text, strlen(text));
    free(text);
}

static void send_result(struct server *server, const json_t *id, json_t *result)
{
    send(server, json_pack("{s:s,s:O,s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

static void send_error(struct server *server, const json_t *id, int code, const char *message)
{
    json_t *known = id ? json_incref((json_t *)id) : json_null();
    send(server, json_pack("{s:s,s:o,s:{s:i,s:s}}", "jsonrpc", "2.0", "id", known, "error", "code",
                           code, "message", message));
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* What the step's command leaves. */
static void release_step(struct call *call)
{
    if (call->job.pid) {
        job_kill(&call->job);
        job_wait(&call->job);
    }
    if (call->job.end_ms)
        job_release(&call->job);
    call->job = (struct job){0};
    words_release(&call->command);
}

static void release_call(struct call *call)
{
    release_step(call);
    text_release(&call->text);
    free(call->file);
    json_decref(call->id);
    json_decref(call->token);
    json_decref(call->arguments);
    json_decref(call->result);
    *call = (struct call){0};
}

/* Ends what runs.  A recording that has no end is of no use, and would keep its name. */
static void give_up(struct server *server, struct call *call)
{
    char *file = call->step == CALL_RUN && call->file ? strdup(call->file) : NULL;
    release_call(call);
    if (file)
        root_remove_recording(server->options->root, file);
    free(file);
}

/* An object, where the client knows of such; of what is text, this. */
static json_t *structured(const struct call *call, const char *text)
{
    return call->result ? json_incref(call->result) : json_pack("{s:s}", "text", text);
}

static json_t *result_of(struct server *server, struct call *call)
{
    text_put_char(&call->text, 0);
    if (call->error.status == HEAPTAP_OK && call->text.failed)
        call_refuse(call, "out of memory");
    bool failed = call->error.status != HEAPTAP_OK;
    char *json = call->result && !failed ? fit_text(call->result) : NULL;
    const char *text = failed ? plain_as(call->error.message, PLAIN_KEEP_LINES)
                       : json ? json
                              : call->text.bytes;
    json_t *result = json_pack("{s:[{s:s,s:s}],s:b}", "content", "type", "text", "text", text,
                               "isError", failed);
    if (!failed && about_has(server->version, ABOUT_OUTPUT_SCHEMAS))
        json_object_set_new(result, "structuredContent", structured(call, text));
    free(json);
    return result;
}

/* Sends what the call came to, and forgets it. */
static void end_call(struct server *server, struct call *call)
{
    send_result(server, call->id, result_of(server, call));
    release_call(call);
}

/* Begins the call's step, or ends the call where nothing is to be run for it. */
static void start_step(struct server *server, struct call *call)
{
    enum call_step step = call->step;
    if (step != CALL_DONE && !call->tool->begin(call) && call->error.status == HEAPTAP_OK)
        call_refuse(call, "out of memory");
    if (call->command.failed)
        call_refuse(call, "out of memory");
    if (call->error.status == HEAPTAP_OK && call->step != CALL_DONE &&
        !job_start(&call->job, &call->command, call->options->root, call->seconds))
        call_refuse(call, "no process could be started: %s", strerror(errno));
    if (call->error.status != HEAPTAP_OK || call->step == CALL_DONE)
        end_call(server, call);
}

static void finish_step(struct server *server, struct call *call)
{
    int status = job_wait(&call->job);
    call->tool->finish(call, status);
    release_step(call);
    if (call->error.status != HEAPTAP_OK)
        call->step = CALL_DONE;
    start_step(server, call);
}

/* ---- Progress ------------------------------------------------------------------------------ */

/* How long the call has taken: what it comes to in the end nobody knows. */
static void tell_progress(struct server *server, struct call *call)
{
    static const char *const doing[] = {
        [CALL_RUN] = "recording", [CALL_TEXT] = "reading", [CALL_JSON] = "reading again, for JSON"};
    int64_t now = job_now_ms();
    if (!call->token || now - call->told_ms < PROGRESS_MS)
        return;
    call->told_ms = now;
    json_t *parameters = json_pack("{s:O,s:f}", "progressToken", call->token, "progress",
                                   (double)(now - call->started_ms) / 1000);
    if (about_has(server->version, ABOUT_PROGRESS_MESSAGES))
        json_object_set_new(parameters, "message", json_string(doing[call->step]));
    send(server, json_pack("{s:s,s:s,s:o}", "jsonrpc", "2.0", "method", "notifications/progress",
                           "params", parameters));
}

static struct call *free_call(struct server *server)
{
    for (size_t i = 0; i < CALLS_MOST; i++)
        if (!server->calls[i].id)
            return &server->calls[i];
    return NULL;
}

/* ---- Requests ------------------------------------------------------------------------------ */

static void initialize(struct server *server, const json_t *id, const json_t *parameters)
{
    server->version =
        about_version(json_string_value(json_object_get(parameters, "protocolVersion")));
    send_result(server, id, about_server(server->options, server->version));
}

static void start_call(struct server *server, struct call *call, const struct tool *tool,
                       const json_t *parameters)
{
    json_t *arguments = json_object_get(parameters, "arguments");
    json_t *token = json_object_get(json_object_get(parameters, "_meta"), "progressToken");
    bool has_token = json_is_string(token) || json_is_integer(token);
    call->options = server->options;
    call->tool = tool;
    call->arguments = arguments ? json_incref(arguments) : json_object();
    call->seconds = server->options->timeout;
    call->token = has_token ? json_incref(token) : NULL;
    call->started_ms = call->told_ms = job_now_ms();
    bool is_right = arguments_check(call, tool->arguments);
    bool runs = tool->runs && json_object_get(call->arguments, "command");
    call->step = !is_right ? CALL_DONE : runs ? CALL_RUN : CALL_TEXT;
    start_step(server, call);
}

static void call_tool(struct server *server, const json_t *id, const json_t *parameters)
{
    const char *name = json_string_value(json_object_get(parameters, "name"));
    const struct tool *tool = name ? tool_find(name, server->options) : NULL;
    const json_t *arguments = json_object_get(parameters, "arguments");
    struct call *call = free_call(server);
    if (!tool) {
        send_error(server, id, BAD_PARAMETERS, "there is no such tool");
    } else if (arguments && !json_is_object(arguments)) {
        send_error(server, id, BAD_PARAMETERS, "arguments have to be an object");
    } else if (!call) {
        send_error(server, id, BUSY, "too many questions at once: wait for an answer");
    } else {
        call->id = json_incref((json_t *)id);
        start_call(server, call, tool, parameters);
    }
}

/* The client doesn't want the answer any more, and gets none, nor the part of a recording that is there. */
static void cancel(struct server *server, const json_t *parameters)
{
    const json_t *id = json_object_get(parameters, "requestId");
    for (size_t i = 0; i < CALLS_MOST; i++)
        if (server->calls[i].id && id && json_equal(server->calls[i].id, id))
            give_up(server, &server->calls[i]);
}

static void take_request(struct server *server, const json_t *message, const json_t *id,
                         const char *method)
{
    const json_t *parameters = json_object_get(message, "params");
    if (!id) {
        if (strcmp(method, "notifications/cancelled") == 0)
            cancel(server, parameters);
    } else if (strcmp(method, "initialize") == 0)
        initialize(server, id, parameters);
    else if (strcmp(method, "ping") == 0)
        send_result(server, id, json_object());
    else if (strcmp(method, "tools/list") == 0)
        send_result(server, id, about_tools(server->options, server->version));
    else if (strcmp(method, "tools/call") == 0)
        call_tool(server, id, parameters);
    else
        send_error(server, id, NO_METHOD, "there is no such method");
}

/* One message.  What is no JSON-RPC is answered where there is somebody to be answered. */
static void take_message(struct server *server, const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    const char *method = json_string_value(json_object_get(message, "method"));
    const json_t *parameters = json_object_get(message, "params");
    bool has_id = json_is_string(id) || json_is_integer(id);
    if (method && has_id && parameters && !json_is_object(parameters))
        send_error(server, id, BAD_PARAMETERS, "params have to be an object");
    else if (method && (has_id || !id))
        take_request(server, message, id, method);
    else if (!json_object_get(message, "result") && !json_object_get(message, "error"))
        send_error(server, has_id ? id : NULL, NO_REQUEST, "this is no request of JSON-RPC 2.0");
}

/* Only one version of the protocol has arrays of messages; each is answered by itself. */
static void take_line(struct server *server, const char *bytes, size_t size)
{
    json_error_t wrong;
    const json_t *item;
    size_t i;
    json_t *message = message_read(bytes, size, &wrong);
    bool is_batch = json_is_array(message) && about_has(server->version, ABOUT_BATCHES);
    if (!message)
        send_error(server, NULL, NO_JSON, plain(wrong.text));
    else if (!is_batch || json_array_size(message) == 0)
        take_message(server, message);
    else
        json_array_foreach (message, i, item)
            take_message(server, item);
    json_decref(message);
}

static void read_client(struct server *server)
{
    enum client_line what;
    const char *bytes;
    size_t size;
    client_read(&server->client);
    while ((what = client_next(&server->client, &bytes, &size)) == CLIENT_LINE) {
        take_line(server, bytes, size);
        client_done(&server->client, size);
    }
    if (what == CLIENT_TOO_LONG)
        send_error(server, NULL, NO_REQUEST, "the message is longer than 256 MB");
}

/* ---- The loop ------------------------------------------------------------------------------ */

static bool is_running(const struct server *server)
{
    for (size_t i = 0; i < CALLS_MOST; i++)
        if (server->calls[i].id)
            return true;
    return false;
}

static void watch_calls(struct server *server, const struct pollfd *polls)
{
    for (size_t i = 0; i < 2 * CALLS_MOST; i++)
        if (polls[i].revents)
            job_read(&server->calls[i / 2].job, polls[i].fd);
    for (size_t i = 0; i < CALLS_MOST; i++) {
        struct call *call = &server->calls[i];
        if (!call->id)
            continue;
        job_watch(&call->job);
        tell_progress(server, call);
        if (job_is_over(&call->job))
            finish_step(server, call);
    }
}

/* What can be waited for: the client, to say something and to listen, and two pipes of each call. */
static void wait_for_any(struct server *server)
{
    struct client *client = &server->client;
    struct pollfd polls[2 + 2 * CALLS_MOST] = {
        {client_takes_input(client) ? client->in : -1, POLLIN, 0},
        {client->is_deaf ? -1 : client->out, client_has_output(client) ? POLLOUT : 0, 0},
    };
    for (size_t i = 0; i < CALLS_MOST; i++) {
        bool runs = server->calls[i].id;
        polls[2 + 2 * i] = (struct pollfd){runs ? server->calls[i].job.out : -1, POLLIN, 0};
        polls[3 + 2 * i] = (struct pollfd){runs ? server->calls[i].job.err : -1, POLLIN, 0};
    }
    if (poll(polls, 2 + 2 * CALLS_MOST, is_running(server) ? WATCH_MS : -1) < 0)
        return;
    watch_calls(server, polls + 2);
    if (polls[1].revents & (POLLERR | POLLHUP | POLLNVAL))
        client->is_over = client->is_deaf = true; /* nobody reads any more */
    else if (polls[1].revents)
        client_write(client);
    if (polls[0].revents)
        read_client(server);
}

enum heaptap_status agent_serve(const struct agent_options *options, int in, int out,
                                struct heaptap_error *error)
{
    struct agent_options own = *options;
    char *root = realpath(options->root, NULL);
    if (!root)
        return error_set(error, HEAPTAP_SYSTEM, "%s", strerror(errno));
    own.root = root;
    struct server server = {
        .options = &own, .version = about_version(NULL), .client = {.in = in, .out = out}};
    struct client *client = &server.client;
    while (!client->is_over || (!client->is_deaf && is_running(&server)) ||
           client_has_output(client))
        wait_for_any(&server);
    for (size_t i = 0; i < CALLS_MOST; i++)
        if (server.calls[i].id)
            give_up(&server, &server.calls[i]);
    client_release(client);
    free(root);
    return HEAPTAP_OK;
}
