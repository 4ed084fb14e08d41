/* The 128-bit hashes by which a store knows the frames and the nodes of stacks of a model: of names, so that equal places of
 * different recordings have equal hashes. */
#ifndef STORE_NODE_HASHES_H
#define STORE_NODE_HASHES_H

#include "base/text.h"
#include "profile/model.h"

enum { NODE_HASH_BYTES = 16, PLACE_NAME_BYTES = 512 };

struct node_hashes {
    const struct model *model;
    uint8_t
        *nodes; /* by node of the model's trie, NODE_HASH_BYTES each; zeros: not asked for yet */
    uint8_t *frames;   /* by frame of the model, likewise */
    uint32_t *climbed; /* nodes on the way up to one that has its hash */
    struct text input; /* of one hash */
};

/* False when there is no memory; release it in either case. */
bool node_hashes_init(struct node_hashes *hashes, const struct model *model);
void node_hashes_release(struct node_hashes *hashes);

/* The hash of a node other than the root: of the names from the root to it.  Borrowed. */
const uint8_t *node_hashes_node(struct node_hashes *hashes, uint32_t node);

/* The hash of a frame: of its names.  Borrowed. */
const uint8_t *node_hashes_frame(struct node_hashes *hashes, uint32_t frame);

/* A place made for a frame of which no function is known. */
struct node_place {
    char name[PLACE_NAME_BYTES];
    struct heaptap_location line;
};

/* The functions of a frame, the outermost first; `place` is where one is made, and lives as long as they are used. */
const struct heaptap_location *node_frame_lines(const struct model *model, uint32_t frame,
                                                struct node_place *place, size_t *count);

#endif
