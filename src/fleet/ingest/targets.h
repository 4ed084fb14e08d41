/* What heaptap fleet serve fetches profiles from: a file of targets.
 *
 *     # a URL, how often (every 60s if it is not said), and labels
 *     http://10.0.0.7:6060/debug/pprof/heap every=30s service=api instance=a7
 *
 * A target without the label `instance` gets its host and port. */
#ifndef FLEET_INGEST_TARGETS_H
#define FLEET_INGEST_TARGETS_H

#include "store/labels.h"

struct ingest_target {
    char *url;
    char *shown; /* the same, without the user and password in it */
    int64_t every_us;
    struct store_labels labels;
};

struct ingest_targets {
    struct ingest_target *items;
    size_t count, capacity;
};

/* HEAPTAP_SYSTEM where the file can't be read, HEAPTAP_BAD_INPUT with its line where that is none.  On failure there is nothing to
 * release. */
enum heaptap_status ingest_targets_read(struct ingest_targets *targets, const char *path,
                                        struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void ingest_targets_release(struct ingest_targets *targets);

#endif
