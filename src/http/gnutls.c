#include "http/gnutls.h"

struct http_gnutls http_gnutls;

/* clang-format off */
static const char *const names[] = {HTTP_GNUTLS_FUNCTIONS(HTTP_NAME)};
/* clang-format on */

_Static_assert(sizeof names == sizeof http_gnutls, "a table has a member for each name");

static struct http_library library = {
    LIBGNUTLS, names, (void **)&http_gnutls, sizeof names / sizeof *names, false,
};

enum heaptap_status http_gnutls_load(struct heaptap_error *error)
{
    return http_library_load(&library, error);
}
