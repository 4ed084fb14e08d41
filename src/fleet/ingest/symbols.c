#include "fleet/ingest/symbols.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fleet/ingest/debuginfod.h"
#include "pprof/symbolize/known_places.h"
#include "pprof/symbolize/symbolize.h"

/* What is known is forgotten when it would be more than this: some 100 MB. */
enum { PLACES_MAX = 1 << 20 };

struct ingest_symbols {
    pthread_mutex_t lock; /* of all that follows */
    char *folder;         /* NULL for none */
    struct debuginfod *debuginfod;
    struct known_places known;
};

/* ---- Looking up ---------------------------------------------------------------------- */

/* `keys`: of the locations that are to be looked up, 0 for others. */
static void fetch_files(struct ingest_symbols *symbols, const struct model *model,
                        const uint64_t *keys)
{
    bool *wanted = calloc(model->module_count + 1, sizeof *wanted);
    for (size_t i = 0; wanted && i < model->frame_count; i++)
        if (keys[i])
            wanted[model->frames[i].module] = true;
    for (size_t i = 0; wanted && i < model->module_count; i++) {
        uint8_t id[HEAPTAP_BUILD_ID_MAX];
        if (wanted[i])
            debuginfod_fetch(symbols->debuginfod, id, symbolize_build_id(&model->modules[i], id));
    }
    free(wanted);
}

static bool look_up(struct ingest_symbols *symbols, struct model *model, const uint64_t *keys)
{
    struct symbolizer *symbolizer;
    struct heaptap_error error;
    size_t found;
    const char *folders[] = {symbols->folder};
    const struct symbolizer_options options = {.debug_dirs = folders,
                                               .debug_dir_count = symbols->folder != NULL};
    if (symbols->debuginfod)
        fetch_files(symbols, model, keys);
    enum heaptap_status status = symbolizer_new(&symbolizer, &options, &error);
    if (status != HEAPTAP_OK)
        return status != HEAPTAP_NO_MEMORY; /* the folder is gone: places stay places */
    bool done = symbolize_pprof_by_id(model, symbolizer, &found);
    symbolizer_free(symbolizer);
    return done;
}

static bool name_all(struct ingest_symbols *symbols, struct model *model, uint64_t *keys)
{
    size_t left;
    if (!known_places_give(&symbols->known, model, keys, SYMBOLS_AGAIN_SECONDS, &left))
        return false;
    if (left == 0)
        return true;
    if (!look_up(symbols, model, keys))
        return false;
    if (symbols->known.count + left > PLACES_MAX)
        known_places_release(&symbols->known);
    return known_places_learn(&symbols->known, model, keys);
}

/* A profile that has its names doesn't wait for the threads that look names up. */
bool ingest_symbols_name(struct ingest_symbols *symbols, struct model *model)
{
    size_t wanted;
    uint64_t *keys = known_places_keys(model, true, &wanted);
    bool done = keys;
    if (done && wanted > 0) {
        pthread_mutex_lock(&symbols->lock);
        done = name_all(symbols, model, keys);
        pthread_mutex_unlock(&symbols->lock);
    }
    free(keys);
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
    known_places_release(&symbols->known);
    pthread_mutex_destroy(&symbols->lock);
    debuginfod_free(symbols->debuginfod);
    free(symbols->folder);
    free(symbols);
}
