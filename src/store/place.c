#include "store/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/row.h"

/* ---- Reading ------------------------------------------------------------------------- */

enum heaptap_status store_place_parse(struct store_place *place, const char *text,
                                      struct heaptap_error *error)
{
    const char *colon = strrchr(text, ':');
    size_t file = colon ? (size_t)(colon - text) : 0;
    *place = (struct store_place){.function = text};
    if (!*text)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "no place is given: use a function, or FILE:LINE");
    if (strlen(text) >= STORE_PLACE_MAX)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "the place is longer than %d bytes",
                         STORE_PLACE_MAX - 1);
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (file > 0 && digits > 0 && digits < 10 && !colon[1 + digits]) {
        memcpy(place->file, text, file);
        place->line = (uint32_t)strtoul(colon + 1, NULL, 10);
    }
    return HEAPTAP_OK;
}

/* ---- Marking ------------------------------------------------------------------------- */

static void mark_frames(struct database *database, const struct store_place *place)
{
    database_run(database, "DROP TABLE IF EXISTS temp.passing_frame;"
                           "CREATE TEMP TABLE passing_frame (id INTEGER PRIMARY KEY)");
    sqlite3_stmt *statement = database_prepare(
        database, "INSERT OR IGNORE INTO passing_frame SELECT frame FROM line WHERE function = ?1"
                  " OR (?2 <> '' AND line = ?3 AND"
                  "  (file = ?2 OR substr(file, -length(?2) - 1) = '/' || ?2))");
    struct row row = {statement, 0};
    row_text(&row, place->function);
    row_text(&row, place->file);
    row_int(&row, place->line);
    database_put(database, statement);
    database_end(statement);
}

/* A bit for each node, by its number. */
struct marks {
    uint8_t *bytes;
    size_t count; /* of nodes: their numbers are below */
};

static bool is_marked(const struct marks *marks, int64_t node)
{
    return node > 0 && (size_t)node < marks->count && (marks->bytes[node / 8] >> (node % 8) & 1);
}

/* A caller's number is below its callees', so one reading in the order of numbers does. */
static void mark_nodes(struct database *database, struct marks *marks)
{
    sqlite3_stmt *nodes = database_prepare(
        database, "SELECT id, parent, frame IN (SELECT id FROM passing_frame) FROM node"
                  " ORDER BY id");
    sqlite3_stmt *put = database_prepare(database, "INSERT INTO passing VALUES (?)");
    while (database_next(database, nodes)) {
        int64_t node = sqlite3_column_int64(nodes, 0);
        if (node < 0 || (size_t)node >= marks->count ||
            (!sqlite3_column_int64(nodes, 2) && !is_marked(marks, sqlite3_column_int64(nodes, 1))))
            continue;
        struct row row = {put, 0};
        marks->bytes[node / 8] |= (uint8_t)(1 << node % 8);
        row_int(&row, node);
        database_put(database, put);
    }
    database_end(nodes);
    database_end(put);
}

bool store_place_mark(struct database *database, const struct store_place *place)
{
    mark_frames(database, place);
    database_run(database, "DROP TABLE IF EXISTS temp.passing;"
                           "CREATE TEMP TABLE passing (id INTEGER PRIMARY KEY)");
    int64_t last = database_number(database, "SELECT max(id) FROM node");
    struct marks marks = {.count = last > 0 ? (size_t)last + 1 : 1};
    marks.bytes = calloc(marks.count / 8 + 1, 1);
    if (marks.bytes)
        mark_nodes(database, &marks);
    free(marks.bytes);
    return marks.bytes;
}
