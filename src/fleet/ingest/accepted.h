/* What the server of profiles takes, and what is too much. */
#ifndef FLEET_INGEST_ACCEPTED_H
#define FLEET_INGEST_ACCEPTED_H

#include <stddef.h>
#include <stdint.h>

struct ingest_limits {
    size_t body_bytes;     /* of a request */
    size_t unpacked_bytes; /* of the profile in it */
    size_t depth;          /* frames of a stack; deeper ones are cut */
    size_t items;          /* messages, strings, frames and values of a profile of pprof's */
    size_t nodes;          /* frames that its stacks have as a tree, and what is inlined in them */
    size_t series;         /* different sets of labels in the store, of the last days */
    double per_second;     /* profiles; of one second at once */
    int64_t age_us;        /* how long ago a profile may have ended */
    int seconds;           /* that a request may take to arrive, and an answer to go */
};

/* Bounds that no option sets: a profile of INGEST_LIGHT_BYTES at most, unpacked, is read at once, a larger one after those that came before
 * it; all names together may have INGEST_NAME_BYTES. */
enum { INGEST_LIGHT_BYTES = 8 << 20, INGEST_NAME_BYTES = 64 << 20 };

struct ingest_limits ingest_limits_usual(void);

#endif
