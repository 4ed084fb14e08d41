/* What of a trace goes by size, lifetime and domain. */
#ifndef PAGE_ANSWER_SPREAD_H
#define PAGE_ANSWER_SPREAD_H

#include "report/blocks/distributions.h"
#include "answer/json.h"

/* Writes members into an object that is open: "sizes" and "lifetimes", each with "edges", one more than there are bins, and by bin "blocks",
 * "bytes", "objects"; "all" and "unended"; "domains", those that allocated something. */
void answer_put_distributions(struct json *json, const struct distributions *distributions,
                              const struct model *model);

#endif
