#include "fleet/ingest/symbols.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"
#include "fleet/ingest/debuginfod.h"
#include "pprof/symbolize/symbolize.h"

/* What is known is forgotten when it would be more than this: some 100 MB. */
enum { PLACES_MAX = 1 << 20 };

/* A place of a file, that has been looked up. */
struct known_place {
    size_t first_line;   /* of `lines` */
    uint32_t line_count; /* 0: nothing was found, ... */
    int64_t looked_s;    /* ... at that time */
};

struct ingest_symbols {
    pthread_mutex_t lock; /* of all that follows */
    char *folder;         /* NULL for none */
    struct debuginfod *debuginfod;
    struct map by_place; /* build id and offset, hashed -> index of places */
    struct known_place *places;
    size_t place_count, place_capacity;
    struct heaptap_location *lines;
    size_t line_count, line_capacity;
    struct names names; /* of lines */
};

static int64_t seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

/* ---- What is known ------------------------------------------------------------------- */

static void forget_all(struct ingest_symbols *symbols)
{
    map_release(&symbols->by_place);
    symbols->by_place = (struct map){0};
    names_release(&symbols->names);
    symbols->names = (struct names){0};
    symbols->place_count = symbols->line_count = 0;
}

/* Does it want a name that can be found? */
static bool is_wanted(const struct pprof *pprof, const struct pprof_location *location)
{
    uint8_t id[HEAPTAP_BUILD_ID_MAX];
    return symbolize_pprof_wants(pprof, location) &&
           symbolize_build_id(&pprof->mappings[location->mapping], id) > 0;
}

/* Of a location that is wanted. */
static uint64_t key_of(const struct pprof *pprof, const struct pprof_location *location)
{
    const struct pprof_mapping *mapping = &pprof->mappings[location->mapping];
    uint64_t offset = location->address - mapping->start + mapping->offset;
    return XXH3_64bits_withSeed(mapping->build_id, strlen(mapping->build_id), offset) |
           1; /* never 0 */
}

static bool take_known(struct ingest_symbols *symbols, const struct known_place *place,
                       struct pprof *pprof, struct pprof_location *location)
{
    if (!ARRAY_RESERVE(&pprof->lines, &pprof->line_capacity, pprof->line_count + place->line_count))
        return false;
    location->first_line = (uint32_t)pprof->line_count;
    location->line_count = place->line_count;
    for (uint32_t i = 0; i < place->line_count; i++) {
        const struct heaptap_location *known = &symbols->lines[place->first_line + i];
        struct heaptap_location *line = &pprof->lines[pprof->line_count++];
        *line = *known;
        line->file = names_intern(&pprof->names, known->file, strlen(known->file));
        line->function = names_intern(&pprof->names, known->function, strlen(known->function));
        if (!line->file || !line->function)
            return false;
    }
    return true;
}

/* Of a location that has been looked up. */
static bool learn(struct ingest_symbols *symbols, const struct pprof *pprof,
                  const struct pprof_location *location, uint64_t key)
{
    bool fresh, is_found = !symbolize_pprof_wants(pprof, location);
    uint32_t count = is_found ? location->line_count : 0;
    if (!ARRAY_RESERVE(&symbols->places, &symbols->place_capacity, symbols->place_count + 1) ||
        !ARRAY_RESERVE(&symbols->lines, &symbols->line_capacity, symbols->line_count + count))
        return false;
    uint32_t *index = map_put(&symbols->by_place, key, (uint32_t)symbols->place_count, &fresh);
    if (!index)
        return false;
    symbols->place_count += fresh;
    symbols->places[*index] = (struct known_place){symbols->line_count, count, seconds_now()};
    for (uint32_t i = 0; i < count; i++) {
        const struct heaptap_location *line = &pprof->lines[location->first_line + i];
        struct heaptap_location *known = &symbols->lines[symbols->line_count++];
        *known = *line;
        known->file = names_intern(&symbols->names, line->file, strlen(line->file));
        known->function = names_intern(&symbols->names, line->function, strlen(line->function));
        if (!known->file || !known->function)
            return false;
    }
    return true;
}

/* Names what is known.  How many are left to be looked up; what was looked for in vain a moment ago is not. */
static bool take_all_known(struct ingest_symbols *symbols, struct pprof *pprof, size_t *left)
{
    int64_t now = seconds_now();
    *left = 0;
    for (size_t i = 0; i < pprof->location_count; i++) {
        struct pprof_location *location = &pprof->locations[i];
        if (!is_wanted(pprof, location))
            continue;
        const uint32_t *index = map_find(&symbols->by_place, key_of(pprof, location));
        const struct known_place *place = index ? &symbols->places[*index] : NULL;
        if (place && place->line_count > 0 && !take_known(symbols, place, pprof, location))
            return false;
        *left +=
            !place || (place->line_count == 0 && now - place->looked_s >= SYMBOLS_AGAIN_SECONDS);
    }
    return true;
}

/* ---- Looking up ---------------------------------------------------------------------- */

static void fetch_files(struct ingest_symbols *symbols, const struct pprof *pprof)
{
    bool *wanted = calloc(pprof->mapping_count + 1, sizeof *wanted);
    for (size_t i = 0; wanted && i < pprof->location_count; i++)
        if (is_wanted(pprof, &pprof->locations[i]))
            wanted[pprof->locations[i].mapping] = true;
    for (size_t i = 0; wanted && i < pprof->mapping_count; i++) {
        uint8_t id[HEAPTAP_BUILD_ID_MAX];
        if (wanted[i])
            debuginfod_fetch(symbols->debuginfod, id, symbolize_build_id(&pprof->mappings[i], id));
    }
    free(wanted);
}

static bool look_up(struct ingest_symbols *symbols, struct pprof *pprof)
{
    struct symbolizer *symbolizer;
    struct heaptap_error error;
    size_t found;
    const char *folders[] = {symbols->folder};
    const struct symbolizer_options options = {.debug_dirs = folders,
                                               .debug_dir_count = symbols->folder != NULL};
    if (symbols->debuginfod)
        fetch_files(symbols, pprof);
    enum heaptap_status status = symbolizer_new(&symbolizer, &options, &error);
    if (status != HEAPTAP_OK)
        return status != HEAPTAP_NO_MEMORY; /* the folder is gone: places stay places */
    bool done = symbolize_pprof_by_id(pprof, symbolizer, &found);
    symbolizer_free(symbolizer);
    return done;
}

/* `keys`: of the locations that were looked up, 0 for others. */
static bool learn_all(struct ingest_symbols *symbols, const struct pprof *pprof,
                      const uint64_t *keys)
{
    if (symbols->place_count + pprof->location_count > PLACES_MAX)
        forget_all(symbols);
    for (size_t i = 0; i < pprof->location_count; i++)
        if (keys[i] && !learn(symbols, pprof, &pprof->locations[i], keys[i]))
            return false;
    return true;
}

static bool name_all(struct ingest_symbols *symbols, struct pprof *pprof)
{
    size_t left;
    if (!take_all_known(symbols, pprof, &left))
        return false;
    if (left == 0)
        return true;
    uint64_t *keys = calloc(pprof->location_count + 1, sizeof *keys);
    if (!keys)
        return false;
    for (size_t i = 0; i < pprof->location_count; i++)
        if (is_wanted(pprof, &pprof->locations[i]))
            keys[i] = key_of(pprof, &pprof->locations[i]);
    bool done = look_up(symbols, pprof) && learn_all(symbols, pprof, keys);
    free(keys);
    return done;
}

/* A profile that has its names doesn't wait for the threads that look names up. */
bool ingest_symbols_name(struct ingest_symbols *symbols, struct pprof *pprof)
{
    size_t i = 0;
    while (i < pprof->location_count && !is_wanted(pprof, &pprof->locations[i]))
        i++;
    if (i == pprof->location_count)
        return true;
    pthread_mutex_lock(&symbols->lock);
    bool done = name_all(symbols, pprof);
    pthread_mutex_unlock(&symbols->lock);
    return done;
}

/* ---- All ----------------------------------------------------------------------------- */

enum heaptap_status ingest_symbols_new(struct ingest_symbols **made, const char *folder,
                                       const char *urls, struct heaptap_error *error)
{
    struct ingest_symbols *symbols = *made = calloc(1, sizeof *symbols);
    enum heaptap_status status = symbols ? HEAPTAP_OK : error_no_memory(error);
    if (symbols)
        pthread_mutex_init(&symbols->lock, NULL);
    if (status == HEAPTAP_OK && folder && !(symbols->folder = realpath(folder, NULL)))
        status = error_system(error, folder);
    if (status == HEAPTAP_OK && urls)
        status = debuginfod_new(&symbols->debuginfod, symbols->folder, urls, error);
    if (status != HEAPTAP_OK) {
        ingest_symbols_free(symbols);
        *made = NULL;
    }
    return status;
}

void ingest_symbols_free(struct ingest_symbols *symbols)
{
    if (!symbols)
        return;
    forget_all(symbols);
    pthread_mutex_destroy(&symbols->lock);
    debuginfod_free(symbols->debuginfod);
    free(symbols->places);
    free(symbols->lines);
    free(symbols->folder);
    free(symbols);
}
