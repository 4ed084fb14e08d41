/* A pprof profile of a trace while it is written, for those that write its parts.
 *
 * Its samples are not in memory: they are encoded from groups and stacks (samples.c).  All else is a
 * profile without samples, which is encoded as any other (encode.h).  Locations are numbered by use. */
#ifndef PPROF_WRITE_WRITING_H
#define PPROF_WRITE_WRITING_H

#include "pprof/write/encode.h"
#include "pprof/write/profile.h"

struct pprof_writing {
    const struct pprof_export *export;
    struct model *model; /* all but samples */
    struct pprof_encoding encoding;
    uint32_t *through;      /* by node of the trie, until samples are written: how many of their
                               stacks go through it */
    uint32_t *location_ids; /* by frame, 0 until it is needed; the last one is of no frame */
    uint32_t *locations;    /* frames in the order of their ids, from 1 */
    uint32_t location_count;
    int time_unit; /* index into pprof_time_units */
};

/* ---- samples.c ----------------------------------------------------------------------- */

/* Sets `time_unit`: the first in which the sum of all lifetimes can be told. */
void pprof_samples_choose_unit(struct pprof_writing *writing);

/* Writes the samples; `through` is of no use after that. */
void pprof_samples_put(struct pprof_writing *writing);

/* ---- places.c ----------------------------------------------------------------------- */

/* The code of a frame; of none, 0. */
uint64_t pprof_places_code(const struct pprof_writing *writing, uint32_t frame);

/* Sets `through`, and numbers the locations that samples need; false when there is no memory. */
bool pprof_places_number(struct pprof_writing *writing);

/* Gives the profile its mappings and locations; false when there is no memory. */
bool pprof_places_add(struct pprof_writing *writing);

/* ---- chunks.c ----------------------------------------------------------------------- */

/* The last chunk of events: with what the profile itself has no place for. */
void pprof_chunks_put_last(struct pprof_writing *writing);

#endif
