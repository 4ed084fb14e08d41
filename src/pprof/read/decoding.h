/* A pprof profile while it is decoded, for those that decode its parts.
 *
 * Messages refer to each other by ids and by numbers of strings, in any order.  So the file is gone
 * through four times, each time for what the next needs: strings; what refers to strings alone;
 * locations, which refer to mappings and functions; samples.  Only samples are many, and they are
 * looked into but once.
 *
 * All that can fail returns a status, with the byte in the error that it was given. */
#ifndef PPROF_READ_DECODING_H
#define PPROF_READ_DECODING_H

#include "pprof/read/profile.h"
#include "pprof/read/wire.h"

struct pprof_decoding {
    struct pprof *pprof;
    struct heaptap_error *error;
    const char *default_type; /* "" for none */
    bool in_order[3];         /* by kind: ids so far are 1, 2, ... */
    struct map ids[3];        /* where they are not: id -> index */
    uint64_t id;              /* of the mapping, function or location that is being read */
    struct pprof_bounds bounds;
    size_t items; /* of those that are bounded, so far */
};

/* Counts `more` items; HEAPTAP_BAD_INPUT where they are too many. */
enum heaptap_status pprof_count_items(struct pprof_decoding *decoding, size_t more,
                                      uint64_t offset);

/* What the decoding of a message does with one of its fields. */
typedef enum heaptap_status pprof_take_field(struct pprof_decoding *decoding,
                                             const struct wire_field *field, void *to);

enum heaptap_status pprof_take_message(struct pprof_decoding *decoding, struct wire wire,
                                       pprof_take_field *take, void *to);

/* ---- Values of fields: values.c --------------------------------------------------------
 *
 * `what` is what messages call the field. */

enum heaptap_status pprof_expect(struct pprof_decoding *decoding, const struct wire_field *field,
                                 enum wire_type type, const char *what);
enum heaptap_status pprof_number(struct pprof_decoding *decoding, const struct wire_field *field,
                                 const char *what, uint64_t *to);
enum heaptap_status pprof_integer(struct pprof_decoding *decoding, const struct wire_field *field,
                                  const char *what, int64_t *to);
enum heaptap_status pprof_truth(struct pprof_decoding *decoding, const struct wire_field *field,
                                const char *what, bool *to);

/* The string of a number that stands at `offset`, or in a field. */
enum heaptap_status pprof_string_at(struct pprof_decoding *decoding, uint64_t value,
                                    uint64_t offset, const char *what, const char **to);
enum heaptap_status pprof_string(struct pprof_decoding *decoding, const struct wire_field *field,
                                 const char *what, const char **to);

/* ---- Ids: ids.c ---------------------------------------------------------------- */

enum pprof_kind { PPROF_MAPPING, PPROF_FUNCTION, PPROF_LOCATION };

/* Notes decoding->id, that of the item last added, which was described at `offset`; it is 0 again then. */
enum heaptap_status pprof_note_id(struct pprof_decoding *decoding, enum pprof_kind kind,
                                  uint64_t offset);

/* The index of an id that is referred to at `offset`. */
enum heaptap_status pprof_index_of(struct pprof_decoding *decoding, enum pprof_kind kind,
                                   uint64_t id, uint64_t offset, uint32_t *index);

/* ---- The passes: takers of the profile's fields, and what goes through the samples ------ */

pprof_take_field pprof_take_simple;   /* simple.c */
pprof_take_field pprof_take_location; /* locations.c */
enum heaptap_status pprof_take_samples(struct pprof_decoding *decoding, struct wire wire);

#endif
