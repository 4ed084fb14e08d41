#include "net/microhttpd.h"

struct net_microhttpd net_microhttpd;

/* clang-format off */
static const char *const names[] = {NET_MICROHTTPD_FUNCTIONS(NET_NAME)};
/* clang-format on */

_Static_assert(sizeof names == sizeof net_microhttpd, "a table has a member for each name");

static struct net_library library = {
    LIBMICROHTTPD, names, (void **)&net_microhttpd, sizeof names / sizeof *names, false,
};

enum heaptap_status net_microhttpd_load(struct heaptap_error *error)
{
    return net_library_load(&library, error);
}
