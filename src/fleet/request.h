/* What a browser asks of heaptap fleet serve: the path and the query of a URL, made into one struct, or into a status of HTTP and a
 * sentence that says what is wrong.
 *
 *     /                                   the page: services, their curves, what is chosen of them
 *     /api/about                          what there is to choose from, and of which time
 *     /api/services?of=SELECTION&by=version&steps=120&...          with the options of heaptap fleet services
 *     /api/regressions?base=SELECTION&of=SELECTION&false-alarms=0.05&...
 *     /show/SELECTION/...                 the viewer on what is chosen; the rest of the path is the viewer's own
 *     /show/SELECTION/against/SELECTION/...       the same, compared with a base
 *
 * SELECTION is in the language of store/selector.h, "all" for everything.  It is part of the path, so that all that the
 * viewer asks for is below it, and a link has all that it shows. */
#ifndef FLEET_REQUEST_H
#define FLEET_REQUEST_H

#include <stdbool.h>

#include "heaptap/status.h"
#include "net/query.h"
#include "report/question.h"

enum fleet_subject {
    FLEET_PAGE, /* the page itself, ... */
    FLEET_SCRIPT,
    FLEET_STYLE,
    FLEET_ICON,
    FLEET_ABOUT, /* from here on answers of the store */
    FLEET_SERVICES,
    FLEET_REGRESSIONS,
    FLEET_SHOW,
};

enum { FLEET_TEXT_MAX = 4096 };

struct fleet_request {
    enum fleet_subject subject;
    char of[FLEET_TEXT_MAX];      /* what is chosen; "" for everything */
    char against[FLEET_TEXT_MAX]; /* the base */
    bool has_base;
    struct question question; /* of a report, with its options, whose values are in `query` */
    union {
        struct net_query query;
        char rest[NET_URL_MAX]; /* of FLEET_SHOW: what the viewer is asked, from its '/' on */
    };
};

/* 200, or the status to refuse it with. */
unsigned fleet_request_parse(struct fleet_request *request, const char *url,
                             struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
