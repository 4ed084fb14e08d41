/* The pages of heaptap fleet serve: a store's services over time, and the viewer on what is chosen of them.
 *
 * Files of the page are there at once; what the store is asked is answered in the order in which it came, by a thread
 * that has the store open for itself: the one that speaks HTTP never waits, and profiles come in all the while. */
#ifndef FLEET_PAGES_H
#define FLEET_PAGES_H

#include "heaptap/status.h"
#include "fleet/ingest/server.h"
#include "page/answer.h"

struct fleet_pages;

/* Opens the store of that path for reading; the path is copied, sources, NULL for none, are borrowed. */
enum heaptap_status fleet_pages_new(struct fleet_pages **pages, const char *store,
                                    const struct viewer_sources *sources,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* For the server; borrowed until they are freed. */
struct ingest_pages fleet_pages_asked(struct fleet_pages *pages);

/* What has not been answered is refused from now on.  NULL allowed. */
void fleet_pages_end(struct fleet_pages *pages);

/* After the server; NULL allowed. */
void fleet_pages_free(struct fleet_pages *pages);

#endif
