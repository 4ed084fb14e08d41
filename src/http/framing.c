#include "http/framing.h"

#include <strings.h>

#include "http/microhttpd.h"

struct counts {
    unsigned hosts, lengths, encodings;
};

static enum MHD_Result count(void *context, enum MHD_ValueKind kind, const char *name,
                             const char *value)
{
    struct counts *counts = context;
    counts->hosts += strcasecmp(name, "Host") == 0;
    counts->lengths += strcasecmp(name, "Content-Length") == 0;
    counts->encodings += strcasecmp(name, "Transfer-Encoding") == 0;
    return MHD_YES;
}

const char *http_ambiguity(struct MHD_Connection *connection)
{
    struct counts counts = {0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count, &counts);
    if (counts.hosts > 1)
        return "the request has more than one Host\n";
    if (counts.lengths > 1)
        return "the request has more than one Content-Length\n";
    if (counts.encodings > 1)
        return "the request has more than one Transfer-Encoding\n";
    if (counts.lengths && counts.encodings)
        return "the request has both a Content-Length and a Transfer-Encoding\n";
    return NULL;
}
