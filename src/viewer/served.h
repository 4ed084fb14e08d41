/* What is served as it is: the page's files, and the headers that go with each response. */
#ifndef VIEWER_SERVED_H
#define VIEWER_SERVED_H

#include "base/url.h"
#include "viewer/request.h"

struct viewer_asset {
    const char *type; /* Content-Type */
    const char *text; /* ended by a 0 */
};

/* The file that a subject is; its text is NULL of one that is to be answered. */
struct viewer_asset viewer_asset_of(enum viewer_subject subject);

/* They let the page's scripts and answers come from this server alone, and nobody else frame or keep them. */
extern const struct url_header viewer_headers[];

#endif
