/* Where profiles are sent to, and with which labels. */
#ifndef FLEET_PUSH_QUERY_H
#define FLEET_PUSH_QUERY_H

#include "base/text.h"
#include "store/labels.h"

/* The URL that profiles go to: /profiles of a server that is named without a path.  malloc'ed; NULL when there is no memory. */
char *query_url(const char *server);

/* Appends the query of a profile: its labels; where the URL's path ends in /ingest, in the way of Pyroscope's agents, with the time
 * from `from_ns` to `until_ns`. */
void query_put(struct text *query, const char *url, const struct store_labels *labels,
               int64_t from_ns, int64_t until_ns);

#endif
