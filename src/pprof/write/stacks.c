#include "pprof/write/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/write/protobuf.h"

enum {
    FIRST_DEPTH = 128,
    ID_BYTES_MAX = 5,
    SLACK_BYTES = 8
}; /* slack: ids are put down 8 bytes at a time */

static struct pprof_packed_id pack_id(uint32_t id)
{
    struct pprof_packed_id packed = {0};
    uint8_t encoded[WIRE_VARINT_MAX];
    packed.size = (uint8_t)(wire_encode(encoded, id) - encoded);
    memcpy(packed.bytes + sizeof packed.bytes - packed.size, encoded, packed.size);
    return packed;
}

static bool pack_ids(struct pprof_stacks *stacks, const uint32_t *location_ids)
{
    stacks->ids = malloc(((size_t)stacks->no_frame + 1) * sizeof *stacks->ids);
    for (size_t i = 0; stacks->ids && i <= stacks->no_frame; i++)
        stacks->ids[i] = pack_id(location_ids[i]);
    return stacks->ids;
}

/* Makes room for stacks of `depth` frames. */
static bool reach(struct pprof_stacks *stacks, size_t depth)
{
    size_t size = stacks->path ? stacks->path[stacks->depth].size : 0;
    if (depth < stacks->path_capacity)
        return true;
    if (!ARRAY_RESERVE(&stacks->path, &stacks->path_capacity, depth + 1))
        return false;
    size_t capacity = stacks->path_capacity * ID_BYTES_MAX + SLACK_BYTES;
    uint8_t *bytes = malloc(capacity);
    if (!bytes)
        return false;
    if (size > 0)
        memcpy(bytes + capacity - size, stacks->bytes + stacks->capacity - size, size);
    else
        stacks->path[0] = (struct pprof_step){STACK_ROOT, 0};
    free(stacks->bytes);
    stacks->bytes = bytes;
    stacks->capacity = capacity;
    return true;
}

bool pprof_stacks_init(struct pprof_stacks *stacks, const struct stack_trie *trie,
                       const uint32_t *location_ids, uint32_t frame_count)
{
    *stacks = (struct pprof_stacks){.trie = trie, .no_frame = frame_count};
    return reach(stacks, FIRST_DEPTH) && pack_ids(stacks, location_ids);
}

void pprof_stacks_release(struct pprof_stacks *stacks)
{
    free(stacks->ids);
    free(stacks->path);
    free(stacks->climbed);
    free(stacks->bytes);
    *stacks = (struct pprof_stacks){0};
}

/* Puts an id in front of the `size` bytes that end the buffer. */
static inline uint32_t put_in_front(struct pprof_stacks *stacks, uint32_t size, uint32_t frame)
{
    const struct pprof_packed_id *id = &stacks->ids[frame];
    memcpy(stacks->bytes + stacks->capacity - size - sizeof id->bytes, id->bytes, sizeof id->bytes);
    return size + id->size;
}

/* Leaves of the path what it shares with the stack that ends at `node`; the nodes that are new go
 * to `climbed`, the innermost first.  Callers have the lower numbers: of two nodes that differ, the
 * higher is on one of the stacks only.  False when there is no memory. */
static bool climb(struct pprof_stacks *stacks, uint32_t node)
{
    stacks->climbed_count = 0;
    while (stacks->path[stacks->depth].node != node) {
        if (stacks->path[stacks->depth].node > node) {
            stacks->depth--;
            continue;
        }
        if (!ARRAY_RESERVE(&stacks->climbed, &stacks->climbed_capacity, stacks->climbed_count + 1))
            return false;
        stacks->climbed[stacks->climbed_count++] = node;
        node = stacks->trie->nodes[node].parent;
    }
    return reach(stacks, stacks->depth + stacks->climbed_count);
}

const uint8_t *pprof_stacks_pack(struct pprof_stacks *stacks, uint32_t node, size_t *size)
{
    if (!climb(stacks, node))
        return NULL;
    struct pprof_step *step = &stacks->path[stacks->depth];
    for (size_t i = stacks->climbed_count; i-- > 0; step++) {
        uint32_t frame = stacks->trie->nodes[stacks->climbed[i]].frame;
        step[1] = (struct pprof_step){stacks->climbed[i], put_in_front(stacks, step->size, frame)};
    }
    stacks->depth += stacks->climbed_count;
    *size = stacks->depth > 0 ? step->size : put_in_front(stacks, 0, stacks->no_frame);
    return stacks->bytes + stacks->capacity - *size;
}
