/* What the server of profiles takes, and what is too much. */
#ifndef INGEST_LIMITS_H
#define INGEST_LIMITS_H

#include <stddef.h>
#include <stdint.h>

struct ingest_limits {
    size_t body_bytes;     /* of a request */
    size_t unpacked_bytes; /* of the profile in it */
    size_t series;         /* different sets of labels in the store */
    double per_second;     /* profiles; of one second at once */
    int64_t age_us;        /* how long ago a profile may have ended */
    int seconds;           /* that a request may take to arrive, and an answer to go */
};

struct ingest_limits ingest_limits_usual(void);

#endif
