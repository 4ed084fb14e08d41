/* libmicrohttpd 0.9 tells of headers that it has misread.  A line that goes on in the next (RFC 9112, 5.2) has the next one's text
 * behind its name, "Content-Length5"; a name keeps the blanks behind it, and a value a carriage return. */
#include "net/framing.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "net/microhttpd.h"

struct headers {
    unsigned hosts, lengths, encodings, authorizations;
    const char *wrong; /* sentence, or NULL */
};

static bool is_token(const char *name)
{
    static const char characters[] =
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return *name && strspn(name, characters) == strlen(name);
}

static bool is_text(const char *value)
{
    for (; *value; value++)
        if (((unsigned char)*value < ' ' && *value != '\t') || *value == 0x7f)
            return false;
    return true;
}

/* What begins with `known` without being it. */
static bool is_misread(const char *name, const char *known)
{
    size_t size = strlen(known);
    return strncasecmp(name, known, size) == 0 && name[size];
}

static const char *find_wrong(const char *name, const char *value)
{
    if (!is_token(name) || is_misread(name, "Content-Length") ||
        is_misread(name, "Transfer-Encoding"))
        return "the request has a header whose name is none, or that goes on in the next line";
    if (!is_text(value))
        return "the request has a header with control characters";
    if (strcasecmp(name, "Content-Length") == 0 &&
        (!*value || strspn(value, "0123456789") != strlen(value)))
        return "the request's Content-Length is no number";
    if (strcasecmp(name, "Transfer-Encoding") == 0 && strcasecmp(value, "chunked") != 0)
        return "the request has a Transfer-Encoding other than chunked";
    return NULL;
}

static enum MHD_Result look_at(void *context, enum MHD_ValueKind kind, const char *name,
                               const char *value)
{
    struct headers *headers = context;
    headers->hosts += strcasecmp(name, "Host") == 0;
    headers->lengths += strcasecmp(name, "Content-Length") == 0;
    headers->encodings += strcasecmp(name, "Transfer-Encoding") == 0;
    headers->authorizations += strcasecmp(name, "Authorization") == 0;
    if (!headers->wrong)
        headers->wrong = find_wrong(name, value ? value : "");
    return MHD_YES;
}

const char *net_ambiguity(struct MHD_Connection *connection)
{
    struct headers headers = {0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, look_at, &headers);
    if (headers.hosts > 1)
        return "the request has more than one Host";
    if (headers.lengths > 1)
        return "the request has more than one Content-Length";
    if (headers.encodings > 1)
        return "the request has more than one Transfer-Encoding";
    if (headers.authorizations > 1)
        return "the request has more than one Authorization";
    if (headers.lengths && headers.encodings)
        return "the request has both a Content-Length and a Transfer-Encoding";
    return headers.wrong;
}

/* The text is in the connection's own memory. */
void net_hide_query(const char *url)
{
    char *query = strchr((char *)url, '?');
    if (query && query[1])
        query[1] = 0;
}
