/* Places of binaries that have been looked up, so that debug information is read for new ones alone. */
#ifndef PPROF_SYMBOLIZE_KNOWN_PLACES_H
#define PPROF_SYMBOLIZE_KNOWN_PLACES_H

#include "profile/profile_file.h"

struct known_place {
    size_t first_line; /* of `lines` */
    uint32_t line_count;
    int64_t missed_s; /* when no name was found for it; INT64_MAX where one was */
};

/* Zeroed, nothing is known. */
struct known_places {
    struct map by_key; /* a hash of a file and an offset in it -> index of items */
    struct known_place *items;
    size_t count, capacity;
    struct heaptap_location *lines; /* strings of `names` */
    size_t line_count, line_capacity;
    struct names names;
};

void known_places_release(struct known_places *known);

/* By location: the key of its place, where a name is wanted for it; else 0.  `by_id`: only where its file has a build id.
 * `*wanted`: how many there are.  NULL when there is no memory; free it. */
uint64_t *known_places_keys(const struct model *model, bool by_id, size_t *wanted);

/* Gives the locations whose places are known their lines, and leaves the keys of those that are to be looked up: unknown ones,
 * and those for which nothing was found `again_s` seconds ago, or earlier.  `*left`: how many.  False when there is no memory. */
bool known_places_give(const struct known_places *known, struct model *model, uint64_t *keys,
                       int64_t again_s, size_t *left);

/* Learns the lines of the locations that have a key, which have been looked up.  False when there is no memory. */
bool known_places_learn(struct known_places *known, const struct model *model,
                        const uint64_t *keys);

#endif
