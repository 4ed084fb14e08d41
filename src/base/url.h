/* URLs and Hosts as servers of this machine meet them. */
#ifndef BASE_URL_H
#define BASE_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the escapes out of a text, % and +, in its place.  False for a wrong one, or one that stands for the byte 0. */
bool url_unescape(char *text);

/* The same of a part of a path, where a + is one. */
bool url_unescape_path(char *text);

/* A port: decimal digits, up to 65535. */
bool url_port(const char *text, size_t size, uint16_t *port);

/* Is what follows the host at the beginning of what follows http://, "user@host:port/path", a port, or nothing? */
bool url_has_good_port(const char *rest);

/* Is `host`, a request's Host, that of a server at `port` of this machine?  A page of somewhere else whose name was made to lead
 * here must get nothing (DNS rebinding).  NULL is not. */
bool url_host_is_own(const char *host, uint16_t port);

#endif
