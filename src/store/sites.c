/* A stack's site is its innermost line that is no library's; of a stack of nothing else, its innermost line in a shared library
 * that is none by its name, or its innermost line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "profile/library_program.h"
#include "store/choose.h"
#include "store/row.h"
#include "store/store_file.h"

/* What a line of a site has. */
struct line_sum {
    uint32_t site, line;
    double value;
};

struct siting {
    struct database *database;
    struct store_sites *sites;
    struct map by_place; /* interned function and file, mixed -> index of the site */
    struct line_sum *lines;
    size_t line_count, line_capacity;
    struct map by_line; /* index of the site and line -> index of the sum */
    sqlite3_stmt *node, *line;
    bool no_memory;
    bool is_cut; /* a sum is the largest number there is, or larger */
};

/* ---- Places -------------------------------------------------------------------------- */

static const char *intern(struct siting *siting, int column)
{
    const char *text = (const char *)sqlite3_column_text(siting->line, column);
    text = names_intern(&siting->sites->names, text ? text : "", text ? strlen(text) : 0);
    siting->no_memory |= !text;
    return text;
}

/* Sets, by what lines are, the place to the innermost of the frame where none is set; true where one of them is no library's. */
static bool place_in(struct siting *siting, int64_t frame, struct heaptap_location *places)
{
    static const struct library_program unknown = {0};
    struct row row = {siting->line, 0};
    bool is_found = false;
    row_int(&row, frame);
    while (!is_found && database_next(siting->database, siting->line)) {
        struct heaptap_location at = {.function = intern(siting, 0),
                                      .file = intern(siting, 1),
                                      .line = (uint32_t)sqlite3_column_int64(siting->line, 2)};
        if (siting->no_memory)
            break;
        enum library_kind kind = library_kind_of(&unknown, NULL, &at);
        if (!places[kind].function)
            places[kind] = at;
        is_found = kind == LIBRARY_NONE;
    }
    sqlite3_reset(siting->line);
    return is_found;
}

/* Where a stack of the store ends. */
static struct heaptap_location place_of(struct siting *siting, int64_t node)
{
    struct heaptap_location places[LIBRARY_CODE + 1] = {0}; /* by what they are */
    bool is_found = false;
    while (node > 0 && !is_found && !siting->no_memory) {
        struct row row = {siting->node, 0};
        int64_t parent = 0, frame = 0;
        row_int(&row, node);
        if (database_next(siting->database, siting->node)) {
            parent = sqlite3_column_int64(siting->node, 0);
            frame = sqlite3_column_int64(siting->node, 1);
        }
        sqlite3_reset(siting->node);
        is_found = place_in(siting, frame, places);
        node = parent < node ? parent : 0;
    }
    return places[LIBRARY_NONE].function     ? places[LIBRARY_NONE]
           : places[LIBRARY_SHARED].function ? places[LIBRARY_SHARED]
                                             : places[LIBRARY_CODE];
}

/* ---- Sums ---------------------------------------------------------------------------- */

/* Names are interned: equal ones have one address. */
static struct store_site *site_of(struct siting *siting, const struct heaptap_location *place)
{
    struct store_sites *sites = siting->sites;
    uint64_t key = (uint64_t)(uintptr_t)place->function * UINT64_C(0x9e3779b97f4a7c15) ^
                   (uint64_t)(uintptr_t)place->file;
    bool fresh;
    if (!ARRAY_RESERVE(&sites->items, &sites->capacity, sites->count + 1))
        return NULL;
    uint32_t *index = map_put(&siting->by_place, key, (uint32_t)sites->count, &fresh);
    if (index && fresh)
        sites->items[sites->count++] =
            (struct store_site){.function = place->function, .file = place->file};
    return index ? &sites->items[*index] : NULL;
}

static bool add_to_line(struct siting *siting, size_t site, uint32_t line, double value)
{
    bool fresh;
    uint64_t key = (uint64_t)site << 32 | line;
    if (!ARRAY_RESERVE(&siting->lines, &siting->line_capacity, siting->line_count + 1))
        return false;
    uint32_t *index = map_put(&siting->by_line, key, (uint32_t)siting->line_count, &fresh);
    if (index && fresh)
        siting->lines[siting->line_count++] = (struct line_sum){(uint32_t)site, line, 0};
    if (index)
        siting->lines[*index].value += value;
    return index;
}

static int by_site_and_value(const void *left, const void *right)
{
    const struct line_sum *a = left, *b = right;
    return a->site != b->site     ? (a->site > b->site) - (a->site < b->site)
           : a->value != b->value ? (a->value < b->value) - (a->value > b->value)
                                  : (a->line > b->line) - (a->line < b->line);
}

/* Each site gets the line that has most. */
static void set_lines(struct siting *siting)
{
    struct line_sum *lines = siting->lines;
    if (siting->line_count > 0)
        qsort(lines, siting->line_count, sizeof *lines, by_site_and_value);
    for (size_t i = 0; i < siting->line_count; i++)
        if (i == 0 || lines[i].site != lines[i - 1].site)
            siting->sites->items[lines[i].site].line = lines[i].line;
}

static void add_node(struct siting *siting, int64_t node, double value, double variance)
{
    struct heaptap_location place = place_of(siting, node);
    if (!place.function)
        place = (struct heaptap_location){.function = "<unknown>", .file = ""};
    struct store_site *site = siting->no_memory ? NULL : site_of(siting, &place);
    if (!site || !add_to_line(siting, (size_t)(site - siting->sites->items), place.line, value)) {
        siting->no_memory = true;
        return;
    }
    siting->is_cut |= fabs(value) >= 0x1p63;
    site->value += value;
    site->variance += variance;
    siting->sites->value += value;
    siting->sites->variance += variance;
}

/* False where a figure has no error. */
static bool read_sums(struct siting *siting, const char *type)
{
    sqlite3_stmt *statement = database_prepare(
        siting->database,
        "SELECT sample.node, sum(value), sum(variance), count(*) - count(variance) FROM chosen"
        " JOIN type ON type.id = chosen.type AND type.name = ?"
        " JOIN sample ON sample.profile = chosen.profile AND sample.type = chosen.type"
        " GROUP BY sample.node");
    struct row row = {statement, 0};
    bool has_errors = true;
    row_text(&row, type);
    while (!siting->no_memory && has_errors && database_next(siting->database, statement)) {
        has_errors = sqlite3_column_int64(statement, 3) == 0;
        add_node(siting, sqlite3_column_int64(statement, 0), sqlite3_column_double(statement, 1),
                 sqlite3_column_double(statement, 2));
    }
    database_end(statement);
    return has_errors;
}

/* ---- All ----------------------------------------------------------------------------- */

static enum heaptap_status check_type(struct database *database, const char *type,
                                      struct heaptap_error *error)
{
    sqlite3_stmt *statement = database_prepare(
        database, "SELECT max(is_level) FROM chosen JOIN type ON type.id = chosen.type"
                  " WHERE type.name = ? HAVING count(*) > 0");
    struct row row = {statement, 0};
    row_text(&row, type);
    bool is_there = database_next(database, statement);
    bool is_level = is_there && sqlite3_column_int64(statement, 0) != 0;
    database_end(statement);
    if (!is_there)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "no profile of the store with these labels and times has %.60s", type);
    if (is_level)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "%.60s is a level: the same blocks are in one profile and the next, so "
                         "that errors of sums are not known",
                         type);
    return HEAPTAP_OK;
}

static enum heaptap_status read_chosen(struct siting *siting, const char *type,
                                       struct heaptap_error *error)
{
    siting->node =
        database_prepare(siting->database, "SELECT parent, frame FROM node WHERE id = ?");
    siting->line = database_prepare(
        siting->database,
        "SELECT function, file, line FROM line WHERE frame = ? ORDER BY depth DESC");
    bool has_errors = read_sums(siting, type);
    database_end(siting->node);
    database_end(siting->line);
    set_lines(siting);
    free(siting->lines);
    map_release(&siting->by_place);
    map_release(&siting->by_line);
    if (siting->no_memory)
        return error_no_memory(error);
    if (!has_errors)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "a profile does not say how it was sampled, so that errors of sums are "
                         "not known");
    return HEAPTAP_OK;
}

enum heaptap_status store_sites_read(struct store *store, const struct store_selector *selector,
                                     const char *type, struct store_sites *sites,
                                     struct heaptap_error *error)
{
    struct siting siting = {.database = &store->database, .sites = sites};
    *sites = (struct store_sites){0};
    enum heaptap_status loaded = store_load(store, selector, STORE_SAMPLES, type, NULL, error);
    if (loaded != HEAPTAP_OK)
        return loaded;
    database_run(&store->database, "BEGIN");
    store_choose(store, "chosen", selector);
    enum heaptap_status status = check_type(&store->database, type, error);
    if (status == HEAPTAP_OK)
        status = read_chosen(&siting, type, error);
    store->is_cut = siting.is_cut;
    enum heaptap_status outcome = store_outcome(store, error);
    sqlite3_exec(store->database.handle, "ROLLBACK", NULL, NULL, NULL);
    return outcome == HEAPTAP_OK ? status : outcome;
}

void store_sites_release(struct store_sites *sites)
{
    free(sites->items);
    names_release(&sites->names);
}
