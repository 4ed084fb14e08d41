#include "net/listen.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/url.h"

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
}

/* Splits HOST:PORT; false where it is not that. */
static bool split(struct listen_address *address, const char *text)
{
    const char *colon = strrchr(text, ':');
    size_t host = colon ? (size_t)(colon - text) : 0;
    if (host == 0 || !url_port(colon + 1, strlen(colon + 1), &address->port))
        return false;
    if (text[0] == '[' && text[host - 1] == ']') {
        text++;
        host -= 2;
        address->is_ipv6 = true;
    }
    if (host == 0 || host >= sizeof address->host)
        return false;
    memcpy(address->host, text, host);
    return true;
}

enum heaptap_status listen_parse(struct listen_address *address, const char *text,
                                 struct heaptap_error *error)
{
    struct addrinfo *found,
        how = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    *address = (struct listen_address){0};
    bool is_split = split(address, text);
    char port[8];
    snprintf(port, sizeof port, "%u", address->port);
    if (!is_split || getaddrinfo(address->host, port, &how, &found) != 0)
        return error_set(
            error, HEAPTAP_BAD_ARGUMENT,
            "'%.60s' is no address to listen at: use 127.0.0.1:4040 or [::1]:4040, with a port up to 65535",
            text);
    memcpy(&address->socket, found->ai_addr, found->ai_addrlen);
    address->is_loopback = is_loopback(found->ai_addr);
    freeaddrinfo(found);
    return HEAPTAP_OK;
}
