#include "net/gnutls.h"

struct net_gnutls net_gnutls;

/* clang-format off */
static const char *const names[] = {NET_GNUTLS_FUNCTIONS(NET_NAME)};
/* clang-format on */

_Static_assert(sizeof names == sizeof net_gnutls, "a table has a member for each name");

static struct net_library library = {
    LIBGNUTLS, names, (void **)&net_gnutls, sizeof names / sizeof *names, false,
};

enum heaptap_status net_gnutls_load(struct heaptap_error *error)
{
    return net_library_load(&library, error);
}
