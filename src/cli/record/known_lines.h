/* Names for the profiles of a process's intervals, which have mostly the same places. */
#ifndef CLI_RECORD_KNOWN_LINES_H
#define CLI_RECORD_KNOWN_LINES_H

#include "pprof/symbolize/known_places.h"
#include "symbol/symbolizer.h"

/* Of one process.  Zeroed, nothing is known. */
struct known_lines {
    struct known_places places; /* to be released */
    int64_t since_us;           /* when its first profile begins; 0: none has come that says so */
};

/* Gives the profile's locations their lines, those that are not known by a symbolizer made for it, in a process of its own,
 * from which the profile comes back.  Where that process ends early, `*left` is true, and they stay addresses.
 * HEAPTAP_NO_MEMORY, or why there is no symbolizer. */
enum heaptap_status known_lines_give(struct known_lines *known, struct model **model,
                                     const struct symbolizer_options *options, bool *left,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
