/* Groups, as pprof writes tags: a line with a group's name and total, below it its rows, with their amounts and shares
 * flush right before their names. */
#ifndef ANSWER_GROUPS_H
#define ANSWER_GROUPS_H

#include "answer/answer.h"

struct groups {
    int indent;
    struct group_row {
        char *cell, *name;
    } * rows; /* of the group that is open */
    size_t count, capacity;
    struct text said; /* lines that follow the rows */
};

/* A group's own line.  False when there is no memory, as the others. */
bool groups_head(struct groups *groups, FILE *file, const struct answer_section *section,
                 const void *row);

/* A row of it, and a line after its rows; kept for groups_end. */
bool groups_row(struct groups *groups, const struct answer_section *section, const void *row);
bool groups_say(struct groups *groups, const char *sentence);
void groups_end(struct groups *groups, FILE *file);
void groups_release(struct groups *groups);

#endif
