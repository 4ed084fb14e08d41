#include "net/access.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "net/microhttpd.h"

bool access_is_token(const char *token, const char *given, size_t size)
{
    unsigned wrong = 0;
    if (strlen(token) != size)
        return false;
    for (size_t i = 0; i < size; i++)
        wrong |= (unsigned char)(given[i] ^ token[i]);
    return !wrong;
}

/* Any user's name does. */
static bool has_password(const struct net_request *request, const char *token)
{
    char *password = NULL;
    char *user = MHD_basic_auth_get_username_password(request->connection, &password);
    bool is_right = user && password && access_is_token(token, password, strlen(password));
    MHD_free(user);
    MHD_free(password);
    return is_right;
}

static bool has_token(const struct net_request *request, const char *token, enum access_to to)
{
    static const char scheme[] = "Bearer ";
    const char *given = net_request_header(request, "Authorization");
    if (given && strncasecmp(given, scheme, strlen(scheme)) == 0)
        return access_is_token(token, given + strlen(scheme), strlen(given) - strlen(scheme));
    return to == ACCESS_PAGES && has_password(request, token);
}

/* Without a token, any program on this machine may send, but no web page through a browser here, which names itself as the
 * Origin, or, its name being made to lead here, as the Host. */
unsigned access_check(const struct net_request *request, const char *token, enum access_to to,
                      struct heaptap_error *error)
{
    if (token) {
        if (to == ACCESS_PUBLIC || has_token(request, token, to))
            return 200;
        error_set(error, HEAPTAP_BAD_ARGUMENT,
                  "this server wants its token: Authorization: Bearer TOKEN");
        return 401;
    }
    if (net_request_is_to_own_host(request) && !net_request_header(request, "Origin"))
        return 200;
    error_set(error, HEAPTAP_BAD_ARGUMENT,
              "this server answers programs of this machine, under the address at which it "
              "listens");
    return 403;
}
