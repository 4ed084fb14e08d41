/* A node's hash is made of its caller's and of its own lines, so that it depends on names alone: neither on where the
 * program was loaded nor on the order in which things happened.  A frame of which no line is known goes by its module
 * and its place in it. */
#include <stdlib.h>
#include <string.h>

#include "store/place_hash.h"
#include "base/path.h"
#include "store/writing.h"

/* ---- Hashes -------------------------------------------------------------------------- */

static void put_address(struct text *text, const struct model *model, uint32_t frame)
{
    uint64_t code = model->frames[frame].code;
    uint32_t number = model->frames[frame].module;
    if (number != MODEL_NONE) {
        const struct model_module *module = &model->modules[number];
        place_put_name(text, *module->build_id ? module->build_id : path_file(module->path));
        code = code - module->start + module->file_offset;
    }
    text_put(text, (const char *)&code, sizeof code);
}

static XXH128_canonical_t hash_node(struct text *text, const struct writing *writing,
                                    const XXH128_canonical_t *caller, uint32_t frame)
{
    size_t count;
    const struct heaptap_location *lines =
        frame_source_locations(&writing->profile->selection->frames, frame, &count);
    text->size = 0;
    text_put(text, (const char *)caller->digest, sizeof caller->digest);
    place_put_lines(text, lines, count);
    if (count == 0)
        put_address(text, writing->model, frame);
    return place_hash(text);
}

/* ---- Tables -------------------------------------------------------------------------- */

static void put_nodes(struct writing *writing, XXH128_canonical_t *hashes, struct text *text,
                      bool *frames)
{
    const struct stack_trie *trie = &writing->profile->selection->profile.trie;
    sqlite3_stmt *statement = database_insert_into(writing->database, "node", 5);
    for (uint32_t node = 1; node < trie->count && database_works(writing->database); node++) {
        const struct stack_node *at = &trie->nodes[node];
        if (!writing->needed[node])
            continue;
        struct row row = row_of(writing, statement);
        frames[at->frame] = true;
        hashes[node] = hash_node(text, writing, &hashes[at->parent], at->frame);
        row_int(&row, node);
        row_int(&row, at->parent);
        row_int(&row, at->frame);
        row_blob(&row, hashes[node].digest, sizeof hashes[node].digest);
        database_put(writing->database, statement);
    }
    database_end(statement);
}

static void put_lines(struct writing *writing, sqlite3_stmt *statement, uint32_t frame)
{
    size_t count;
    const struct heaptap_location *lines =
        frame_source_locations(&writing->profile->selection->frames, frame, &count);
    for (size_t i = 0; i < count; i++) {
        struct row row = row_of(writing, statement);
        row_int(&row, frame);
        row_int(&row, (int64_t)i);
        row_text(&row, lines[i].function);
        row_text(&row, lines[i].file);
        row_int(&row, lines[i].line);
        database_put(writing->database, statement);
    }
}

static void put_frames(struct writing *writing, const bool *frames)
{
    const struct model *model = writing->model;
    sqlite3_stmt *statement = database_insert_into(writing->database, "frame", 4);
    sqlite3_stmt *lines = database_insert_into(writing->database, "line", 6);
    for (uint32_t i = 0; i < model->frame_count && database_works(writing->database); i++) {
        if (!frames[i])
            continue;
        struct row row = row_of(writing, statement);
        row_int(&row, i);
        row_int(&row, (int64_t)model->frames[i].code);
        if (model->frames[i].module == MODEL_NONE)
            row_null(&row);
        else
            row_int(&row, model->frames[i].module);
        database_put(writing->database, statement);
        put_lines(writing, lines, i);
    }
    database_end(statement);
    database_end(lines);
}

static void put_modules(struct writing *writing)
{
    const struct model *model = writing->model;
    sqlite3_stmt *statement = database_insert_into(writing->database, "module", 6);
    for (size_t i = 0; i < model->module_count && database_works(writing->database); i++) {
        struct row row = row_of(writing, statement);
        row_int(&row, (int64_t)i);
        row_text(&row, model->modules[i].path);
        row_text(&row, model->modules[i].build_id);
        row_int(&row, (int64_t)model->modules[i].start);
        row_int(&row, (int64_t)model->modules[i].size);
        database_put(writing->database, statement);
    }
    database_end(statement);
}

bool store_write_places(struct writing *writing)
{
    const struct stack_trie *trie = &writing->profile->selection->profile.trie;
    XXH128_canonical_t *hashes = calloc(trie->count, sizeof *hashes);
    bool *frames = calloc(writing->model->frame_count + 1, sizeof *frames);
    struct text text = {0};
    bool done = hashes && frames;
    if (done) {
        put_nodes(writing, hashes, &text, frames);
        done = !text.failed;
        put_frames(writing, frames);
        put_modules(writing);
    }
    text_release(&text);
    free(hashes);
    free(frames);
    return done;
}
