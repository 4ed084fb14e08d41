/* A stack that the store has is found by the hash of its last node, at once.  Else its callers are looked up, from the inside out,
 * until one is there; what is inside of that is new. */
#include "store/nodes.h"

#include <stdlib.h>

#include "store/row.h"

bool store_nodes_init(struct store_nodes *nodes, struct database *database,
                      const struct model *model)
{
    size_t count = model->trie.count;
    *nodes = (struct store_nodes){
        .database = database,
        .model = model,
        .ids = calloc(count, sizeof *nodes->ids),
        .frames = calloc(model->frame_count + 1, sizeof *nodes->frames),
        .climbed = calloc(count, sizeof *nodes->climbed),
        .find_node = database_prepare(database, "SELECT id FROM node WHERE hash = ?"),
        .put_node =
            database_prepare(database, "INSERT INTO node (parent, frame, hash) VALUES (?, ?, ?)"),
        .find_frame = database_prepare(database, "SELECT id FROM frame WHERE hash = ?"),
        .put_frame = database_prepare(database, "INSERT INTO frame (hash) VALUES (?)"),
        .put_line = database_insert_into(database, "line", 5),
    };
    return node_hashes_init(&nodes->hashes, model) && nodes->ids && nodes->frames && nodes->climbed;
}

void store_nodes_release(struct store_nodes *nodes)
{
    free(nodes->ids);
    free(nodes->frames);
    free(nodes->climbed);
    node_hashes_release(&nodes->hashes);
    database_end(nodes->find_node);
    database_end(nodes->put_node);
    database_end(nodes->find_frame);
    database_end(nodes->put_frame);
    database_end(nodes->put_line);
}

/* ---- Frames -------------------------------------------------------------------------- */

/* The number of the row that has a hash; 0 for none. */
static int64_t find(struct database *database, sqlite3_stmt *statement, const void *hash)
{
    struct row row = {statement, 0};
    row_blob(&row, hash, NODE_HASH_BYTES);
    int64_t id = database_next(database, statement) ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return id;
}

static void put_lines(struct store_nodes *nodes, int64_t id, uint32_t frame)
{
    struct node_place place;
    size_t count;
    const struct heaptap_location *lines = node_frame_lines(nodes->model, frame, &place, &count);
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
    if (nodes->frames[frame])
        return nodes->frames[frame];
    const uint8_t *hash = node_hashes_frame(&nodes->hashes, frame);
    int64_t id = find(nodes->database, nodes->find_frame, hash);
    if (!id && database_works(nodes->database)) {
        struct row row = {nodes->put_frame, 0};
        row_blob(&row, hash, NODE_HASH_BYTES);
        database_put(nodes->database, nodes->put_frame);
        id = sqlite3_last_insert_rowid(nodes->database->handle);
        put_lines(nodes, id, frame);
    }
    return nodes->frames[frame] = id;
}

/* ---- Nodes --------------------------------------------------------------------------- */

static int64_t put_node(struct store_nodes *nodes, uint32_t node)
{
    const struct stack_node *at = &nodes->model->trie.nodes[node];
    struct row row = {nodes->put_node, 0};
    int64_t frame = frame_id(nodes, at->frame);
    row_int(&row, nodes->ids[at->parent]);
    row_int(&row, frame);
    row_blob(&row, node_hashes_node(&nodes->hashes, node), NODE_HASH_BYTES);
    database_put(nodes->database, nodes->put_node);
    return sqlite3_last_insert_rowid(nodes->database->handle);
}

int64_t store_nodes_id(struct store_nodes *nodes, uint32_t node)
{
    uint32_t at = node;
    size_t count = 0;
    while (at != STACK_ROOT && !nodes->ids[at]) {
        nodes->ids[at] =
            find(nodes->database, nodes->find_node, node_hashes_node(&nodes->hashes, at));
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
