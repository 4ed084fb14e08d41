/* A pprof profile of addresses gets its functions, files and lines. */
#ifndef PPROF_SYMBOLIZE_SYMBOLIZE_H
#define PPROF_SYMBOLIZE_SYMBOLIZE_H

#include "profile/profile_file.h"
#include "symbol/symbolizer.h"

/* Gives lines to the locations that have none, or one that is only a place in a module
 * (ends_with_offset), and says in their mappings that it is done.  Where nothing is known of the
 * code, a location without lines gets such a place, as a frame of a trace has.  Files without a build id that have
 * changed after `since_us`, when they were in memory, are not used (0: it is not known when); a profile does not say of which
 * machine it is, so that this goes for those of others, too.  `*found` counts the locations that got lines.  False when there
 * is no memory. */
bool symbolize_pprof(struct model *model, struct symbolizer *symbolizer, int64_t since_us,
                     size_t *found);

/* When a profile begins, as far as it says so; else 0. */
int64_t symbolize_pprof_time(const struct model *model);

/* The same of a profile that another machine sent: its paths are of no file here, and none of them is opened.  What is looked up is
 * only what has a build id, in separate debug files of that id; the rest stays as it is. */
bool symbolize_pprof_by_id(struct model *model, struct symbolizer *symbolizer, size_t *found);

/* Would any location be looked up so?  Those that have an address and no name. */
bool symbolize_pprof_wants(const struct model *model, const struct model_frame *location);

/* The bytes of a mapping's build id; 0 where it has none that is in hexadecimal. */
size_t symbolize_build_id(const struct model_module *mapping, uint8_t id[HEAPTAP_BUILD_ID_MAX]);

/* For a report that opens a profile: the same with the files that are there, and no word of those
 * that are not; locations of which nothing is known stay addresses. */
bool symbolize_pprof_quietly(struct model *model);

#endif
