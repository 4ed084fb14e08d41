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
#include "spec/pprof_fields.h"

struct pprof_decoding {
    struct model *model;
    struct heaptap_error *error;
    const char **strings; /* by their numbers; those of the model */
    size_t string_count, string_capacity;
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

/* The string of a number that stands at `offset`. */
enum heaptap_status pprof_string_at(struct pprof_decoding *decoding, uint64_t value,
                                    uint64_t offset, const char *what, const char **to);

/* A field whose value goes as it is into a member of a structure. */
struct pprof_field {
    enum {
        PPROF_OTHER,   /* does not: what the tables leave out */
        PPROF_ID,      /* into decoding->id */
        PPROF_NUMBER,  /* the member is a uint64_t */
        PPROF_INTEGER, /* an int64_t */
        PPROF_TRUTH,   /* a bool */
        PPROF_STRING,  /* a const char *, from the number of a string */
    } value;
    const char *what;
    size_t member; /* its offset */
};

/* Those of a message, by their numbers.  No message has more fields than the profile. */
typedef struct pprof_field pprof_fields[PROFILE_FIELDS];

/* Reads a field into its member of the structure at `to`; skips one that the table leaves out. */
enum heaptap_status pprof_take_member(struct pprof_decoding *decoding,
                                      const struct wire_field *field, const pprof_fields fields,
                                      void *to);

/* The same of all fields of a message. */
enum heaptap_status pprof_take_members(struct pprof_decoding *decoding, struct wire wire,
                                       const pprof_fields fields, void *to);

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
