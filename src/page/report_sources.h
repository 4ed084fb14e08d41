/* The lines of source that a report has beside its stacks. */
#ifndef PAGE_REPORT_SOURCES_H
#define PAGE_REPORT_SOURCES_H

#include "answer/json.h"
#include "profile/symbols.h"
#include "page/answer.h"

/* "sources": by file, by line, the text of the lines around those of symbols, which are items[used[i]]; up to 4 MB.
 * `sources` may be NULL: none.  False when there is no memory. */
bool report_sources_put(struct json *json, const struct viewer_sources *sources,
                        const struct symbol *items, const uint32_t *used, uint32_t count);

#endif
