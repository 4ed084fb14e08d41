/* The lines of one process's locations, as they were found when they were first asked for.
 *
 * The profiles of a process's intervals have the same locations at the same places, and in each
 * some more.  So debug information is read for the new ones alone. */
#ifndef CLI_RECORD_KNOWN_LINES_H
#define CLI_RECORD_KNOWN_LINES_H

#include "pprof/read/profile.h"
#include "symbol/symbolizer.h"

struct known_location {
    uint64_t address;
    uint32_t first_line, line_count; /* in `lines` */
};

/* Zeroed, nothing is known. */
struct known_lines {
    struct known_location *locations; /* by their places in the profile */
    size_t count, capacity;
    struct heaptap_location *lines; /* strings of `names` */
    size_t line_count, line_capacity;
    struct names names;
};

/* Gives the profile's locations their lines, those that are not known by a symbolizer made for it, in a process of its own,
 * from which the profile comes back.  Where that process ends early, `*left` is true, and they stay addresses.
 * HEAPTAP_NO_MEMORY, or why there is no symbolizer. */
enum heaptap_status known_lines_give(struct known_lines *known, struct pprof **pprof,
                                     const struct symbolizer_options *options, bool *left,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

void known_lines_release(struct known_lines *known);

#endif
