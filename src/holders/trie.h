/* Ways from roots to blocks, summed up: a node for each sequence of stacks that blocks were allocated by.  A stack that is on the way
 * already is not added once more, so that the nodes of a list, or of a tree, are one. */
#ifndef HOLDERS_TRIE_H
#define HOLDERS_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "holders/graph.h"

#define TRIE_NONE UINT32_MAX

struct way {
    uint32_t parent; /* TRIE_NONE: a root */
    uint32_t stack;  /* of a root, its number */
    uint32_t
        offset; /* of the words in the holder, where it is the same for all blocks; else TRIE_NONE */
    uint64_t
        constant; /* the first word of its blocks, where that is the same for all of them; else 0 */
    uint64_t seen;        /* blocks that end here, among them such as the trace doesn't have */
    uint64_t samples;     /* of those that it has */
    double blocks, bytes; /* that these stand for */
    double left_bytes;    /* of these, what is left as the trace ends */
    double all_bytes;     /* and below: set by ways_fold */
    bool is_kept;         /* the same */
};

struct ways {
    struct way *items; /* a way's parent comes before it */
    size_t count, capacity;
    struct map by_key;
    bool
        goes_back; /* a stack that is on the way already leads back to its place there; else one stays where one is */
};

void ways_release(struct ways *ways);

/* The way of a root.  TRIE_NONE when there is no memory, here and below. */
uint32_t ways_root(struct ways *ways, uint32_t root);

/* One step further.  Blocks without a stack, of GRAPH_NONE, are a step of their own, which the next of them stays in. */
uint32_t ways_step(struct ways *ways, uint32_t from, uint32_t stack);

/* A block ends there.  What the trace doesn't have counts for nothing. */
void ways_add(struct ways *ways, uint32_t at, const struct graph_block *block, uint32_t offset,
              uint64_t constant);

/* Keeps those through which at least `least` bytes go; the blocks of others count with the nearest kept one before, if that is no
 * root, or stay. */
void ways_fold(struct ways *ways, double least);

#endif
