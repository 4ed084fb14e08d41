/* How far the rows of a tree go in, and the bars that lead to them.
 *
 * A row that is the only one below its parent stands under it without going in: stacks are deep, lines are not.  Where
 * there are several, each goes in by one step. */
#ifndef ANSWER_TREE_BARS_H
#define ANSWER_TREE_BARS_H

#include "answer/answer.h"

struct tree_bars {
    struct tree_level {
        uint32_t indent;
        uint32_t children, left; /* of the row at this depth; how many of them are still to come */
    } * levels; /* by depth: the row that came last, and those that it stands below */
    uint32_t
        *forks; /* depths of those of them that have siblings: as many as the last row goes in */
    size_t capacity, fork_capacity;
};

/* Takes the next row of the tree: how many steps it goes in.  False when there is no memory. */
bool tree_bars_step(struct tree_bars *bars, struct answer_branch row, size_t *indent);

/* The same, and puts what stands before its name: two columns for each step. */
void tree_bars_put(struct tree_bars *bars, struct answer_branch row, struct text *line);

void tree_bars_release(struct tree_bars *bars);

#endif
