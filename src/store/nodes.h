/* The stacks and frames that a profile needs, in a file of SQLite: found there, or put there. */
#ifndef STORE_NODES_H
#define STORE_NODES_H

#include "store/database.h"
#include "store/node_hashes.h"

struct store_nodes {
    struct database *database;
    const struct model *model;
    int64_t *ids;    /* by node of the model's trie: in the store; 0 where it was not needed yet */
    int64_t *frames; /* by frame of the model: in the store; 0 where it was not needed yet */
    struct node_hashes hashes;
    uint32_t *climbed; /* nodes on the way up to one that the store has */
    sqlite3_stmt *find_node, *put_node, *find_frame, *put_frame, *put_line;
};

/* False when there is no memory; release it in either case. */
bool store_nodes_init(struct store_nodes *nodes, struct database *database,
                      const struct model *model);
void store_nodes_release(struct store_nodes *nodes);

/* The store's number of a node, perhaps a new one; 0 is the root. */
int64_t store_nodes_id(struct store_nodes *nodes, uint32_t node);

#endif
