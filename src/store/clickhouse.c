#include "store/clickhouse_wire.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"
#include "base/url.h"
#include "store/password.h"

static const char scheme[] = "clickhouse://";

enum { CONNECT_SECONDS = 10, SLOW_SECONDS = 300, SAID_MAX = 160 };

bool clickhouse_is(const char *path)
{
    return strncmp(path, scheme, strlen(scheme)) == 0;
}

/* ---- Queries ------------------------------------------------------------------------- */

static size_t take(char *bytes, size_t size, size_t count, void *context)
{
    struct text *answer = context;
    text_put(answer, bytes, size * count);
    return answer->failed ? 0 : size * count;
}

/* The first line of what the server says is wrong, without what could confuse a terminal. */
static enum heaptap_status refuse(const struct text *answer, long code, struct heaptap_error *error)
{
    char said[SAID_MAX + 1];
    size_t size = 0;
    while (size < answer->size && size < SAID_MAX && answer->bytes[size] != '\n')
        size++;
    for (size_t i = 0; i < size; i++)
        said[i] = isprint((unsigned char)answer->bytes[i]) ? answer->bytes[i] : '?';
    said[size] = 0;
    return error_set(error, HEAPTAP_SYSTEM, "ClickHouse answers %ld: %s", code, said);
}

/* The query is a parameter of the URL where data follows, and else the body: it can be long. */
static bool prepare(struct clickhouse *clickhouse, const char *query, const struct text *data)
{
    char *escaped = data ? curl_easy_escape(clickhouse->curl, query, 0) : NULL;
    struct text url = {0};
    text_put_string(&url, clickhouse->url);
    if (*clickhouse->session) {
        text_put_string(&url, "&session_id=");
        text_put_string(&url, clickhouse->session);
    }
    if (clickhouse->leaves_out)
        text_put_string(&url, "&skip_unavailable_shards=1");
    if (data) {
        text_put_string(&url, "&query=");
        text_put_string(&url, escaped ? escaped : "");
    }
    text_put_char(&url, 0);
    bool done = !url.failed && (escaped || !data);
    if (done) {
        curl_easy_setopt(clickhouse->curl, CURLOPT_URL, url.bytes);
        curl_easy_setopt(clickhouse->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)(data ? data->size : strlen(query)));
        curl_easy_setopt(clickhouse->curl, CURLOPT_POSTFIELDS, data ? data->bytes : query);
    }
    curl_free(escaped);
    text_release(&url);
    return done;
}

enum heaptap_status clickhouse_ask(struct clickhouse *clickhouse, const char *query,
                                   const struct text *data, struct text *answer,
                                   struct heaptap_error *error)
{
    struct text nothing = {0}, *to = answer ? answer : &nothing;
    long code = 0;
    if ((data && data->failed) || !prepare(clickhouse, query, data))
        return error_no_memory(error);
    curl_easy_setopt(clickhouse->curl, CURLOPT_WRITEDATA, to);
    CURLcode result = curl_easy_perform(clickhouse->curl);
    curl_easy_getinfo(clickhouse->curl, CURLINFO_RESPONSE_CODE, &code);
    enum heaptap_status status = HEAPTAP_OK;
    if (to->failed)
        status = error_no_memory(error);
    else if (result != CURLE_OK)
        status = error_set(error, HEAPTAP_SYSTEM, "ClickHouse: %s", curl_easy_strerror(result));
    else if (code != 200)
        status = refuse(to, code, error);
    text_release(&nothing);
    return status;
}

enum heaptap_status clickhouse_number(struct clickhouse *clickhouse, const char *query,
                                      int64_t *number, struct heaptap_error *error)
{
    struct text answer = {0};
    enum heaptap_status status = clickhouse_ask(clickhouse, query, NULL, &answer, error);
    text_put_char(&answer, 0);
    if (status == HEAPTAP_OK && answer.failed)
        status = error_no_memory(error);
    *number = status == HEAPTAP_OK ? strtoll(answer.bytes, NULL, 10) : 0;
    text_release(&answer);
    return status;
}

/* The server forgets a session a minute after its last query. */
void clickhouse_begin_session(struct clickhouse *clickhouse)
{
    uint64_t number[2] = {0};
    if (getrandom(number, sizeof number, 0) != sizeof number)
        number[0] = (uint64_t)getpid();
    snprintf(clickhouse->session, sizeof clickhouse->session, "%016llx%016llx",
             (unsigned long long)number[0], (unsigned long long)number[1]);
}

void clickhouse_end_session(struct clickhouse *clickhouse)
{
    *clickhouse->session = 0;
}

/* ---- Opening ------------------------------------------------------------------------- */

/* Sets url to that of a query, without a database yet; and the database's name. */
static enum heaptap_status parse_path(struct clickhouse *clickhouse, const char *path,
                                      const char **database, struct heaptap_error *error)
{
    const char *rest = path + strlen(scheme), *slash = strchr(rest, '/');
    *database = slash ? slash + 1 : "";
    size_t size =
        strspn(*database, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (!slash || slash == rest || size == 0 || (*database)[size] || size > DATABASE_NAME_MAX ||
        slash - rest > HOST_MAX || !url_has_good_port(rest))
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "a store in ClickHouse is clickhouse://HOST:PORT/DATABASE, the port that "
                         "of HTTP, the name of letters, digits and _");
    size_t server = (size_t)(slash - rest), user = 0;
    const char *password = store_password_of(rest, server), *at = memchr(rest, '@', server);
    if (password && at)
        user = (size_t)(at - rest);
    clickhouse->server_size = (size_t)snprintf(
        clickhouse->url, sizeof clickhouse->url,
        "http://%.*s%s%s%.*s/?wait_end_of_query=1&max_query_size=100000000"
        "&insert_distributed_sync=1&load_balancing=in_order",
        (int)user, rest, user ? ":" : "", user ? password : "", (int)(server - user), rest + user);
    if (clickhouse->server_size >= SERVER_MAX)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "the name of the server is too long");
    return HEAPTAP_OK;
}

static void use_database(struct clickhouse *clickhouse, const char *database)
{
    snprintf(clickhouse->url + clickhouse->server_size,
             sizeof clickhouse->url - clickhouse->server_size, "&database=%s", database);
}

static enum heaptap_status check_version(struct clickhouse *clickhouse, const char *database,
                                         struct heaptap_error *error)
{
    char query[256];
    int64_t version;
    snprintf(query, sizeof query,
             "SELECT count() FROM system.tables WHERE database = '%s' AND name = 'heaptap_version'",
             database);
    enum heaptap_status status = clickhouse_number(clickhouse, query, &version, error);
    if (status == HEAPTAP_OK && version == 0)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "this is no store of profiles; `heaptap fleet store init` makes one");
    use_database(clickhouse, database);
    if (status == HEAPTAP_OK)
        status = clickhouse_find_cluster(clickhouse, error);
    if (status == HEAPTAP_OK)
        status = clickhouse_number(clickhouse, "SELECT max(version) FROM heaptap_version", &version,
                                   error);
    if (status == HEAPTAP_OK && version != CLICKHOUSE_VERSION)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "this is a store of version %lld; this heaptap knows version %d",
                         (long long)version, CLICKHOUSE_VERSION);
    return status;
}

static enum heaptap_status make_curl(struct clickhouse *clickhouse, struct heaptap_error *error)
{
    enum heaptap_status status = net_curl_load(error);
    if (status != HEAPTAP_OK)
        return status;
    clickhouse->curl = curl_easy_init();
    if (!clickhouse->curl)
        return error_no_memory(error);
    curl_easy_setopt(clickhouse->curl, CURLOPT_POST, 1L);
    curl_easy_setopt(clickhouse->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(clickhouse->curl, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(clickhouse->curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(clickhouse->curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(clickhouse->curl, CURLOPT_TIMEOUT, (long)SLOW_SECONDS);
    curl_easy_setopt(clickhouse->curl, CURLOPT_WRITEFUNCTION, take);
    return HEAPTAP_OK;
}

static enum heaptap_status make_sender(struct clickhouse *clickhouse, struct heaptap_error *error)
{
    struct clickhouse *sender = clickhouse->sender = calloc(1, sizeof *sender);
    if (!sender)
        return error_no_memory(error);
    memcpy(sender->url, clickhouse->url, sizeof sender->url);
    return make_curl(sender, error);
}

static enum heaptap_status begin(struct clickhouse *clickhouse, const char *path,
                                 const char **database, struct heaptap_error *error)
{
    enum heaptap_status status = parse_path(clickhouse, path, database, error);
    return status == HEAPTAP_OK ? make_curl(clickhouse, error) : status;
}

enum heaptap_status clickhouse_init_cluster(const char *path, const char *cluster,
                                            struct heaptap_error *error)
{
    struct clickhouse *clickhouse = calloc(1, sizeof *clickhouse);
    const char *database;
    if (!clickhouse)
        return error_no_memory(error);
    enum heaptap_status status = begin(clickhouse, path, &database, error);
    if (status == HEAPTAP_OK)
        status = clickhouse_make_on(clickhouse, database, cluster, error);
    clickhouse_close(clickhouse);
    return status;
}

static enum heaptap_status connect_to(struct clickhouse *clickhouse, const char *path,
                                      enum store_mode mode, struct heaptap_error *error)
{
    const char *database;
    enum heaptap_status status = begin(clickhouse, path, &database, error);
    if (status == HEAPTAP_OK && mode == STORE_INIT)
        status = clickhouse_make(clickhouse, database, error);
    if (status == HEAPTAP_OK)
        status = check_version(clickhouse, database, error);
    return status == HEAPTAP_OK && mode != STORE_READ ? make_sender(clickhouse, error) : status;
}

enum heaptap_status clickhouse_open(struct clickhouse **made, const char *path,
                                    enum store_mode mode, struct heaptap_error *error)
{
    struct clickhouse *clickhouse = *made = calloc(1, sizeof *clickhouse);
    if (!clickhouse)
        return error_no_memory(error);
    enum heaptap_status status = connect_to(clickhouse, path, mode, error);
    if (status != HEAPTAP_OK) {
        clickhouse_close(clickhouse);
        *made = NULL;
    }
    return status;
}

void clickhouse_close(struct clickhouse *clickhouse)
{
    if (!clickhouse)
        return;
    if (clickhouse->curl)
        curl_easy_cleanup(clickhouse->curl);
    clickhouse_close(clickhouse->sender);
    clickhouse_batch_release(&clickhouse->batch);
    clickhouse_known_release(&clickhouse->known);
    free(clickhouse);
}
