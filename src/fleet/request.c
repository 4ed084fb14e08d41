#include "fleet/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/error.h"
#include "base/url.h"
#include "net/query.h"
#include "net/server.h"
#include "report/reports.h"

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

/* ---- Queries ------------------------------------------------------------------------- */

static unsigned take(struct fleet_request *request, const char *name, const char *value,
                     struct heaptap_error *error)
{
    bool is_of = strcmp(name, "of") == 0;
    bool is_base = strcmp(name, "base") == 0 && request->subject == FLEET_REGRESSIONS;
    if (request->subject == FLEET_ABOUT) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "this page takes no '%.60s'", name);
        return 400;
    }
    if (is_of || is_base)
        return (is_of ? read_of : read_base)(request, value)
                   ? 200
                   : net_fault(error, 400, "the selection is too long");
    return question_take(&request->question, name, value, error) ? 200 : 400;
}

/* What the page has in its own query is its script's. */
static unsigned parse_query(struct fleet_request *request, const char *url,
                            struct heaptap_error *error)
{
    struct net_query *query = &request->query;
    if (request->subject < FLEET_ABOUT)
        return 200;
    if (request->subject != FLEET_ABOUT)
        request->question = question_of(
            report_entry_find(request->subject == FLEET_SERVICES ? "services" : "regressions"));
    net_query_init(query, url);
    unsigned status = net_query_next(query, error);
    while (status == 200 && query->name) {
        status = take(request, query->name, query->value, error);
        if (status == 200)
            status = net_query_next(query, error);
    }
    const struct report_entry *entry = request->question.report;
    bool is_wrong =
        status == 200 && entry && entry->check && !entry->check(&request->question, error);
    return is_wrong ? 400 : status;
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
    if (done && begins_with(path, against)) {
        path += strlen(against);
        done = take_part(&path, part) && read_base(request, part);
    }
    request->subject = FLEET_SHOW;
    if (!done)
        return net_fault(error, 404,
                         "there is no such page: /show/SELECTION/ shows what is chosen");
    snprintf(request->rest, sizeof request->rest, "/%s", path);
    return 200;
}

unsigned fleet_request_parse(struct fleet_request *request, const char *url,
                             struct heaptap_error *error)
{
    static const char *const paths[] = {
        [FLEET_PAGE] = "/",
        [FLEET_SCRIPT] = "/page.js",
        [FLEET_STYLE] = "/page.css",
        [FLEET_ICON] = "/favicon.ico",
        [FLEET_ABOUT] = "/api/about",
        [FLEET_SERVICES] = "/api/services",
        [FLEET_REGRESSIONS] = "/api/regressions",
    };
    size_t size = strcspn(url, "?");
    *request = (struct fleet_request){0};
    if (strlen(url) >= NET_URL_MAX)
        return net_fault(error, 414, "the address is too long");
    if (begins_with(url, "/show/"))
        return parse_show(request, url + 6, error);
    for (int i = 0; i < FLEET_SHOW; i++)
        if (strlen(paths[i]) == size && memcmp(paths[i], url, size) == 0) {
            request->subject = (enum fleet_subject)i;
            return parse_query(request, url, error);
        }
    return net_fault(error, 404, "there is no such page");
}
