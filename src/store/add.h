/* A profile on its way into a store: its sums by stack (sums.c), the stacks and frames that they need (nodes.c). */
#ifndef STORE_ADD_H
#define STORE_ADD_H

#include "profile/model.h"
#include "store/database.h"

/* ---- Sums ---------------------------------------------------------------------------- */

/* What one stack has of one type. */
struct store_sum {
    double value, samples, variance;
};

struct store_sums {
    const struct model *model;
    double period_bytes;     /* as in struct store_upload */
    struct store_sum *items; /* by stack, of the type that was last taken */
    bool has_error;          /* these have samples and variances */
};

/* False when there is no memory; release it in either case. */
bool store_sums_init(struct store_sums *sums, const struct model *model, double period_bytes);
void store_sums_release(struct store_sums *sums);

struct store_type {
    const char *name, *unit;
    bool is_level;
};

/* The type of a number; its name is NULL past the end. */
struct store_type store_sums_type(const struct store_sums *sums, size_t number);

/* Sets `items` and `has_error`. */
void store_sums_take(struct store_sums *sums, size_t number);

/* ---- Nodes --------------------------------------------------------------------------- */

struct store_nodes {
    struct database *database;
    const struct model *model;
    int64_t *ids;    /* by node of the model's trie: in the store; 0 where it was not needed yet */
    uint8_t *hashes; /* by node, NODE_HASH_BYTES each */
    int64_t *frames; /* by frame of the model: in the store; 0 where it was not needed yet */
    struct XXH3_state_s *hashing;
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
