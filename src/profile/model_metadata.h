/* What a trace says besides its events: whose blocks they are, processes, modules, frames, threads, types, tests, limits, what is known to
 * leak. */
#ifndef PROFILE_MODEL_METADATA_H
#define PROFILE_MODEL_METADATA_H

#include "heaptap/trace.h"
#include "profile/model.h"

/* Whose blocks they are, which a recorder says before the first of them.  Of guests, Python counts references; others have a
 * collector, as OCaml has. */
void model_take_heap(struct model *model, const struct heaptap_reader *reader);

/* Of several traces that are read as one, which say before the first event which processes they are of.  False when there is no
 * memory. */
bool model_take_processes(struct model *model, const struct heaptap_reader *reader);

/* All else, of a reader that has come to its end.  False when there is no memory. */
bool model_take_metadata(struct model *model, const struct heaptap_reader *reader);

/* Whether there is an entry for the domain now; it has a name if a thread's record gives it one. */
bool model_know_domain(struct model *model, size_t domain);

#endif
