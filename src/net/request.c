#include "net/request.h"

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
