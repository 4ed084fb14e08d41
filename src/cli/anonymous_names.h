/* Names that say nothing: files become m1, m2, ..., functions f1, f2, ..., positions in a function
 * lines 1, 2, ... Equal things stay equal, different ones different. */
#ifndef CLI_ANONYMOUS_NAMES_H
#define CLI_ANONYMOUS_NAMES_H

#include "base/map.h"
#include "heaptap/trace.h"

struct anonymous_names {
    const struct heaptap_reader *reader; /* borrowed */
    struct map files;                    /* interned file name -> number */
    struct map words;                    /* interned function name -> number */
    struct map functions;                /* (file number, function name's number) -> number */
    struct map positions;                /* (function number, position) -> line */
    struct map next_lines;               /* function number -> lines given so far */
    bool out_of_memory;
    char (*texts)[2][24]; /* the names last given, for the locations of one code */
};

/* False when there is no memory. */
bool anonymous_names_init(struct anonymous_names *names, const struct heaptap_reader *reader);
void anonymous_names_release(struct anonymous_names *names);

/* The two halves of a struct trace_output_names.  A frame's code is its number in the reader. */
uint64_t anonymous_names_code(void *context, uint32_t frame);
size_t anonymous_names_describe(void *context, uint64_t code, struct heaptap_location *locations,
                                size_t max);

#endif
