/* A store, for the files of this folder that are its parts. */
#ifndef STORE_STORE_FILE_H
#define STORE_STORE_FILE_H

#include "store/clickhouse.h"
#include "store/database.h"
#include "store/recent_series.h"
#include "store/store.h"

struct store {
    char *path;                    /* of a file */
    struct database database;      /* in memory where the store is ClickHouse's */
    struct clickhouse *clickhouse; /* NULL for a file */
    size_t added;                  /* to a file, since the batch began */
    struct recent_series recent;
    bool is_cut; /* the last answer has values that are (base/saturate.h) */
};

/* Before a question: a store in ClickHouse loads what is chosen, as clickhouse_load says. */
enum heaptap_status store_load(struct store *store, const struct store_selector *selector,
                               enum store_loaded what, const char *type,
                               const struct store_place *place,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Before writing to a file: is it still the one at its path?  Else that one is opened. */
enum heaptap_status store_follow(struct store *store,
                                 struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What the database said went wrong, if anything did; it works again after that. */
enum heaptap_status store_outcome(struct store *store, struct heaptap_error *error);

#endif
