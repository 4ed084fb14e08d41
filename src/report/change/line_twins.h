/* Lines of two files that are the same in both, though lines were added above them, or removed, in the source between the two.
 *
 * A function's lines are the same, in their order, where it has as many in each file, and the farther down, the farther they have moved, all
 * in one direction: lines were then only added, or only removed.  Otherwise none of its lines is taken to have moved, nor where one
 * that would have changed has in the other file what stands at another line there: one went and another came, or both changed places. */
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
    struct map to_base, to_newer; /* lines that have moved -> their numbers in the other file */
};

/* Adds a line of a function of the base or of the newer file; `file` is what the base calls it.  0 is no line.  `weight` is added to what
 * it has itself.  False when there is no memory; release it in either case. */
bool line_twins_add(struct line_twins *twins, const struct heaptap_location *line, const char *file,
                    double weight, bool is_newer);

/* Tells which have moved, once all have been added.  False when there is no memory. */
bool line_twins_find(struct line_twins *twins);
void line_twins_release(struct line_twins *twins);

/* The number that a line of the newer file has in the base, and the way back: its own where it has not moved. */
uint32_t line_twins_base(struct line_twins *twins, const char *function, const char *file,
                         uint32_t line);
uint32_t line_twins_newer(struct line_twins *twins, const char *function, const char *file,
                          uint32_t line);

#endif
