/* The profiles of a fleet, kept: what comes in, and what is chosen of it.
 *
 *     struct store *store;
 *     store_open(&store, "app.db", STORE_WRITE, &error);
 *     store_begin(store, &error);
 *     store_add(store, &upload, model, &is_new, &error);
 *     store_seal(store, &error);
 *     store_send(store, &error);
 *     store_read(store, &selector, false, &pprof, &error);
 *     store_close(store);
 *
 * A profile has labels and a time.  What is chosen by these becomes one profile: its stacks with the sums of their values.
 * Levels, such as inuse_space, are averaged over the profiles of each series, and then added up over series: what is
 * alive in ten instances is ten times what is alive in one, but what is alive twice in a row is not.
 *
 * This header is all that the rest of heaptap knows of a store.  It is a file of SQLite (fleet.sql), or a
 * database of ClickHouse (clickhouse.h). */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "profile/profile_file.h"
#include "profile/model.h"
#include "store/labels.h"
#include "store/selector.h"

struct store;

enum store_mode {
    STORE_INIT,  /* makes it where there is none */
    STORE_WRITE, /* it is there */
    STORE_READ,
};

enum { STORE_HASH_BYTES = 16 };

/* Where a profile comes from. */
struct store_upload {
    const struct store_labels *labels;
    int64_t from_us, until_us;      /* since the Unix epoch */
    uint8_t hash[STORE_HASH_BYTES]; /* of all that was sent: what comes twice is one profile */
    double
        period_bytes; /* of a profile of values: bytes from one sample to the next, 1 where all is counted; 0: not known */
    bool
        is_by_byte; /* each byte is drawn by itself, so that a block can have many samples; else a block has one at most */
};

/* `path` is the name of a file, or clickhouse://HOST:PORT/DATABASE.  One of ClickHouse is opened for adding or for reading, not for
 * both in turn. */
enum heaptap_status store_open(struct store **store, const char *path, enum store_mode mode,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void store_close(struct store *store);

/* Makes a store in ClickHouse on all servers of a cluster, which the one of `path` knows as `cluster`; what is there stays. */
enum heaptap_status store_init_cluster(const char *path, const char *cluster,
                                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Profiles are added in batches, since a store takes many at once in little more time than one.  store_begin begins a batch,
 * store_seal ends it, and when store_send returns HEAPTAP_OK, too, all that were added are stored, and `*is_new` is set for
 * each: false where it was there before.  Where either fails none of them is there.  Where store_add fails, that profile
 * alone is not part of the batch.
 *
 * Another thread may call store_send while the next batch is added to, and has to end before that is sealed. */
enum heaptap_status store_begin(struct store *store,
                                struct heaptap_error *error) HEAPTAP_MUST_CHECK;
enum heaptap_status store_add(struct store *store, const struct store_upload *upload,
                              const struct model *model, bool *is_new,
                              struct heaptap_error *error) HEAPTAP_MUST_CHECK;
enum heaptap_status store_seal(struct store *store, struct heaptap_error *error) HEAPTAP_MUST_CHECK;
enum heaptap_status store_send(struct store *store, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Is it time to seal, as memory is bounded? */
bool store_is_full(const struct store *store);

/* How long it is worth waiting for more profiles to share a batch; 0 for a file. */
int64_t store_patience_us(const struct store *store);

/* How many different sets of labels have profiles that ended in the last STORE_RECENT_DAYS, and whether this is one of them. */
enum { STORE_RECENT_DAYS = 7 };
enum heaptap_status store_count_series(struct store *store, const struct store_labels *labels,
                                       size_t *count, bool *is_one,
                                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What the answer to the last question lacks, such as the shards of a cluster that were down, as a sentence; "" for nothing. */
enum { STORE_LACK_BYTES = 160 };
void store_lack(const struct store *store, char sentence[STORE_LACK_BYTES]);

/* One profile of those that are chosen; the caller's.  HEAPTAP_BAD_ARGUMENT where there are none.  With moments its samples are told
 * apart by them (profile/moment.h), where a file is the store; those of ClickHouse have none. */
enum heaptap_status store_read(struct store *store, const struct store_selector *selector,
                               bool with_moments, struct model **model,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What one place of the program has, libraries aside, summed up over the chosen profiles. */
struct store_site {
    const char *function, *file; /* as long as the list */
    uint32_t line;               /* the one that has most; 0 where none is known */
    double value, variance;
};

struct store_sites {
    struct store_site *items;
    size_t count, capacity;
    double value, variance; /* of all */
    struct names names;     /* holds the strings */
};

/* Sums of a type, such as alloc_space, by site.  HEAPTAP_BAD_ARGUMENT where nothing is chosen, the type is not there or is a level, or
 * its figures have no errors.  Release the list in any case. */
enum heaptap_status store_sites_read(struct store *store, const struct store_selector *selector,
                                     const char *type, struct store_sites *sites,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void store_sites_release(struct store_sites *sites);

/* What one profile has. */
struct store_point {
    const char
        *value; /* of the label that was asked for; "" where it has none; borrowed for the call */
    int64_t series; /* its set of labels, by number */
    int64_t from_us, until_us;
    double allocated,
        allocated_variance; /* alloc_space; the variance is below 0 where it is not known */
    double
        allocated_weight; /* what a sample stands for, variance over value of all that the profile has; -1: not known */
    double in_use; /* inuse_space */
    bool has_allocated, has_in_use;
};

struct store_points_question {
    const char *label; /* whose value each point has */
    const char
        *through; /* only what leads through this place (store/place.h) counts; NULL: all does */
    void (*span)(void *context, int64_t from_us,
                 int64_t until_us); /* called before the points: from the first to the last */
    void (*each)(void *context, const struct store_point *point);
    void *context;
};

/* Calls question->each for every chosen profile, those of a value and of a series together, in the order of time. */
enum heaptap_status store_points(struct store *store, const struct store_selector *selector,
                                 const struct store_points_question *question,
                                 struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The series' label that fewest series have; empty where it has none that tells it from others. */
void store_rarest_label(struct store *store, int64_t series, struct store_label *label);

/* From when until when there are profiles; 0 where there are none. */
enum heaptap_status store_span(struct store *store, int64_t *from_us, int64_t *until_us,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Calls `each` for every label and each of its values, in alphabetical order. */
enum heaptap_status store_each_label(struct store *store,
                                     void (*each)(void *context, const char *key,
                                                  const char *value),
                                     void *context, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

struct store_figures {
    int64_t profiles, series, stacks, samples, bytes;
    int64_t from_us, until_us; /* of all profiles; 0 where there are none */
};

/* HEAPTAP_BAD_INPUT with a sentence where the store contradicts itself. */
enum heaptap_status store_check(struct store *store, struct store_figures *figures,
                                struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Removes the profiles that ended before, and all that only they needed. */
enum heaptap_status store_prune(struct store *store, int64_t before_us, int64_t *removed,
                                struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
