#include "fleet/push/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "net/curl.h"

static bool is_pyroscope(const char *url)
{
    static const char path[] = "/ingest";
    size_t size = strlen(url);
    return size > sizeof path && strcmp(url + size - (sizeof path - 1), path) == 0;
}

char *query_url(const char *server)
{
    const char *host = strstr(server, "://");
    const char *path = host ? strchr(host + 3, '/') : NULL;
    return path && path[1] ? strdup(server)
                           : text_format("%s%s", server, path ? "profiles" : "/profiles");
}

static void put_escaped(struct text *query, const char *text)
{
    char *escaped = curl_easy_escape(NULL, text, 0);
    query->failed |= !escaped;
    text_put_string(query, escaped ? escaped : "");
    curl_free(escaped);
}

static void put_pyroscope(struct text *query, const struct store_labels *labels, int64_t from_ns,
                          int64_t until_ns)
{
    const char *service = store_labels_find(labels, "service");
    bool any = false;
    text_put_string(query, "name=");
    put_escaped(query, service ? service : "");
    for (size_t i = 0; i < labels->count; i++) {
        if (strcmp(labels->items[i].key, "service") == 0)
            continue;
        text_put_string(query, any ? "%2C" : "%7B");
        put_escaped(query, labels->items[i].key);
        text_put_string(query, "%3D");
        put_escaped(query, labels->items[i].value);
        any = true;
    }
    text_put_string(query, any ? "%7D" : "");
    text_put_string(query, "&format=pprof&from=");
    text_put_int(query, from_ns / 1000000000, 1);
    text_put_string(query, "&until=");
    text_put_int(query, until_ns / 1000000000, 1);
}

void query_put(struct text *query, const char *url, const struct store_labels *labels,
               int64_t from_ns, int64_t until_ns)
{
    if (is_pyroscope(url)) {
        put_pyroscope(query, labels, from_ns, until_ns);
        return;
    }
    for (size_t i = 0; i < labels->count; i++) {
        text_put_string(query, i > 0 ? "&" : "");
        put_escaped(query, labels->items[i].key);
        text_put_char(query, '=');
        put_escaped(query, labels->items[i].value);
    }
}
