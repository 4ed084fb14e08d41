/* Requests that two servers could take for different ones. */
#ifndef NET_FRAMING_H
#define NET_FRAMING_H

struct MHD_Connection;

/* What is ambiguous in a request's headers, as a sentence; NULL where nothing is.  A proxy in front may
 * choose the other of two lengths or hosts, and what is the body to one is a request of its own to the other: such requests are
 * answered with 400, and nothing that follows them is read (RFC 9112, 2.2, 3.2, 5 and 6.3). */
const char *net_ambiguity(struct MHD_Connection *connection);

/* For the callback of MHD_OPTION_URI_LOG_CALLBACK, once it has copied the URL: leaves libmicrohttpd no query to take apart.  It
 * keeps each parameter beside the headers, and gives no answer where it has no room for all of them. */
void net_hide_query(const char *url);

#endif
