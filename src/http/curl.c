#include "http/curl.h"

struct http_curl http_curl;

/* clang-format off */
static const char *const names[] = {HTTP_CURL_FUNCTIONS(HTTP_NAME)};
/* clang-format on */

_Static_assert(sizeof names == sizeof http_curl, "a table has a member for each name");

static struct http_library library = {
    LIBCURL, names, (void **)&http_curl, sizeof names / sizeof *names, false,
};

enum heaptap_status http_curl_load(struct heaptap_error *error)
{
    return http_library_load(&library, error);
}
