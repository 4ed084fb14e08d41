/* What is served as it is: the page's files. */
#ifndef PAGE_SERVED_H
#define PAGE_SERVED_H

#include "net/request.h"
#include "page/request.h"

/* The file that a subject is; its text is NULL of one that is to be answered. */
struct net_answer viewer_asset_of(enum viewer_subject subject);

/* A text that is there forever. */
struct net_answer viewer_asset(const char *type, const char *text);

/* The same, compressed where who asks takes that; any other answer as it is. */
struct net_answer viewer_asset_packed(const struct net_answer *asset,
                                      const struct net_request *request);

#endif
