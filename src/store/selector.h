/* Which profiles of a store: by labels and time.
 *
 *     service=api version!=1.3 time=last 24h
 *
 * Conditions stand one after the other, with spaces between; all of them must hold.  A word without `=` belongs to the value
 * before it.  A value in quotes, single or double, may have anything in it; a \ there stands before a quote or another \.  A name in
 * quotes is a label's, also "time".  A time is
 *
 *     last 24h        of s, m, h, d, w
 *     A..B            from A to B, each 2026-11-20, 2026-11-20T08:30 or :00 seconds more (UTC), or seconds since the
 *                     epoch; either may be missing
 *     2026-11-20      that day */
#ifndef STORE_SELECTOR_H
#define STORE_SELECTOR_H

#include "store/labels.h"

struct store_match {
    struct store_label label;
    bool differs; /* the label has another value, or is not there */
};

struct store_selector {
    struct store_match matches[LABELS_MAX];
    size_t count;
    int64_t after_us, until_us; /* profiles that end after the one, and not after the other */
};

/* Adds the conditions of `text` to those that are there; `now_us` is what `last` counts from.  HEAPTAP_BAD_ARGUMENT with a
 * sentence. */
enum heaptap_status store_selector_parse(struct store_selector *selector, const char *text,
                                         int64_t now_us,
                                         struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* One that everything passes. */
struct store_selector store_selector_all(void);

/* A duration, such as 24h, in microseconds; -1 where it is none. */
int64_t store_duration(const char *text);

#endif
