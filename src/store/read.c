/* Chosen profiles become one: SQL adds up what is equal, a row for each stack and type, and stacks are put together from their
 * nodes.  Values are rounded with what the rounding before them left over, so that totals are right to within one half. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"
#include "base/saturate.h"
#include "profile/list/profile_builder.h"
#include "store/choose.h"
#include "store/moments.h"
#include "store/row.h"
#include "store/store_file.h"

/* A node that has been read. */
struct read_node {
    int64_t parent;
    uint32_t location; /* of the profile */
};

struct reading {
    struct database *database;
    struct profile_builder builder;
    int64_t *types; /* by type of the profile: its number in the store */
    size_t type_count, type_capacity;
    int64_t *values;  /* of the stack in the making, by type */
    double *rest;     /* what rounding has left over, by type */
    struct map nodes; /* number in the store -> index into items */
    struct read_node *items;
    size_t item_count, item_capacity;
    struct map locations; /* frame in the store -> location */
    sqlite3_stmt *node, *lines;
    struct store_moments moments; /* where samples keep their time and instance; else none */
    bool no_memory, is_cut;
};

/* ---- Places -------------------------------------------------------------------------- */

static const char *column_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

/* Reads lines from the function to what is innermost, as the builder wants them. */
static bool read_lines(struct reading *reading, int64_t frame, uint32_t location)
{
    struct row row = {reading->lines, 0};
    bool done = true;
    row_int(&row, frame);
    while (done && database_next(reading->database, reading->lines)) {
        int64_t line = sqlite3_column_int64(reading->lines, 2);
        done = profile_builder_line(&reading->builder, location, column_text(reading->lines, 0),
                                    column_text(reading->lines, 1),
                                    line > 0 && line < UINT32_MAX ? (uint32_t)line : 0);
    }
    sqlite3_reset(reading->lines);
    return done;
}

static uint32_t location_of(struct reading *reading, int64_t frame)
{
    bool fresh;
    uint32_t *known = map_put(&reading->locations, (uint64_t)frame, 0, &fresh);
    if (!known || !fresh)
        return known ? *known : MODEL_NONE;
    uint32_t location = profile_builder_location(&reading->builder);
    *known = location;
    return location != MODEL_NONE && read_lines(reading, frame, location) ? location : MODEL_NONE;
}

/* NULL where it is not there, or there is no memory. */
static const struct read_node *node_of(struct reading *reading, int64_t id)
{
    struct row row = {reading->node, 0};
    uint32_t *known = map_find(&reading->nodes, (uint64_t)id);
    bool fresh;
    if (known)
        return &reading->items[*known];
    row_int(&row, id);
    if (!database_next(reading->database, reading->node))
        return NULL;
    struct read_node node = {sqlite3_column_int64(reading->node, 0), 0};
    int64_t frame = sqlite3_column_int64(reading->node, 1);
    sqlite3_reset(reading->node);
    node.location = location_of(reading, frame);
    if (node.location == MODEL_NONE ||
        !ARRAY_RESERVE(&reading->items, &reading->item_capacity, reading->item_count + 1) ||
        !map_put(&reading->nodes, (uint64_t)id, (uint32_t)reading->item_count, &fresh)) {
        reading->no_memory = true;
        return NULL;
    }
    reading->items[reading->item_count] = node;
    return &reading->items[reading->item_count++];
}

/* A caller's number is below its callees'; a file that says otherwise leads round in no circle. */
static bool put_stack(struct reading *reading, int64_t id)
{
    const struct read_node *node;
    for (; id > 0 && (node = node_of(reading, id)); id = node->parent < id ? node->parent : 0)
        if (!profile_builder_frame(&reading->builder, node->location))
            return false;
    return !reading->no_memory;
}

/* ---- Values -------------------------------------------------------------------------- */

static bool read_types(struct reading *reading)
{
    sqlite3_stmt *statement =
        database_prepare(reading->database, "SELECT id, name, unit FROM type"
                                            " WHERE id IN (SELECT type FROM chosen)"
                                            " ORDER BY name, unit");
    bool done = true;
    while (done && database_next(reading->database, statement)) {
        done = model_add_value_type(reading->builder.model, column_text(statement, 1),
                                    column_text(statement, 2)) &&
               ARRAY_RESERVE(&reading->types, &reading->type_capacity, reading->type_count + 1);
        if (done)
            reading->types[reading->type_count++] = sqlite3_column_int64(statement, 0);
    }
    database_end(statement);
    reading->values = calloc(reading->type_count + 1, sizeof *reading->values);
    reading->rest = calloc(reading->type_count + 1, sizeof *reading->rest);
    return done && reading->values && reading->rest;
}

/* What is lost by rounding is added to the next: so sums stay what they are.  The next one is by the order of hashes, which is
 * that of no store: two with the same profiles give the same figures. */
static void take_value(struct reading *reading, int64_t type, double value)
{
    for (size_t i = 0; i < reading->type_count; i++)
        if (reading->types[i] == type) {
            double exact = value + reading->rest[i];
            reading->values[i] = saturate_round(exact);
            bool is_cut = saturate_has(reading->values[i]);
            reading->rest[i] = is_cut ? 0 : exact - (double)reading->values[i];
            reading->is_cut |= is_cut;
        }
}

static bool put_moment(struct reading *reading, int64_t number)
{
    struct model_label labels[MOMENT_LABELS];
    if (number < 0 || (size_t)number >= reading->moments.count)
        return true;
    int count = moment_labels(&reading->moments.items[number], labels);
    for (int i = 0; i < count; i++)
        if (!profile_builder_label(&reading->builder, &labels[i]))
            return false;
    return true;
}

static bool end_stack(struct reading *reading, int64_t node, int64_t moment)
{
    bool done = put_stack(reading, node) && put_moment(reading, moment) &&
                profile_builder_sample(&reading->builder, reading->values);
    memset(reading->values, 0, reading->type_count * sizeof *reading->values);
    return done;
}

static const char of_all[] =
    "SELECT sums.node, type, value, -1 FROM (SELECT sample.node AS node, sample.type AS type,"
    "  sum(value * weight) AS value FROM chosen JOIN sample"
    "  ON sample.profile = chosen.profile AND sample.type = chosen.type"
    "  GROUP BY sample.node, sample.type) AS sums"
    " LEFT JOIN node ON node.id = sums.node ORDER BY node.hash, sums.node";

static const char of_moments[] =
    "SELECT sums.node, type, value, number FROM (SELECT sample.node AS node, sample.type AS type,"
    "  sum(value * weight) AS value, coalesce(moment.number, -1) AS number FROM chosen JOIN sample"
    "  ON sample.profile = chosen.profile AND sample.type = chosen.type"
    "  LEFT JOIN moment ON moment.profile = chosen.profile"
    "  GROUP BY coalesce(moment.number, -1), sample.node, sample.type) AS sums"
    " LEFT JOIN node ON node.id = sums.node ORDER BY number, node.hash, sums.node";

static bool read_samples(struct reading *reading)
{
    sqlite3_stmt *statement =
        database_prepare(reading->database, reading->moments.count > 0 ? of_moments : of_all);
    int64_t node = -1, moment = -1;
    bool done = true;
    while (done && database_next(reading->database, statement)) {
        int64_t next = sqlite3_column_int64(statement, 0),
                next_moment = sqlite3_column_int64(statement, 3);
        done = node == -1 || (node == next && moment == next_moment) ||
               end_stack(reading, node, moment);
        node = next;
        moment = next_moment;
        take_value(reading, sqlite3_column_int64(statement, 1),
                   sqlite3_column_double(statement, 2));
    }
    database_end(statement);
    return done && (node == -1 || end_stack(reading, node, moment));
}

/* ---- The profile --------------------------------------------------------------------- */

static bool describe(struct store *store, struct model *model, int64_t profiles)
{
    char comment[STORE_LACK_BYTES];
    struct database *database = &store->database;
    int64_t series = database_number(database, "SELECT count(DISTINCT series) FROM chosen_profile");
    int64_t from_us = database_number(
        database, "SELECT min(from_us) FROM profile WHERE id IN (SELECT id FROM chosen_profile)");
    int64_t until_us = database_number(
        database, "SELECT max(until_us) FROM profile WHERE id IN (SELECT id FROM chosen_profile)");
    long type = model_find_value_type(model, "alloc_space");
    if (type >= 0)
        model->samples.default_type = (size_t)type;
    if (from_us > 0 && until_us < INT64_MAX / 1000) {
        model->file->time_ns = from_us * 1000;
        model->file->duration_ns = (until_us - from_us) * 1000;
    }
    snprintf(comment, sizeof comment, "of a store: %lld profiles of %lld series",
             (long long)profiles, (long long)series);
    if (!profile_add_comment(model, comment))
        return false;
    store_lack(store, comment);
    return !*comment || profile_add_comment(model, comment);
}

static bool read_all(struct reading *reading)
{
    reading->node =
        database_prepare(reading->database, "SELECT parent, frame FROM node WHERE id = ?");
    reading->lines = database_prepare(
        reading->database, "SELECT function, file, line FROM line WHERE frame = ? ORDER BY depth");
    return profile_builder_init(&reading->builder, "store") && read_types(reading) &&
           read_samples(reading);
}

static void release(struct reading *reading)
{
    profile_builder_release(&reading->builder);
    free(reading->types);
    free(reading->values);
    free(reading->rest);
    free(reading->items);
    store_moments_release(&reading->moments);
    map_release(&reading->nodes);
    map_release(&reading->locations);
    database_end(reading->node);
    database_end(reading->lines);
}

/* The one moment of the store that all queries see: within a transaction. */
static enum heaptap_status read_chosen(struct store *store, bool with_moments, struct model **model,
                                       int64_t profiles, struct heaptap_error *error)
{
    struct reading reading = {.database = &store->database};
    bool has_moments = with_moments && !store->clickhouse;
    bool done = (!has_moments || store_moments_mark(&reading.moments, reading.database)) &&
                read_all(&reading);
    if (done && reading.type_count == 0)
        database_refuse(&store->database, store_lost_totals);
    if (done && !store->database.failed)
        *model = profile_builder_finish_placed(&reading.builder, 0);
    store->is_cut = reading.is_cut;
    done = done && *model && describe(store, *model, profiles);
    release(&reading);
    enum heaptap_status status = store_outcome(store, error);
    return status == HEAPTAP_OK && !done ? error_no_memory(error) : status;
}

enum heaptap_status store_read(struct store *store, const struct store_selector *selector,
                               bool with_moments, struct model **model, struct heaptap_error *error)
{
    *model = NULL;
    enum heaptap_status loaded = store_load(store, selector, STORE_SAMPLES, NULL, NULL, error);
    if (loaded != HEAPTAP_OK)
        return loaded;
    database_run(&store->database, "BEGIN");
    int64_t profiles = store_choose(store, "chosen", selector);
    enum heaptap_status status = store_outcome(store, error);
    if (status == HEAPTAP_OK && profiles == 0)
        status = error_set(error, HEAPTAP_BAD_ARGUMENT,
                           "no profile of the store has these labels and times");
    if (status == HEAPTAP_OK)
        status = read_chosen(store, with_moments, model, profiles, error);
    if (status != HEAPTAP_OK) {
        model_free(*model);
        *model = NULL;
    }
    sqlite3_exec(store->database.handle, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
