#include "fleet/ingest/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/error.h"
#include "net/query.h"

static const struct {
    const char *name, *method;
    enum ingest_path path;
} paths[] = {
    {"/profiles", "POST", INGEST_PROFILES}, {"/ingest", "POST", INGEST_PYROSCOPE},
    {"/healthz", "GET", INGEST_HEALTH},     {"/readyz", "GET", INGEST_READY},
    {"/metrics", "GET", INGEST_METRICS},
};

/* ---- Values -------------------------------------------------------------------------- */

/* Seconds since the epoch, or milli-, micro- or nanoseconds: agents send any of them, and their sizes tell them apart for the
 * years from 1973 to 5138. */
static bool parse_time(const char *text, int64_t *us)
{
    char *end;
    errno = 0;
    long long number = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : -1;
    if (number <= 0 || *end || errno == ERANGE)
        return false;
    *us = number < 100000000000         ? number * 1000000
          : number < 100000000000000    ? number * 1000
          : number < 100000000000000000 ? number
                                        : number / 1000;
    return true;
}

static unsigned refuse(enum heaptap_status status)
{
    return status == HEAPTAP_OK ? 200 : 400;
}

static unsigned refuse_twice(const char *name, struct heaptap_error *error)
{
    error_set(error, HEAPTAP_BAD_ARGUMENT, "the query has '%.60s' twice", name);
    return 400;
}

static unsigned take_time(int64_t *us, const char *name, const char *value,
                          struct heaptap_error *error)
{
    if (*us)
        return refuse_twice(name, error);
    if (parse_time(value, us))
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT,
              "'%s' takes a time in seconds since the epoch, not '%.40s'", name, value);
    return 400;
}

static unsigned set_label(struct ingest_request *request, const char *key, size_t key_size,
                          const char *value, size_t value_size, struct heaptap_error *error)
{
    return refuse(store_labels_set(&request->labels, key, key_size, value, value_size, error));
}

/* ---- Pyroscope ----------------------------------------------------------------------- */

/* "key=value" of a name; keys such as __session_id__ are the agent's own, new at every start. */
static unsigned take_tag(struct ingest_request *request, char *tag, struct heaptap_error *error)
{
    char *equals = strchr(tag, '=');
    while (*tag == ' ')
        tag++;
    if (!equals) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "'name' has '%.60s' without a value", tag);
        return 400;
    }
    char *value = equals + 1;
    size_t size = strlen(value);
    if (size >= 2 && value[0] == '"' && value[size - 1] == '"') {
        value++;
        size -= 2;
    }
    if (begins_with(tag, "__"))
        return 200;
    return set_label(request, tag, (size_t)(equals - tag), value, size, error);
}

/* "app{key=value,...}". */
static unsigned take_name(struct ingest_request *request, char *name, struct heaptap_error *error)
{
    size_t size = strcspn(name, "{");
    char *rest = name[size] ? name + size + 1 : NULL;
    unsigned status = set_label(request, "service", strlen("service"), name, size, error);
    if (!rest || status != 200)
        return status;
    size_t end = strlen(rest);
    if (end == 0 || rest[end - 1] != '}') {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "'name' has a { without its } at the end");
        return 400;
    }
    rest[end - 1] = 0;
    for (char *tag = strsep(&rest, ","); tag && status == 200; tag = strsep(&rest, ","))
        if (*tag)
            status = take_tag(request, tag, error);
    return status;
}

static unsigned take_pyroscope(struct ingest_request *request, const char *name, char *value,
                               struct heaptap_error *error)
{
    if (strcmp(name, "name") == 0 && request->labels.count > 0)
        return refuse_twice(name, error);
    if (strcmp(name, "name") == 0)
        return take_name(request, value, error);
    if (strcmp(name, "format") != 0 || strcmp(value, "pprof") == 0)
        return 200; /* spyName, sampleRate and others: the profile itself says it */
    error_set(error, HEAPTAP_BAD_ARGUMENT, "the format is '%.40s'; this server takes pprof", value);
    return 415;
}

/* ---- The query ----------------------------------------------------------------------- */

static unsigned take(struct ingest_request *request, const char *name, char *value,
                     struct heaptap_error *error)
{
    if (strcmp(name, "from") == 0)
        return take_time(&request->from_us, name, value, error);
    if (strcmp(name, "until") == 0)
        return take_time(&request->until_us, name, value, error);
    if (request->path == INGEST_PYROSCOPE)
        return take_pyroscope(request, name, value, error);
    if (store_labels_find(&request->labels, name))
        return refuse_twice(name, error);
    return set_label(request, name, strlen(name), value, strlen(value), error);
}

static unsigned parse_query(struct ingest_request *request, const char *url,
                            struct heaptap_error *error)
{
    struct net_query query;
    net_query_init(&query, url);
    unsigned status = net_query_next(&query, error);
    while (status == 200 && query.name) {
        status = take(request, query.name, query.value, error);
        if (status == 200)
            status = net_query_next(&query, error);
    }
    if (status == 200 && request->from_us && request->until_us &&
        request->from_us > request->until_us) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "'from' is after 'until'");
        return 400;
    }
    if (status == 200 && request->path == INGEST_PYROSCOPE && request->labels.count == 0) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "there is no 'name': /ingest?name=APP{KEY=VALUE}");
        return 400;
    }
    return status;
}

unsigned ingest_request_parse(struct ingest_request *request, const char *method, const char *url,
                              struct heaptap_error *error)
{
    size_t size = strcspn(url, "?"), i = 0, count = sizeof paths / sizeof paths[0];
    *request = (struct ingest_request){0};
    while (i < count && (strlen(paths[i].name) != size || memcmp(paths[i].name, url, size) != 0))
        i++;
    if (i == count && strcmp(method, "GET") == 0) {
        request->path = INGEST_PAGE;
        request->method = "GET";
    } else if (i == count) {
        error_set(error, HEAPTAP_BAD_ARGUMENT,
                  "there is no such page: profiles go to /profiles or /ingest");
        return 404;
    } else {
        request->path = paths[i].path;
        request->method = paths[i].method;
    }
    if (strcmp(method, request->method) != 0) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "%s takes %s alone", paths[i].name, paths[i].method);
        return 405;
    }
    if (strlen(url) > NET_URL_MAX) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "the query is longer than %d bytes", NET_URL_MAX);
        return 414;
    }
    if (request->path != INGEST_PROFILES && request->path != INGEST_PYROSCOPE)
        return 200;
    return parse_query(request, url, error);
}
