/* A store in ClickHouse: its tables, and what goes over the wire.
 *
 * Questions are asked once, in SQL for SQLite.  A store in ClickHouse has an SQLite database in memory beside it, with the
 * tables of fleet.sql.  To ask is to load what was chosen, summed up by ClickHouse, and to ask that (clickhouse_load.c).
 * So both give the same figures.  Profiles are added in batches (clickhouse_batch.h, clickhouse_send.c).
 *
 * A profile is there once its row in `profile` is, which is sent last.  Its samples name it by the second in which it
 * ends and a random number, which is another for each attempt to send it: what an attempt left that failed halfway
 * belongs to no profile, and is never read.  Where two servers took the same profile, the one with the smaller number
 * counts.  SQL is such as ClickHouse 18.16 and today's both run. */
#ifndef STORE_CLICKHOUSE_H
#define STORE_CLICKHOUSE_H

#include "store/database.h"
#include "store/place.h"
#include "store/store.h"

struct clickhouse;

/* Does the path begin with clickhouse://? */
bool clickhouse_is(const char *path);

/* clickhouse://[USER:PASSWORD@]HOST:PORT/DATABASE; the port is that of HTTP.  With STORE_INIT the database and its tables are made
 * where they are not there. */
enum heaptap_status clickhouse_open(struct clickhouse **clickhouse, const char *path,
                                    enum store_mode mode,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;
/* Makes the database and its tables on all servers of a cluster that the one of `path` knows as `cluster`. */
enum heaptap_status clickhouse_init_cluster(const char *path, const char *cluster,
                                            struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* NULL allowed. */
void clickhouse_close(struct clickhouse *clickhouse);

/* ---- One query ----------------------------------------------------------------------- */

/* `data`, NULL for none, follows the query, in the format that the query names.  The answer is appended to `answer`, NULL
 * where there is none to be expected.  What the server says is wrong becomes the sentence. */
enum heaptap_status clickhouse_ask(struct clickhouse *clickhouse, const char *query,
                                   const struct text *data, struct text *answer,
                                   struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The one whole number that a query gives. */
enum heaptap_status clickhouse_number(struct clickhouse *clickhouse, const char *query,
                                      int64_t *number,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* ---- The store ----------------------------------------------------------------------- */

/* Puts a profile into the batch that is sent next; `*is_new` is set then. */
enum heaptap_status clickhouse_add(struct clickhouse *clickhouse, const struct store_upload *upload,
                                   const struct model *model, bool *is_new,
                                   struct heaptap_error *error) HEAPTAP_MUST_CHECK;
bool clickhouse_is_full(const struct clickhouse *clickhouse);

/* Takes the batch out, for clickhouse_send, which another thread may call while the next one is filled, and has to end
 * before that is sealed.  HEAPTAP_SYSTEM where the one before failed: then this one is dropped, too. */
enum heaptap_status clickhouse_seal(struct clickhouse *clickhouse,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Sends the sealed batch.  Where that fails, none of its profiles is there. */
enum heaptap_status clickhouse_send(struct clickhouse *clickhouse,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

enum store_loaded {
    STORE_LABELS,  /* the sets of labels alone */
    STORE_TOTALS,  /* totals of profiles */
    STORE_SAMPLES, /* their samples, too */
    STORE_PASSING, /* of each profile, what leads through a place, as one sample of a stack that ends there */
};

/* Fills the database in memory, whatever was there, with the profiles chosen.  Their samples are summed up over all; those of the
 * types that are called `type`, NULL for all.  `place` is that of STORE_PASSING. */
enum heaptap_status clickhouse_load(struct clickhouse *clickhouse, struct database *database,
                                    const struct store_selector *selector, enum store_loaded what,
                                    const char *type, const struct store_place *place,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What the last question left out, as a sentence; "" for nothing. */
void clickhouse_lack(const struct clickhouse *clickhouse, char *sentence, size_t size);

/* Puts the numbers of the series that have profiles which ended since then. */
enum heaptap_status clickhouse_recent_series(struct clickhouse *clickhouse, int64_t since_us,
                                             struct map *ids,
                                             struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* As those of store.h. */
enum heaptap_status clickhouse_check(struct clickhouse *clickhouse, struct store_figures *figures,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Drops the days that ended before. */
enum heaptap_status clickhouse_prune(struct clickhouse *clickhouse, int64_t before_us,
                                     int64_t *removed,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
