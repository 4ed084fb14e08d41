/* URLs and Hosts as servers of this machine meet them. */
#ifndef BASE_URL_H
#define BASE_URL_H

#include <stdbool.h>
#include <stdint.h>

/* Takes the escapes out of a text, % and +, in its place.  False for a wrong one, or one that stands for the byte 0. */
bool url_unescape(char *text);

/* The same of a part of a path, where a + is one. */
bool url_unescape_path(char *text);

/* Is `host`, a request's Host, that of a server at `port` of this machine?  A page of somewhere else whose name was made to lead
 * here must get nothing (DNS rebinding).  NULL is not. */
bool url_host_is_own(const char *host, uint16_t port);

#endif
