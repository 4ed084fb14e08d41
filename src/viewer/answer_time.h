/* What of a trace goes by time, size and domain: the timeline, and distributions. */
#ifndef VIEWER_ANSWER_TIME_H
#define VIEWER_ANSWER_TIME_H

#include "analyze/distributions.h"
#include "export/json.h"
#include "profile/series.h"

/* Each writes members into an object that is open. */

/* "from_us", "to_us", "peak_us", and columns by step: "live_bytes", "live_objects",
 * "allocated_bytes", "allocated_objects", "collected_bytes", "collected_objects". */
void answer_put_series(struct json *json, const struct series *series);

/* "sizes" and "lifetimes", each with "edges", one more than there are bins, and by bin "blocks",
 * "bytes", "objects"; "all" and "unended"; "domains", those that allocated something. */
void answer_put_distributions(struct json *json, const struct distributions *distributions,
                              const struct model *model);

#endif
