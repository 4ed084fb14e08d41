#include "base/url.h"
#include "base/hex.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool unescape(char *text, char plus)
{
    size_t size = strlen(text);
    char *to = text;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '%') {
            *to++ = text[i] == '+' ? plus : text[i];
            continue;
        }
        int high = i + 2 < size ? hex_digit(text[i + 1]) : -1;
        int low = i + 2 < size ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0 || (high == 0 && low == 0))
            return false;
        *to++ = (char)(high * 16 + low);
        i += 2;
    }
    *to = 0;
    return true;
}

bool url_unescape(char *text)
{
    return unescape(text, ' ');
}

bool url_unescape_path(char *text)
{
    return unescape(text, '+');
}

bool url_port(const char *text, size_t size, uint16_t *port)
{
    unsigned long number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        number = number * 10 + (unsigned long)(text[i] - '0');
        if (number > UINT16_MAX)
            return false;
    }
    *port = (uint16_t)number;
    return size > 0;
}

bool url_has_good_port(const char *rest)
{
    uint16_t port;
    const char *end = rest + strcspn(rest, "/"), *at = memrchr(rest, '@', (size_t)(end - rest));
    const char *host = at ? at + 1 : rest, *closing = memrchr(host, ']', (size_t)(end - host));
    const char *name = closing ? closing : host, *colon = memchr(name, ':', (size_t)(end - name));
    return !colon || colon + 1 == end || url_port(colon + 1, (size_t)(end - colon - 1), &port);
}

bool url_host_is_own(const char *host, uint16_t port)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char own[32];
    for (size_t i = 0; host && i < sizeof names / sizeof names[0]; i++) {
        snprintf(own, sizeof own, "%s:%u", names[i], port);
        if (strcasecmp(host, own) == 0)
            return true;
    }
    return false;
}
