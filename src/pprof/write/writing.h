/* A pprof profile while it is written, for those that write its parts.
 *
 * Locations are numbered first, by use.  All else is numbered when it is first needed, and written
 * in an order in which that has always happened before: locations number functions and mappings,
 * all of them strings, which come last.  So nothing is kept but numbers. */
#ifndef PPROF_WRITE_WRITING_H
#define PPROF_WRITE_WRITING_H

#include "spec/pprof_fields.h"
#include "pprof/write/profile.h"
#include "pprof/write/string_table.h"

/* A mapping: a module, or the program where no module is it. */
struct pprof_mapping {
    const char *file;
    const struct heaptap_metadata *module; /* NULL for the program alone */
};

struct pprof_writing {
    const struct pprof_export *export;
    struct protobuf out;
    struct pprof_strings strings;
    struct symbols functions;
    uint32_t *through;      /* by node of the trie, until samples are written: how many of their
                               stacks go through it */
    uint32_t *location_ids; /* by frame, 0 until it is needed; the last one is of no frame */
    uint32_t *locations;    /* frames in the order of their ids, from 1 */
    uint32_t location_count;
    struct pprof_mapping *mappings; /* in the order of their ids, from 1; the program first */
    size_t mapping_count;
    int time_unit;   /* index into pprof_time_units */
    int value_count; /* of the types that are written */
    bool failed;     /* there was no memory */
};

static inline void pprof_writing_string(struct pprof_writing *writing, unsigned field,
                                        const char *text)
{
    pprof_strings_put(&writing->strings, &writing->out, field, text);
}

/* The fields of the period type: "space", in bytes. */
void pprof_writing_period_type(struct pprof_writing *writing);

extern const char pprof_unit_bytes[];

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

/* Writes mappings, locations and functions. */
void pprof_places_put(struct pprof_writing *writing);

/* ---- chunks.c ----------------------------------------------------------------------- */

/* The last chunk of events: with what the profile itself has no place for. */
void pprof_chunks_put_last(struct pprof_writing *writing);

#endif
