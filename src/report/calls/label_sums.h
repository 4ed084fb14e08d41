/* What a selection weighs by the tags of its rows: the labels of a profile's samples, by pprof's rules; of a
 * trace's blocks, what its filter can ask: size, domain, thread, source and type. */
#ifndef REPORT_CALLS_LABEL_SUMS_H
#define REPORT_CALLS_LABEL_SUMS_H

#include "base/names.h"
#include "profile/selection.h"

struct tag {
    const char *key;
    const char *text; /* as it is shown */
    bool is_number;
    int64_t number;   /* of those that are */
    const char *unit; /* of a number, else "" */
    struct stack_tally tally;
    double value;
};

/* A key with its tags, the heaviest first; equal ones by their texts. */
struct tag_key {
    const char *name;
    size_t first, count; /* in tags */
    double total;        /* of its tags: a row counts once for each that it has */
};

struct tags {
    struct tag *items; /* grouped by key */
    size_t count, capacity;
    struct tag_key *keys; /* by name */
    size_t key_count, key_capacity;
    struct names names;
    struct map by_text;
};

struct tags_options {
    const struct selection_options *selection;
    enum stack_weight weight;
    const char *
        unit; /* for the texts of numbers, as in base/measure.h; equal texts are one tag.  NULL: digits, so
                         that each number is a tag */
};

/* Sums up what passes the matcher, whose model must outlive the tags.  False when there is no memory; release them in
 * either case. */
bool tags_init(struct tags *tags, const struct matcher *matcher,
               const struct tags_options *options);
void tags_release(struct tags *tags);

/* The unit of numbers of a key for which the file has none, as pprof guesses it: that of its name.  Borrowed. */
const char *tags_unit_of_key(const char *key);

#endif
