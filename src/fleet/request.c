#include "fleet/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/url.h"
#include "net/query.h"
#include "report/services.h"

static unsigned refuse(struct heaptap_error *error, unsigned status, const char *sentence)
{
    error_set(error, HEAPTAP_BAD_ARGUMENT, "%s", sentence);
    return status;
}

/* ---- Values -------------------------------------------------------------------------- */

static bool copy(char *to, size_t size, const char *text)
{
    if (strlen(text) >= size)
        return false;
    strcpy(to, text);
    return true;
}

/* "all" is everything, as no path can have an empty part. */
static bool read_selection(char *to, const char *text)
{
    return copy(to, FLEET_TEXT_MAX, strcmp(text, "all") == 0 ? "" : text);
}

static bool read_of(struct fleet_request *request, const char *text)
{
    return read_selection(request->of, text);
}

static bool read_base(struct fleet_request *request, const char *text)
{
    request->has_base = true;
    return read_selection(request->against, text);
}

static bool read_by(struct fleet_request *request, const char *text)
{
    return copy(request->by, sizeof request->by, text);
}

static bool read_through(struct fleet_request *request, const char *text)
{
    return copy(request->through, sizeof request->through, text);
}

static bool read_number(long *number, const char *text, long most)
{
    char *end;
    if (strspn(text, "0123456789") != strlen(text) || !*text || strlen(text) > 9)
        return false;
    *number = strtol(text, &end, 10);
    return *number <= most;
}

static bool read_steps(struct fleet_request *request, const char *text)
{
    return read_number(&request->steps, text, SERVICES_STEPS_MAX);
}

static bool read_rows(struct fleet_request *request, const char *text)
{
    return read_number(&request->rows, text, 1000000);
}

static bool read_rate(struct fleet_request *request, const char *text)
{
    char *end;
    request->rate = strtod(text, &end);
    return *text && !*end && request->rate > 0 && request->rate < 1;
}

/* ---- Queries ------------------------------------------------------------------------- */

static const struct parameter {
    const char *name;
    unsigned subjects; /* bits: 1 << enum fleet_subject */
    bool (*read)(struct fleet_request *request, const char *text);
} parameters[] = {
    {"of", 1 << FLEET_SERVICES | 1 << FLEET_REGRESSIONS, read_of},
    {"base", 1 << FLEET_REGRESSIONS, read_base},
    {"by", 1 << FLEET_SERVICES, read_by},
    {"through", 1 << FLEET_SERVICES, read_through},
    {"steps", 1 << FLEET_SERVICES, read_steps},
    {"rows", 1 << FLEET_SERVICES | 1 << FLEET_REGRESSIONS, read_rows},
    {"rate", 1 << FLEET_REGRESSIONS, read_rate},
};

static bool take(struct fleet_request *request, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return parameters[i].subjects >> request->subject & 1 &&
                   parameters[i].read(request, value);
    return false;
}

/* What the page has in its own query is its script's. */
static unsigned parse_query(struct fleet_request *request, const char *url,
                            struct heaptap_error *error)
{
    struct net_query query;
    if (request->subject < FLEET_LABELS)
        return 200;
    net_query_init(&query, url);
    unsigned status = net_query_next(&query, error);
    for (; status == 200 && query.name; status = net_query_next(&query, error))
        if (!take(request, query.name, query.value)) {
            error_set(error, HEAPTAP_BAD_ARGUMENT, "this page takes no '%.60s' of that value",
                      query.name);
            return 400;
        }
    return status;
}

/* ---- Paths --------------------------------------------------------------------------- */

/* Takes the next part of a path, up to a '/', out of it.  False where there is none, or it is too long or wrongly escaped. */
static bool take_part(const char **path, char *part)
{
    size_t size = strcspn(*path, "/?");
    if ((*path)[size] != '/' || size == 0 || size >= FLEET_TEXT_MAX)
        return false;
    memcpy(part, *path, size);
    part[size] = 0;
    *path += size + 1;
    return url_unescape_path(part);
}

static unsigned parse_show(struct fleet_request *request, const char *path,
                           struct heaptap_error *error)
{
    static const char against[] = "against/";
    char part[FLEET_TEXT_MAX];
    bool done = take_part(&path, part) && read_of(request, part);
    if (done && strncmp(path, against, strlen(against)) == 0) {
        path += strlen(against);
        done = take_part(&path, part) && read_base(request, part);
    }
    request->subject = FLEET_SHOW;
    if (!done)
        return refuse(error, 404, "there is no such page: /show/SELECTION/ shows what is chosen");
    snprintf(request->rest, sizeof request->rest, "/%s", path);
    return 200;
}

unsigned fleet_request_parse(struct fleet_request *request, const char *url,
                             struct heaptap_error *error)
{
    static const char *const paths[] = {
        [FLEET_PAGE] = "/",
        [FLEET_SCRIPT] = "/fleet.js",
        [FLEET_STYLE] = "/page.css",
        [FLEET_ICON] = "/favicon.ico",
        [FLEET_LABELS] = "/api/labels",
        [FLEET_SERVICES] = "/api/services",
        [FLEET_REGRESSIONS] = "/api/regressions",
    };
    size_t size = strcspn(url, "?");
    *request = (struct fleet_request){0};
    if (strlen(url) >= NET_URL_MAX)
        return refuse(error, 414, "the address is too long");
    if (strncmp(url, "/show/", 6) == 0)
        return parse_show(request, url + 6, error);
    for (int i = 0; i < FLEET_SHOW; i++)
        if (strlen(paths[i]) == size && memcmp(paths[i], url, size) == 0) {
            request->subject = (enum fleet_subject)i;
            return parse_query(request, url, error);
        }
    return refuse(error, 404, "there is no such page");
}
