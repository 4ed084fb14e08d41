/* A tree of an answer as a picture: each row as wide as its amount, those below it under it. */
#ifndef ANSWER_SVG_TREE_H
#define ANSWER_SVG_TREE_H

#include <stdio.h>

#include "answer/answer.h"

/* A row, kept until the whole is known. */
struct svg_frame {
    char *name, *about; /* owned; `about` is its figures, one per line */
    double begin, width;
    size_t depth; /* 1 for a root */
    int colour;
};

/* Zeroed, it has no rows. */
struct svg_tree {
    struct svg_frame *frames;
    size_t count, capacity;
    double *next; /* by depth: where the next row begins */
    size_t next_capacity;
    size_t rows; /* of frames, without that of all */
};

/* Takes a row of a table that has branches.  False when there is no memory. */
bool svg_tree_add(struct svg_tree *tree, const struct answer_section *section, const void *row);

/* Writes the document. */
void svg_tree_put(FILE *file, const struct svg_tree *tree, const char *title, const char *about);

void svg_tree_release(struct svg_tree *tree);

#endif
