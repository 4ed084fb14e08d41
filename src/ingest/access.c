#include "ingest/access.h"

#include <string.h>

#include "base/error.h"
#include "base/url.h"

static bool is_token(const char *token, const char *given)
{
    static const char bearer[] = "Bearer ";
    size_t size = strlen(token);
    unsigned wrong = 0;
    if (!given || strncmp(given, bearer, strlen(bearer)) != 0)
        return false;
    given += strlen(bearer);
    if (strlen(given) != size)
        return false;
    for (size_t i = 0; i < size; i++) /* how long it takes does not say how much was right */
        wrong |= (unsigned char)(given[i] ^ token[i]);
    return !wrong;
}

/* Without a token anybody on this machine may send; but no page of the web through a browser here, which names itself as the
 * Origin, or, its name being made to lead here, as the Host. */
unsigned access_check(const struct access *access, const struct access_headers *headers,
                      bool is_public, struct heaptap_error *error)
{
    if (access->token) {
        if (is_public || is_token(access->token, headers->authorization))
            return 200;
        error_set(error, HEAPTAP_BAD_ARGUMENT,
                  "this server wants its token: Authorization: Bearer TOKEN");
        return 401;
    }
    if (url_host_is_own(headers->host, access->port) && !headers->origin)
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT,
              "this server answers programs of this machine, under the address at which it "
              "listens");
    return 403;
}
