#include "store/moments.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/row.h"

static const double gap = 3; /* times the median interval: another run */

/* A chosen profile. */
struct when {
    int64_t profile, series, until_us;
};

struct marking {
    struct store_moments *moments;
    struct database *database;
    sqlite3_stmt *put;
    struct when *whens; /* of one series, in the order of time */
    size_t count, capacity;
    char *instance, *version; /* of it */
    bool no_memory;
};

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The median of the times between a series' profiles; 0 when there is no memory. */
static int64_t interval_of(struct marking *marking)
{
    size_t count = marking->count - 1;
    int64_t *intervals = malloc((count + 1) * sizeof *intervals);
    if (!intervals) {
        marking->no_memory = true;
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        intervals[i] = marking->whens[i + 1].until_us - marking->whens[i].until_us;
    qsort(intervals, count, sizeof *intervals, compare);
    int64_t median = count > 0 ? intervals[count / 2] : 0;
    free(intervals);
    return median;
}

static bool add_moment(struct marking *marking, const struct moment *moment)
{
    struct store_moments *moments = marking->moments;
    if (!ARRAY_RESERVE(&moments->items, &moments->capacity, moments->count + 1))
        return false;
    struct moment *added = &moments->items[moments->count++];
    *added = *moment;
    added->instance = strdup(marking->instance);
    added->version = strdup(marking->version);
    return added->instance && added->version;
}

static void put(struct marking *marking, int64_t profile)
{
    struct row row = {marking->put, 0};
    row_int(&row, profile);
    row_int(&row, (int64_t)marking->moments->count - 1);
    database_put(marking->database, marking->put);
}

/* The profiles of a run, which are many enough; each stands for the interval before it. */
static void mark_run(struct marking *marking, const struct when *whens, size_t count, int64_t run,
                     int64_t interval_us)
{
    int64_t from_us = whens[0].until_us,
            whole_us = whens[count - 1].until_us - from_us + interval_us;
    struct moment moment = {.run = run,
                            .part_us = (whole_us + MOMENT_PARTS - 1) / MOMENT_PARTS,
                            .profiles = (int64_t)marking->count};
    for (size_t i = 0, end = 0; i < count && !marking->no_memory; i = end) {
        moment.part = (whens[i].until_us - from_us) / moment.part_us;
        for (end = i;
             end < count && (whens[end].until_us - from_us) / moment.part_us == moment.part;)
            end++;
        moment.profiles_of_part = (int64_t)(end - i);
        marking->no_memory |= !add_moment(marking, &moment);
        for (size_t k = i; k < end && !marking->no_memory; k++)
            put(marking, whens[k].profile);
    }
}

static void mark_series(struct marking *marking)
{
    const struct when *whens = marking->whens;
    int64_t interval = marking->count > 1 ? interval_of(marking) : 0;
    int64_t run = 0;
    for (size_t from = 0, end; from < marking->count && !marking->no_memory; from = end, run++) {
        for (end = from + 1;
             end < marking->count &&
             (double)(whens[end].until_us - whens[end - 1].until_us) <= gap * (double)interval;)
            end++;
        if (end - from >= MOMENT_PARTS && interval > 0)
            mark_run(marking, whens + from, end - from, run, interval);
    }
    marking->count = 0;
}

static bool name_series(struct marking *marking, sqlite3_stmt *statement)
{
    const char *labels = (const char *)sqlite3_column_text(statement, 3),
               *version = (const char *)sqlite3_column_text(statement, 4);
    free(marking->instance);
    free(marking->version);
    marking->instance = strdup(labels ? labels : "");
    marking->version = strdup(version ? version : "");
    return marking->instance && marking->version;
}

static void take(struct marking *marking, sqlite3_stmt *statement)
{
    struct when when = {sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                        sqlite3_column_int64(statement, 2)};
    if (marking->count > 0 && marking->whens[0].series != when.series)
        mark_series(marking);
    if (marking->count == 0 && !name_series(marking, statement))
        marking->no_memory = true;
    if (marking->no_memory ||
        !ARRAY_RESERVE(&marking->whens, &marking->capacity, marking->count + 1))
        marking->no_memory = true;
    else
        marking->whens[marking->count++] = when;
}

bool store_moments_mark(struct store_moments *moments, struct database *database)
{
    struct marking marking = {.moments = moments, .database = database};
    *moments = (struct store_moments){0};
    database_run(database, "DROP TABLE IF EXISTS temp.moment;"
                           "CREATE TEMP TABLE moment (profile INTEGER PRIMARY KEY, number)");
    marking.put = database_prepare(database, "INSERT OR IGNORE INTO moment VALUES (?, ?)");
    sqlite3_stmt *chosen = database_prepare(
        database,
        "SELECT chosen.profile, profile.series, profile.until_us, series.labels, version.value FROM chosen"
        " JOIN type ON type.id = chosen.type AND type.name = 'inuse_space'"
        " JOIN profile ON profile.id = chosen.profile JOIN series ON series.id = profile.series"
        " LEFT JOIN series_label AS version ON version.series = profile.series AND version.key = 'version'"
        " ORDER BY series.labels, profile.until_us, profile.from_us, profile.hash");
    while (!marking.no_memory && database_next(database, chosen))
        take(&marking, chosen);
    if (!marking.no_memory)
        mark_series(&marking);
    database_end(chosen);
    database_end(marking.put);
    free(marking.whens);
    free(marking.instance);
    free(marking.version);
    return !marking.no_memory;
}

void store_moments_release(struct store_moments *moments)
{
    for (size_t i = 0; i < moments->count; i++) {
        free((char *)moments->items[i].instance);
        free((char *)moments->items[i].version);
    }
    free(moments->items);
    *moments = (struct store_moments){0};
}
