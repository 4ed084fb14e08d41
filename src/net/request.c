#include "net/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/url.h"
#include "net/microhttpd.h"

const char *net_request_header(const struct net_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

bool net_request_is_to_own_host(const struct net_request *request)
{
    return url_host_is_own(net_request_header(request, "Host"), request->port);
}

/* "gzip;q=0" is a way to say no. */
static bool is_gzip(const char *coding, size_t size)
{
    size_t name = strcspn(coding, ";, \t");
    const char *weight = memmem(coding, size, "q=", 2);
    return name == 4 && strncasecmp(coding, "gzip", 4) == 0 && (!weight || atof(weight + 2) > 0);
}

bool net_request_takes_gzip(const struct net_request *request)
{
    const char *codings = net_request_header(request, "Accept-Encoding");
    while (codings && *codings) {
        codings += strspn(codings, " \t,");
        size_t size = strcspn(codings, ",");
        if (is_gzip(codings, size))
            return true;
        codings += size;
    }
    return false;
}
