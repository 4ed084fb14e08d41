/* The search for roots: the list of them, the modules and frames they are looked up in, and the classes of objects. */
#include "holders/roots.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "holders/roots_search.h"
#include "symbol/demangle.h"
#include "symbol/symbolizer.h"

/* ---- The list ------------------------------------------------------------------------ */

static const char *intern(struct roots_search *search, const char *text)
{
    const char *copy = names_copy(&search->roots->names, text);
    search->failed = search->failed || !copy;
    return copy ? copy : "";
}

static uint64_t hash_of(const struct root *root)
{
    uint64_t hash = root->line;
    const char *texts[] = {root->kind, root->name, root->file, root->module};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)texts[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

uint32_t roots_number(struct roots_search *search, const char *kind, const char *name,
                      const char *file, uint64_t line, const char *module)
{
    struct roots *roots = search->roots;
    struct root root = {intern(search, kind), intern(search, name), intern(search, file), line,
                        intern(search, module)};
    bool fresh;
    uint32_t *number = map_put(&roots->by_text, hash_of(&root), (uint32_t)roots->count, &fresh);
    if (!number || !ARRAY_RESERVE(&roots->items, &roots->capacity, roots->count + 1)) {
        search->failed = true;
        return 0;
    }
    if (fresh)
        roots->items[roots->count++] = root;
    return *number;
}

/* ---- Modules ------------------------------------------------------------------------- */

/* A module is noted when it is first met, which may be a while after it was loaded. */
static bool was_loaded(const struct heaptap_metadata *module, uint64_t time_us)
{
    return module->unloaded_us < 0 || (uint64_t)module->unloaded_us > time_us;
}

const struct heaptap_metadata *roots_module_at(const struct roots_search *search, uint64_t address)
{
    for (size_t i = search->record_count; i-- > 0;) {
        const struct heaptap_metadata *record = &search->records[i];
        if (record->kind == HEAPTAP_MODULE && was_loaded(record, search->graph->time_us) &&
            address - record->address < record->size_bytes)
            return record;
    }
    return NULL;
}

bool roots_module_open(struct roots_search *search, struct roots_module *module,
                       const struct heaptap_metadata *record)
{
    *module = (struct roots_module){.record = record, .is_open = true};
    enum debug_file_result result = debug_file_open(&module->file, record->name, record->build_id,
                                                    record->build_id_size, &search->path);
    search->failed = search->failed || result == DEBUG_FILE_NO_MEMORY;
    if (!module->file.dwfl ||
        !debug_file_load_bias(&module->file, record->address, record->size_bytes,
                              record->file_offset, &module->bias))
        return false;
    search->failed = search->failed || !data_symbols_init(&module->symbols, &module->file);
    debug_file_find_dwarf(&module->file);
    data_symbols_find_places(&module->symbols, &module->file);
    return !search->failed;
}

void roots_module_close(struct roots_module *module)
{
    if (!module->is_open)
        return;
    data_symbols_release(&module->symbols);
    debug_file_close(&module->file);
    module->is_open = false;
}

/* ---- Frames -------------------------------------------------------------------------- */

static void add_modules(struct roots_search *search)
{
    for (size_t i = 0; i < search->record_count; i++)
        if (search->records[i].kind == HEAPTAP_MODULE &&
            symbolizer_add_module(search->functions, &search->records[i], NULL) != HEAPTAP_OK)
            search->failed = true;
}

static struct symbol_query *frame_queries(struct roots_search *search, size_t *count)
{
    const struct graph *graph = search->graph;
    *count = 0;
    for (size_t i = 0; i < graph->thread_count; i++) {
        search->first_place[i] = *count;
        *count += graph->threads[i].frame_count;
    }
    struct symbol_query *queries = calloc(*count + 1, sizeof *queries);
    for (size_t i = 0, at = 0; queries && i < graph->thread_count; i++)
        for (size_t k = 0; k < graph->threads[i].frame_count; k++)
            queries[at++] =
                (struct symbol_query){graph->threads[i].frames[k].pc - 1, (int64_t)graph->time_us};
    return queries;
}

static void find_functions(struct roots_search *search)
{
    size_t count;
    const struct symbolizer_options options = {.names = SYMBOL_NAMES_TEMPLATES};
    search->first_place = calloc(search->graph->thread_count + 1, sizeof *search->first_place);
    if (search->first_place && symbolizer_new(&search->functions, &options, NULL) != HEAPTAP_OK)
        search->functions = NULL;
    struct symbol_query *queries = search->first_place ? frame_queries(search, &count) : NULL;
    search->places = queries ? calloc(count + 1, sizeof *search->places) : NULL;
    search->failed = search->failed || !search->places;
    if (search->places && search->functions) {
        add_modules(search);
        search->failed = search->failed || symbolizer_resolve(search->functions, queries, count,
                                                              search->places, NULL) != HEAPTAP_OK;
    }
    free(queries);
}

static void release_functions(struct roots_search *search)
{
    symbolizer_free(search->functions);
    free(search->places);
    free(search->first_place);
}

bool roots_find(struct roots *roots, const struct graph *graph,
                const struct heaptap_metadata *records, size_t count, const char *program)
{
    struct roots_search search = {.roots = roots,
                                  .graph = graph,
                                  .records = records,
                                  .record_count = count,
                                  .program = program};
    *roots = (struct roots){.of = calloc(graph->root_count + 1, sizeof *roots->of)};
    if (!roots->of || debug_path_init(&search.path, NULL, 0, NULL) != HEAPTAP_OK)
        return false;
    elf_version(EV_CURRENT);
    roots_measure_local(&search);
    find_functions(&search);
    if (!search.failed)
        roots_name_all(&search);
    release_functions(&search);
    roots_number(&search, ROOT_LOST, "", "", 0, "");
    roots_number(&search, ROOT_SEVERAL, "", "", 0, "");
    debug_path_release(&search.path);
    return !search.failed;
}

/* ---- Classes ------------------------------------------------------------------------- */

/* "vtable for shop::Order" is of shop::Order. */
static const char *class_of(struct roots_search *search, const struct data_symbol *symbol)
{
    static const char before[] = "vtable for ";
    if (!symbol || !begins_with(symbol->name, "_ZTV"))
        return "";
    char *name = demangle_name(symbol->name, SYMBOL_NAMES_TEMPLATES);
    search->failed = search->failed || !name;
    const char *found = name && strncmp(name, before, sizeof before - 1) == 0
                            ? intern(search, name + sizeof before - 1)
                            : "";
    free(name);
    return found;
}

bool roots_find_classes(struct roots *roots, const struct graph *graph,
                        const struct heaptap_metadata *records, size_t count,
                        const uint64_t *constants, size_t constant_count, const char **names)
{
    struct roots_search search = {
        .roots = roots, .graph = graph, .records = records, .record_count = count};
    struct roots_module module = {0};
    if (debug_path_init(&search.path, NULL, 0, NULL) != HEAPTAP_OK)
        return false;
    for (size_t i = 0; i < constant_count; i++) {
        const struct heaptap_metadata *record = roots_module_at(&search, constants[i]);
        names[i] = "";
        if (record && module.record != record) {
            roots_module_close(&module);
            if (!roots_module_open(&search, &module, record))
                roots_module_close(&module);
            module.record = record;
        }
        if (record && module.is_open)
            names[i] = class_of(
                &search, data_symbols_find(&module.symbols, false, constants[i] - module.bias));
    }
    roots_module_close(&module);
    debug_path_release(&search.path);
    return !search.failed;
}

void roots_release(struct roots *roots)
{
    free(roots->items);
    free(roots->of);
    map_release(&roots->by_text);
    names_release(&roots->names);
    *roots = (struct roots){0};
}
