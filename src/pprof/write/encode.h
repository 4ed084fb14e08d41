/* A pprof profile in memory as pprof's file, uncompressed: the only encoder outside traced processes.
 *
 * All is numbered when it is first needed, and written in an order in which that has always happened
 * before: samples and locations number functions, all of them strings, which come last. */
#ifndef PPROF_WRITE_ENCODE_H
#define PPROF_WRITE_ENCODE_H

#include "profile/profile_file.h"
#include "pprof/write/string_table.h"
#include "spec/pprof_fields.h"

/* Writes the profile: all that the reader keeps of it.  Its functions are those that lines have,
 * numbered anew; ids are dense.  Equal samples stay apart.  0, or the errno with which the sink or
 * memory failed. */
int pprof_encode(const struct model *model, struct heaptap_sink sink);

/* ---- Part by part: for whoever writes samples that are not in memory ------------------- */

struct pprof_encoding {
    const struct model *model;
    struct protobuf out;
    struct pprof_strings strings;
    struct symbols functions; /* told apart by name and file */
    bool failed;              /* there was no memory */
};

/* `model` is borrowed, and may be filled in until what is added is written. */
void pprof_encode_begin(struct pprof_encoding *encoding, const struct model *model,
                        struct heaptap_sink sink);
void pprof_encode_types(struct pprof_encoding *encoding);

/* Mappings, locations and functions; and what is said once of the whole profile. */
void pprof_encode_places(struct pprof_encoding *encoding);
void pprof_encode_rest(struct pprof_encoding *encoding);

/* Ends the file and releases all; 0 or the errno. */
int pprof_encode_end(struct pprof_encoding *encoding);

/* A field that names a text; nothing for "". */
static inline void pprof_encode_string(struct pprof_encoding *encoding, unsigned field,
                                       const char *text)
{
    pprof_strings_put(&encoding->strings, &encoding->out, field, text);
}

/* The fields of a type. */
static inline void pprof_encode_type(struct pprof_encoding *encoding,
                                     const struct model_value_type *type)
{
    pprof_encode_string(encoding, TYPE_NAME, type->name);
    pprof_encode_string(encoding, TYPE_UNIT, type->unit);
}

#endif
