#include "ingest/access.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/url.h"

enum { CREDENTIALS_MAX = 512 };

static bool is_token(const char *token, const char *given)
{
    size_t size = strlen(token);
    unsigned wrong = 0;
    if (strlen(given) != size)
        return false;
    for (size_t i = 0; i < size; i++) /* how long it takes does not say how much was right */
        wrong |= (unsigned char)(given[i] ^ token[i]);
    return !wrong;
}

/* What follows a scheme, "Bearer "; NULL where it is another. */
static const char *after_scheme(const char *authorization, const char *scheme)
{
    size_t size = strlen(scheme);
    return authorization && strncasecmp(authorization, scheme, size) == 0 ? authorization + size
                                                                          : NULL;
}

/* Base64 to text; false where it is none, or too long. */
static bool decode(const char *given, char text[CREDENTIALS_MAX])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0, held = 0;
    size_t size = 0;
    for (; *given && *given != '='; given++) {
        const char *digit = strchr(digits, *given);
        if (!digit || size + 1 >= CREDENTIALS_MAX)
            return false;
        held = held << 6 | (unsigned)(digit - digits);
        bits += 6;
        if (bits >= 8)
            text[size++] = (char)(held >> (bits -= 8) & 0xff);
    }
    text[size] = 0;
    return true;
}

/* Any user's name does. */
static bool is_password(const char *token, const char *given)
{
    char text[CREDENTIALS_MAX];
    const char *colon = given && decode(given, text) ? strchr(text, ':') : NULL;
    return colon && is_token(token, colon + 1);
}

static bool has_token(const struct access *access, const struct access_headers *headers,
                      enum access_to to)
{
    const char *given = after_scheme(headers->authorization, "Bearer ");
    if (given)
        return is_token(access->token, given);
    return to == ACCESS_PAGES &&
           is_password(access->token, after_scheme(headers->authorization, "Basic "));
}

/* Without a token anybody on this machine may send; but no page of the web through a browser here, which names itself as the
 * Origin, or, its name being made to lead here, as the Host. */
unsigned access_check(const struct access *access, const struct access_headers *headers,
                      enum access_to to, struct heaptap_error *error)
{
    if (access->token) {
        if (to == ACCESS_PUBLIC || has_token(access, headers, to))
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
