/* Which lines of a function in one file are the same in another, though the source has changed between the two.
 *
 * A line has the number of its source and a figure, what it has itself.  Where
 * there are as many in both, and the farther down the farther they have moved, all in one direction, or none has, lines were added or
 * removed between them, and they are the same in their order.  Otherwise, or where a line that would have changed has its figure at
 * another line of the other file, figures decide: lines whose figures are alike are anchors, as many of them in order as there can
 * be, and then those of exact figures that are like no others, which have changed places, if most lines are such.  Between two anchors that have moved as far, a line that has moved as far is the same, too; others
 * went or came.  Where most lines are no anchors, nothing speaks against the numbers. */
#ifndef REPORT_CHANGE_LINE_MATCH_H
#define REPORT_CHANGE_LINE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct match_line {
    uint32_t number;
    double figure;
    double samples; /* that the figure is an estimate from; 0 where it is exact */
    size_t twin;    /* index of the same line in the other file, or MATCH_NONE */
};

#define MATCH_NONE SIZE_MAX

struct match_lines {
    struct match_line *items; /* by number, no two alike */
    size_t count;
};

/* Finds the twins of one function's lines.  False when there is no memory. */
bool line_match(struct match_lines *base, struct match_lines *newer);

#endif
