/* A profile as it arrives: bytes, of which nothing is trusted, made into a model.
 *
 * Taken are pprof's format and heaptap's traces, plain or compressed. */
#ifndef FLEET_INGEST_BODY_H
#define FLEET_INGEST_BODY_H

#include "fleet/ingest/accepted.h"
#include "profile/model.h"
#include "store/store.h"
#include "trace/input.h"

struct ingest_body {
    struct model *model;
    uint64_t content[2];       /* a hash of the bytes, unpacked */
    int64_t from_us, until_us; /* as the profile says; 0: it does not */
    double period_bytes;       /* as in struct store_upload, and so is the next */
    bool is_by_byte;
    bool is_larger; /* than `most`: that is why it was not read */
};

struct ingest_symbols;

/* What a body may have. */
struct ingest_body_bounds {
    size_t most;                        /* bytes, unpacked */
    const struct ingest_limits *limits; /* of depth and nodes */
};

/* Reads `input` to its end; it stays the caller's.  Addresses get names from `symbols`, NULL for none.  HEAPTAP_BAD_INPUT with a
 * sentence where it is no profile, or not a whole one, or too much of one.  On success the model is the caller's. */
enum heaptap_status ingest_body_read(struct ingest_body *body, struct input *input,
                                     const struct ingest_body_bounds *bounds,
                                     struct ingest_symbols *symbols,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The upload of a body: its times are those of a profile that has an interval, else those that the sender says, else that of the
 * profile, else `now_us`; 0 is not said. */
void ingest_body_upload(const struct ingest_body *body, const struct store_labels *labels,
                        int64_t from_us, int64_t until_us, int64_t now_us,
                        struct store_upload *upload);

#endif
