#include "http/microhttpd.h"

struct http_microhttpd http_microhttpd;

/* clang-format off */
static const char *const names[] = {HTTP_MICROHTTPD_FUNCTIONS(HTTP_NAME)};
/* clang-format on */

_Static_assert(sizeof names == sizeof http_microhttpd, "a table has a member for each name");

static struct http_library library = {
    LIBMICROHTTPD, names, (void **)&http_microhttpd, sizeof names / sizeof *names, false,
};

enum heaptap_status http_microhttpd_load(struct heaptap_error *error)
{
    return http_library_load(&library, error);
}
