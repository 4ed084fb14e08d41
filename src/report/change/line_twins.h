/* Lines of two files that are the same in both, though lines were added above them, or removed, in the source between the two: function
 * by function, as report/change/line_match.h says. */
#ifndef REPORT_LINE_TWINS_H
#define REPORT_LINE_TWINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/names.h"
#include "heaptap/trace.h"

/* The lines of both files.  Zeroed, there are none. */
struct line_twins {
    struct names names; /* of all texts here */
    struct map known;   /* of lines that have been added */
    struct twin_line *items;
    size_t count, capacity;
    struct map to_base,
        to_newer;    /* lines that have moved, or came -> their numbers in the other file */
    struct map gone; /* lines of the base that the newer file hasn't */
};

/* What a line has itself. */
struct line_weight {
    double weight;
    double samples; /* that it is an estimate from; 0 where it is exact */
};

/* Adds a line of a function of the base or of the newer file; `file` is what the base calls it.  0 is no line.  `weight` is added to what
 * it has itself.  False when there is no memory; release it in either case. */
bool line_twins_add(struct line_twins *twins, const struct heaptap_location *line, const char *file,
                    const struct line_weight *weight, bool is_newer);

/* Tells which have moved, once all have been added.  False when there is no memory. */
bool line_twins_find(struct line_twins *twins);
void line_twins_release(struct line_twins *twins);

/* The number that a line of the newer file has in the base: its own where it has not moved, and one that no line of the base has where
 * it came. */
uint32_t line_twins_base(struct line_twins *twins, const char *function, const char *file,
                         uint32_t line);

/* The way back. */
struct line_twin {
    uint32_t line;      /* in the newer file; of a line that is gone, in the base */
    uint32_t base_line; /* of a line that has moved; else 0 */
    bool is_gone;       /* the newer file hasn't it, though it may have another of that number */
};
struct line_twin line_twins_newer(struct line_twins *twins, const char *function, const char *file,
                                  uint32_t line);

#endif
