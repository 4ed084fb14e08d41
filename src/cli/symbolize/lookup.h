/* The frames of a trace that are still addresses, or all of them, each once, and what they turn out to be. */
#ifndef CLI_SYMBOLIZE_LOOKUP_H
#define CLI_SYMBOLIZE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/trace_input.h"
#include "symbol/symbolizer.h"

struct lookup {
    bool every_frame;           /* those that have names, too */
    int64_t *first_us;          /* by frame number: when it was first met; INT64_MAX: left alone */
    size_t seen, seen_capacity; /* frames looked at so far */
    struct symbol_query *queries;
    struct symbol_answer *answers; /* to the queries */
    uint32_t *query_of;            /* by frame number: index of its query; UINT32_MAX for none */
    size_t query_count;
};

/* Reads the trace to its end, finds the frames, and has them looked up.  Codes are those of
 * heaptap's recorder (base/code.h).  False without memory.  Damage goes to `*error`
 * (HEAPTAP_OK without): whether it is told now depends on whether the trace is read again. */
bool lookup_run(struct lookup *lookup, struct symbolizer *symbolizer, struct trace_input *input,
                struct heaptap_error *error);

/* The same for a reader that has come to its end: all of its frames, whenever they were met. */
bool lookup_frames(struct lookup *lookup, struct symbolizer *symbolizer,
                   const struct heaptap_reader *reader);

/* The locations of a frame: found ones, else those that the trace itself gives it. */
const struct heaptap_location *lookup_locations(const struct lookup *lookup,
                                                const struct heaptap_reader *reader, uint32_t frame,
                                                size_t *count);

void lookup_release(struct lookup *lookup);

#endif
