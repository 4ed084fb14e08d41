/* The heaviest chain of calls to a place, line by line: of the lines that call it the one with most of its bytes, of those that
 * call that with most of these, and so on. */
#ifndef REPORT_CALLS_HEAVY_CHAIN_H
#define REPORT_CALLS_HEAVY_CHAIN_H

#include "profile/selection.h"
#include "profile/symbols.h"

enum { HEAVY_CHAIN_CALLS = 3 };

struct heavy_call {
    struct symbol
        symbol;   /* first: its columns'.  Of the caller's line, whose texts are the source's */
    double share; /* of the place's weight */
};

struct heavy_chain {
    struct heavy_call calls[HEAVY_CHAIN_CALLS]; /* the nearest first */
    size_t count;
};

/* Of the stacks of a selection.  Passed over are libraries, calls of a line from itself, and lines of which nothing is known. */
struct heavy_chain heavy_chain_of(const struct selection *selection, enum stack_weight weight,
                                  const struct symbol *place);

#endif
