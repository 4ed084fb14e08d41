#include "store/node_hashes.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "store/place_hash.h"

static const uint8_t none[NODE_HASH_BYTES];

bool node_hashes_init(struct node_hashes *hashes, const struct model *model)
{
    size_t count = model->trie.count;
    *hashes = (struct node_hashes){
        .model = model,
        .nodes = calloc(count, NODE_HASH_BYTES),
        .frames = calloc(model->frame_count + 1, NODE_HASH_BYTES),
        .climbed = calloc(count, sizeof *hashes->climbed),
    };
    return hashes->nodes && hashes->frames && hashes->climbed;
}

void node_hashes_release(struct node_hashes *hashes)
{
    free(hashes->nodes);
    free(hashes->frames);
    free(hashes->climbed);
    text_release(&hashes->input);
}

/* A frame without functions is called by its module, and where in that it is.  An address of no module means nothing to other
 * recordings. */
const struct heaptap_location *node_frame_lines(const struct model *model, uint32_t frame,
                                                struct node_place *place, size_t *count)
{
    const struct model_frame *at = &model->frames[frame];
    const struct model_module *module =
        at->module == MODEL_NONE ? NULL : &model->modules[at->module];
    *count = at->line_count;
    if (at->line_count > 0)
        return model->lines + at->first_line;
    const char *path = module ? module->path : "";
    uint64_t code = module ? at->code - module->start + module->file_offset : at->code;
    if (module)
        snprintf(place->name, sizeof place->name, "%.400s+0x%llx", path_file(path),
                 (unsigned long long)code);
    else
        snprintf(place->name, sizeof place->name, "<unknown>");
    place->line = (struct heaptap_location){.function = place->name, .file = path};
    *count = 1;
    return &place->line;
}

static void hash_into(struct node_hashes *hashes, uint8_t *hash, const uint8_t *caller,
                      uint32_t frame)
{
    struct node_place place;
    struct text *input = &hashes->input;
    size_t count;
    const struct heaptap_location *lines = node_frame_lines(hashes->model, frame, &place, &count);
    input->size = 0;
    if (caller)
        text_put(input, (const char *)caller, NODE_HASH_BYTES);
    place_put_lines(input, lines, count);
    XXH128_canonical_t made = place_hash(input);
    memcpy(hash, made.digest, NODE_HASH_BYTES);
}

const uint8_t *node_hashes_frame(struct node_hashes *hashes, uint32_t frame)
{
    uint8_t *hash = hashes->frames + (size_t)frame * NODE_HASH_BYTES;
    if (memcmp(hash, none, sizeof none) == 0)
        hash_into(hashes, hash, NULL, frame);
    return hash;
}

static uint8_t *node_at(struct node_hashes *hashes, uint32_t node)
{
    return hashes->nodes + (size_t)node * NODE_HASH_BYTES;
}

/* One look at each node is enough: its callers' hashes stay. */
const uint8_t *node_hashes_node(struct node_hashes *hashes, uint32_t node)
{
    const struct stack_node *nodes = hashes->model->trie.nodes;
    size_t count = 0;
    for (uint32_t at = node;
         at != STACK_ROOT && memcmp(node_at(hashes, at), none, sizeof none) == 0;
         at = nodes[at].parent)
        hashes->climbed[count++] = at;
    while (count > 0) {
        uint32_t at = hashes->climbed[--count];
        hash_into(hashes, node_at(hashes, at), node_at(hashes, nodes[at].parent), nodes[at].frame);
    }
    return node_at(hashes, node);
}
