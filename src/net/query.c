#include "net/query.h"

#include <string.h>

#include "base/error.h"
#include "base/url.h"

void net_query_init(struct net_query *query, const char *url)
{
    const char *text = strchr(url, '?');
    query->rest = strcpy(query->text, text ? text + 1 : "");
}

unsigned net_query_next(struct net_query *query, struct heaptap_error *error)
{
    do
        query->name = strsep(&query->rest, "&");
    while (query->name && !*query->name);
    if (!query->name)
        return 200;
    query->value = strchr(query->name, '=');
    if (!query->value) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "the query has '%.60s' without a value",
                  query->name);
        return 400;
    }
    *query->value++ = 0;
    if (url_unescape(query->name) && url_unescape(query->value))
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT, "'%.31s' has an escape that is none", query->name);
    return 400;
}
