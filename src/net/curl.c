#include "net/curl.h"

struct net_curl net_curl;

/* clang-format off */
static const char *const names[] = {NET_CURL_FUNCTIONS(NET_NAME)};
/* clang-format on */

_Static_assert(sizeof names == sizeof net_curl, "a table has a member for each name");

static struct net_library library = {
    LIBCURL, names, (void **)&net_curl, sizeof names / sizeof *names, false,
};

enum heaptap_status net_curl_load(struct heaptap_error *error)
{
    return net_library_load(&library, error);
}
