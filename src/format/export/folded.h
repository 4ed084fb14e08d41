/* Folded stacks: a line for each call path with something allocated at its end, its functions from
 * the caller down joined by ';', then a space and a number.  What flame graph tools read. */
#ifndef FORMAT_EXPORT_FOLDED_H
#define FORMAT_EXPORT_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include "report/tree/call_walk.h"

struct folded_options {
    enum stack_weight weight; /* rounded to whole numbers */
    double min_share;         /* paths below this part of all weight are left out */
    bool keeps_semicolons; /* in names, as memtrace does; else they are \x3b there (base/plain.h) */
    bool skip_short;       /* leave out paths of one function, as memtrace does */
    bool with_positions;   /* "function (file:line)" where symbols have lines */
};

/* Goes on with the walk, which is at the root, to its end.  False when there is no memory; write errors show in `file`. */
bool folded_print(struct call_walk *walk, const struct estimate *estimate,
                  const struct folded_options *options, FILE *file);

#endif
