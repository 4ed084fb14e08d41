/* A stack that the store has is found by the hash of its last node, at once.  Else its callers are looked up, from the inside out,
 * until one is there; what is inside of that is new. */
#include <stdio.h>
#include <stdlib.h>

#include "store/add.h"
#include "store/place_hash.h"
#include "store/row.h"

enum { NODE_HASH_BYTES = 16, NAME_BYTES = 512 };

bool store_nodes_init(struct store_nodes *nodes, struct database *database,
                      const struct model *model)
{
    size_t count = model->trie.count;
    *nodes = (struct store_nodes){
        .database = database,
        .model = model,
        .ids = calloc(count, sizeof *nodes->ids),
        .hashes = calloc(count, NODE_HASH_BYTES),
        .frames = calloc(model->frame_count + 1, sizeof *nodes->frames),
        .climbed = calloc(count, sizeof *nodes->climbed),
        .hashing = XXH3_createState(),
        .find_node = database_prepare(database, "SELECT id FROM node WHERE hash = ?"),
        .put_node =
            database_prepare(database, "INSERT INTO node (parent, frame, hash) VALUES (?, ?, ?)"),
        .find_frame = database_prepare(database, "SELECT id FROM frame WHERE hash = ?"),
        .put_frame = database_prepare(database, "INSERT INTO frame (hash) VALUES (?)"),
        .put_line = database_insert_into(database, "line", 5),
    };
    return nodes->ids && nodes->hashes && nodes->frames && nodes->climbed && nodes->hashing;
}

void store_nodes_release(struct store_nodes *nodes)
{
    free(nodes->ids);
    free(nodes->hashes);
    free(nodes->frames);
    free(nodes->climbed);
    XXH3_freeState(nodes->hashing);
    database_end(nodes->find_node);
    database_end(nodes->put_node);
    database_end(nodes->find_frame);
    database_end(nodes->put_frame);
    database_end(nodes->put_line);
}

/* ---- Frames -------------------------------------------------------------------------- */

/* What a frame is called of which no function is known: its module, and where in that it is.  An address of no module means
 * nothing to other recordings. */
struct place {
    char name[NAME_BYTES];
    struct heaptap_location line;
};

static const struct heaptap_location *lines_of(const struct model *model, uint32_t frame,
                                               struct place *place, size_t *count)
{
    const struct model_frame *at = &model->frames[frame];
    const struct model_module *module =
        at->module == MODEL_NONE ? NULL : &model->modules[at->module];
    *count = at->line_count;
    if (at->line_count > 0)
        return model->lines + at->first_line;
    const char *path = module ? module->path : "", *slash = strrchr(path, '/');
    uint64_t code = module ? at->code - module->start + module->file_offset : at->code;
    if (module)
        snprintf(place->name, sizeof place->name, "%.400s+0x%llx", slash ? slash + 1 : path,
                 (unsigned long long)code);
    else
        snprintf(place->name, sizeof place->name, "<unknown>");
    place->line = (struct heaptap_location){.function = place->name, .file = path};
    *count = 1;
    return &place->line;
}

static XXH128_canonical_t hash_lines(XXH3_state_t *state, const void *caller,
                                     const struct heaptap_location *lines, size_t count)
{
    XXH128_canonical_t hash;
    XXH3_128bits_reset(state);
    if (caller)
        XXH3_128bits_update(state, caller, NODE_HASH_BYTES);
    place_hash_lines(state, lines, count);
    XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(state));
    return hash;
}

/* The number of the row that has a hash; 0 for none. */
static int64_t find(struct database *database, sqlite3_stmt *statement, const void *hash)
{
    struct row row = {statement, 0};
    row_blob(&row, hash, NODE_HASH_BYTES);
    int64_t id = database_next(database, statement) ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return id;
}

static void put_lines(struct store_nodes *nodes, int64_t id, const struct heaptap_location *lines,
                      size_t count)
{
    for (size_t i = 0; i < count && database_works(nodes->database); i++) {
        struct row row = {nodes->put_line, 0};
        row_int(&row, id);
        row_int(&row, (int64_t)i);
        row_text(&row, lines[i].function);
        row_text(&row, lines[i].file);
        row_int(&row, lines[i].line);
        database_put(nodes->database, nodes->put_line);
    }
}

static int64_t frame_id(struct store_nodes *nodes, uint32_t frame)
{
    struct place place;
    size_t count;
    if (nodes->frames[frame])
        return nodes->frames[frame];
    const struct heaptap_location *lines = lines_of(nodes->model, frame, &place, &count);
    XXH128_canonical_t hash = hash_lines(nodes->hashing, NULL, lines, count);
    int64_t id = find(nodes->database, nodes->find_frame, hash.digest);
    if (!id && database_works(nodes->database)) {
        struct row row = {nodes->put_frame, 0};
        row_blob(&row, hash.digest, sizeof hash.digest);
        database_put(nodes->database, nodes->put_frame);
        id = sqlite3_last_insert_rowid(nodes->database->handle);
        put_lines(nodes, id, lines, count);
    }
    return nodes->frames[frame] = id;
}

/* ---- Nodes --------------------------------------------------------------------------- */

static uint8_t *hash_at(struct store_nodes *nodes, uint32_t node)
{
    return nodes->hashes + (size_t)node * NODE_HASH_BYTES;
}

/* A caller's number is below its callees', so that one look at each is enough. */
static void hash_up_to(struct store_nodes *nodes, uint32_t node)
{
    static const uint8_t none[NODE_HASH_BYTES];
    const struct stack_node *at = nodes->model->trie.nodes;
    size_t count = 0;
    for (; node != STACK_ROOT && memcmp(hash_at(nodes, node), none, sizeof none) == 0;
         node = at[node].parent)
        nodes->climbed[count++] = node;
    while (count > 0) {
        struct place place;
        size_t lines;
        node = nodes->climbed[--count];
        const struct heaptap_location *first =
            lines_of(nodes->model, at[node].frame, &place, &lines);
        XXH128_canonical_t hash =
            hash_lines(nodes->hashing, hash_at(nodes, at[node].parent), first, lines);
        memcpy(hash_at(nodes, node), hash.digest, sizeof hash.digest);
    }
}

static int64_t put_node(struct store_nodes *nodes, uint32_t node)
{
    const struct stack_node *at = &nodes->model->trie.nodes[node];
    struct row row = {nodes->put_node, 0};
    int64_t frame = frame_id(nodes, at->frame);
    row_int(&row, nodes->ids[at->parent]);
    row_int(&row, frame);
    row_blob(&row, hash_at(nodes, node), NODE_HASH_BYTES);
    database_put(nodes->database, nodes->put_node);
    return sqlite3_last_insert_rowid(nodes->database->handle);
}

int64_t store_nodes_id(struct store_nodes *nodes, uint32_t node)
{
    uint32_t at = node;
    size_t count = 0;
    hash_up_to(nodes, node);
    while (at != STACK_ROOT && !nodes->ids[at]) {
        nodes->ids[at] = find(nodes->database, nodes->find_node, hash_at(nodes, at));
        if (nodes->ids[at] || !database_works(nodes->database))
            break;
        nodes->climbed[count++] = at;
        at = nodes->model->trie.nodes[at].parent;
    }
    while (count > 0 && database_works(nodes->database)) {
        at = nodes->climbed[--count];
        nodes->ids[at] = put_node(nodes, at);
    }
    return nodes->ids[node];
}
