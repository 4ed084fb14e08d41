/* The sums of a profile on its way into a store, by stack, and how far they may be off. */
#ifndef STORE_SUMS_H
#define STORE_SUMS_H

#include "profile/model.h"
#include "store/store.h"

/* What one stack has of one type. */
struct store_sum {
    double value, samples, variance;
};

struct store_sums {
    const struct model *model;
    const struct store_upload *upload;
    struct store_sum *items; /* by stack, of the type that was last taken */
    bool has_error;          /* these have samples and variances */
};

/* Adds a row to the table `sample` of SQLite; the rows of one stack become one.  Stacks of different addresses can have the
 * same names, and then are one. */
extern const char store_sums_insert[];

/* False when there is no memory; release it in either case. */
bool store_sums_init(struct store_sums *sums, const struct model *model,
                     const struct store_upload *upload);
void store_sums_release(struct store_sums *sums);

struct store_type {
    const char *name, *unit;
    bool is_level;
};

/* Is a type of this name what is alive at a time, and not added up over time? */
bool store_type_is_level(const char *name);

/* The type of a number; its name is NULL past the end. */
struct store_type store_sums_type(const struct store_sums *sums, size_t number);

/* Of types that are there twice, the first counts: is this one there before? */
bool store_sums_is_repeated(const struct store_sums *sums, size_t number);

/* Sets `items` and `has_error`. */
void store_sums_take(struct store_sums *sums, size_t number);

#endif
