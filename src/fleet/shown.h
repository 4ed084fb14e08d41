/* What viewers look at: choices of a store, each read once and kept for a while.  One thread uses them. */
#ifndef FLEET_SHOWN_H
#define FLEET_SHOWN_H

#include "fleet/request.h"
#include "store/store.h"
#include "page/answer.h"

/* Choices that are kept, and for how long one is shown before a viewer that begins reads it again: profiles of its time may
 * still come. */
enum { FLEET_SHOWN_MAX = 4, FLEET_SHOWN_SECONDS = 60 };

struct fleet_shown {
    char *of,
        *against; /* selections; `against` is NULL where there is no base; of an empty place both are */
    char home[96]; /* the page of all services, at the time of this */
    struct viewer_dataset *file, *base;
    struct viewer_dataset *files[1];
    int64_t read_s; /* when, of a clock that never steps back */
    uint64_t used;  /* when it was last asked for, as a number that grows */
};

struct fleet_shows {
    struct fleet_shown kept[FLEET_SHOWN_MAX];
    uint64_t clock;
};

/* What a request of FLEET_SHOW is about, borrowed until the next call.  One that `begins` reads again what is older than
 * FLEET_SHOWN_SECONDS. */
enum heaptap_status fleet_shows_find(struct fleet_shows *shows, struct store *store,
                                     const struct fleet_request *request, bool begins,
                                     struct fleet_shown **shown,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What a viewer is answered from. */
struct viewer_state fleet_shown_state(struct fleet_shown *shown);

void fleet_shows_release(struct fleet_shows *shows);

#endif
