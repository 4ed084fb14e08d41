/* Every query becomes an item: which file, and where in it.  Items are sorted by file, so that a
 * file is open once, and within it by ELF virtual address, so that equal ones are looked up once
 * and share their answer. While a file is open its items become targets (dwarf_inline.h); what is
 * known about them is copied into memory that lives as long as the symbolizer, and the file is
 * closed.  Places that were asked before, perhaps of another process, never become items. */
#include "symbol/symbolizer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/code.h"
#include "base/error.h"
#include "base/array.h"
#include "base/order.h"
#include "symbol/debug_file.h"
#include "symbol/dwarf_lookup.h"
#include "symbol/function_starts.h"
#include "symbol/known_code.h"
#include "symbol/module_map.h"

#define NO_FILE UINT32_MAX

struct symbol_file {
    const char *path; /* in `memory` */
    uint8_t build_id_size;
    uint8_t build_id[HEAPTAP_BUILD_ID_MAX];
    bool is_changed; /* since it was mapped: not to be opened */
    uint32_t notes;  /* a bit for every kind that was told */
};

struct symbolizer {
    enum symbol_names names;
    bool drop_columns;
    struct debug_path debug_path;
    struct names memory; /* paths, names, locations, notes' texts */
    struct shown_names shown;
    struct module_map map;
    struct known_codes known; /* places of files that were looked up; answers in `memory` */
    bool checks_files;
    int64_t start_us; /* of the modules that are being added, where it does */
    struct symbol_file
        *files; /* each path with each build id once; one without, twice where it has changed */
    size_t file_count, file_capacity;
    uint32_t lone_file; /* for addresses in no module, or NO_FILE */
    struct symbol_note *notes;
    size_t note_count, note_capacity;
};

struct item {
    uint64_t
        address;     /* by which they are sorted: first the query's, then the ELF virtual address */
    uint32_t module; /* in the map, or NO_MODULE for an address in the lone file */
    uint32_t file;
    size_t query;
};

/* What one call is to answer. */
struct asked {
    const struct symbol_query *queries;
    size_t count;
    struct symbol_answer *answers; /* to the queries */
};

/* ---- Making, adding -------------------------------------------------------------------------- */

enum heaptap_status symbolizer_new(struct symbolizer **symbolizer,
                                   const struct symbolizer_options *options,
                                   struct heaptap_error *error)
{
    static const struct symbolizer_options defaults;
    if (!options)
        options = &defaults;
    *symbolizer = NULL;
    struct symbolizer *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error);
    made->names = options->names;
    made->drop_columns = options->drop_columns;
    made->lone_file = NO_FILE;
    enum heaptap_status status =
        debug_path_init(&made->debug_path, options->debug_dirs, options->debug_dir_count, error);
    if (status != HEAPTAP_OK) {
        symbolizer_free(made);
        return status;
    }
    *symbolizer = made;
    return HEAPTAP_OK;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
    if (!symbolizer)
        return;
    debug_path_release(&symbolizer->debug_path);
    shown_names_release(&symbolizer->shown);
    names_release(&symbolizer->memory);
    module_map_release(&symbolizer->map);
    known_codes_release(&symbolizer->known);
    free(symbolizer->files);
    free(symbolizer->notes);
    free(symbolizer);
}

/* The number of this file, or NO_FILE when memory is short.  Its path is copied. */
static uint32_t intern_file(struct symbolizer *symbolizer, const struct symbol_file *wanted)
{
    const char *kept = names_copy(&symbolizer->memory, wanted->path);
    if (!kept)
        return NO_FILE;
    for (size_t i = symbolizer->file_count; i > 0; i--) {
        const struct symbol_file *file = &symbolizer->files[i - 1];
        if (file->path == kept && file->is_changed == wanted->is_changed &&
            file->build_id_size == wanted->build_id_size &&
            !memcmp(file->build_id, wanted->build_id, wanted->build_id_size))
            return (uint32_t)(i - 1);
    }
    if (!ARRAY_RESERVE(&symbolizer->files, &symbolizer->file_capacity, symbolizer->file_count + 1))
        return NO_FILE;
    symbolizer->files[symbolizer->file_count] = *wanted;
    symbolizer->files[symbolizer->file_count].path = kept;
    return (uint32_t)symbolizer->file_count++;
}

static int64_t microseconds(const struct timespec *time)
{
    return time->tv_sec * INT64_C(1000000) + time->tv_nsec / 1000;
}

/* Is the file at the path known to be another than the one that was mapped from there?  Only of those without a build id. */
static bool has_changed(const struct symbolizer *symbolizer, const struct heaptap_metadata *module)
{
    struct stat file;
    return symbolizer->checks_files && module->build_id_size == 0 &&
           stat(module->name, &file) == 0 &&
           microseconds(&file.st_ctim) > symbolizer->start_us + module->loaded_us;
}

enum heaptap_status symbolizer_add_module(struct symbolizer *symbolizer,
                                          const struct heaptap_metadata *module,
                                          struct heaptap_error *error)
{
    if (module->kind != HEAPTAP_MODULE || !module->name)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "not a record of a module");
    if (!module->size_bytes || module->build_id_size > HEAPTAP_BUILD_ID_MAX)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "the record of the module %s is damaged",
                         module->name);
    struct symbol_file wanted = {.path = module->name,
                                 .build_id_size = module->build_id_size,
                                 .is_changed = has_changed(symbolizer, module)};
    memcpy(wanted.build_id, module->build_id, module->build_id_size);
    uint32_t file = intern_file(symbolizer, &wanted);
    if (file == NO_FILE || !module_map_add(&symbolizer->map, module, file))
        return error_no_memory(error);
    struct module_map *map = &symbolizer->map;
    map->modules[map->count - 1].record.name = symbolizer->files[file].path;
    return HEAPTAP_OK;
}

enum heaptap_status symbolizer_add_file(struct symbolizer *symbolizer, const char *path,
                                        struct heaptap_error *error)
{
    if (symbolizer->lone_file != NO_FILE)
        return error_set(error, HEAPTAP_BAD_STATE, "a second file without an address: %s", path);
    symbolizer->lone_file = intern_file(symbolizer, &(struct symbol_file){.path = path});
    return symbolizer->lone_file == NO_FILE ? error_no_memory(error) : HEAPTAP_OK;
}

void symbolizer_check_files(struct symbolizer *symbolizer, int64_t start_us)
{
    symbolizer->checks_files = true;
    symbolizer->start_us = start_us;
}

void symbolizer_forget_modules(struct symbolizer *symbolizer)
{
    symbolizer->checks_files = false;
    symbolizer->map.count = 0;
    symbolizer->lone_file = NO_FILE;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static bool add_note(struct symbolizer *symbolizer,
                                                           struct symbol_file *file,
                                                           enum symbol_note_kind kind,
                                                           const char *format, ...)
{
    char text[256];
    if (file->notes & 1u << kind)
        return true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *kept = names_copy(&symbolizer->memory, text);
    if (!kept ||
        !ARRAY_RESERVE(&symbolizer->notes, &symbolizer->note_capacity, symbolizer->note_count + 1))
        return false;
    symbolizer->notes[symbolizer->note_count++] =
        (struct symbol_note){.kind = kind, .module = file->path, .text = kept};
    file->notes |= 1u << kind;
    return true;
}

const struct symbol_note *symbolizer_notes(const struct symbolizer *symbolizer, size_t *count)
{
    *count = symbolizer->note_count;
    return symbolizer->notes;
}

static bool note_opening(struct symbolizer *symbolizer, struct symbol_file *file,
                         enum debug_file_result result, bool stand_in)
{
    const char *instead = stand_in ? "; its separate debug file is used" : "";
    switch (result) {
    case DEBUG_FILE_MISSING:
        return add_note(symbolizer, file, SYMBOL_MISSING, "cannot be opened: %s%s", strerror(errno),
                        instead);
    case DEBUG_FILE_UNREADABLE:
        return add_note(symbolizer, file, SYMBOL_UNREADABLE,
                        "is not a readable ELF program or library%s", instead);
    case DEBUG_FILE_DIFFERS:
        return add_note(symbolizer, file, SYMBOL_BUILD_ID_DIFFERS,
                        "has another build id than the one recorded, so that it is not used%s",
                        instead);
    case DEBUG_FILE_CHANGED:
        return add_note(
            symbolizer, file, SYMBOL_CHANGED,
            "has changed since it was in memory, and has no build id that would tell whether it is still the same, so that "
            "it is not used");
    case DEBUG_FILE_NO_MEMORY:
        return false;
    case DEBUG_FILE_FOUND:
        break;
    }
    return true;
}

static bool note_lookup(struct symbolizer *symbolizer, struct symbol_file *file,
                        const struct dwarf_lookup *lookup, size_t named, size_t count)
{
    if (!lookup->file->dwarf && !named && count)
        return add_note(symbolizer, file, SYMBOL_STRIPPED,
                        "has neither debug information nor symbols for the addresses in it");
    if (!lookup->file->dwarf)
        return add_note(
            symbolizer, file, SYMBOL_TABLE_ONLY,
            "has no debug information: functions are known from its symbols, lines are not");
    if (lookup->damaged && !add_note(symbolizer, file, SYMBOL_DEBUG_DAMAGED,
                                     "has debug information that cannot be decoded to its end"))
        return false;
    if (lookup->shared_missing &&
        !add_note(
            symbolizer, file, SYMBOL_SHARED_MISSING,
            "shares debug information with other files in one that dwz made, which was not found"))
        return false;
    return !lookup->split_missing ||
           add_note(symbolizer, file, SYMBOL_SPLIT_MISSING,
                    "has split debug information, of which %zu .dwo files were not found",
                    lookup->split_missing);
}

/* ---- Locations without DWARF ----------------------------------------------------------------- */

static bool describe_plain(struct symbolizer *symbolizer, struct dwarf_names *names,
                           const struct symbol_file *file, const char *symbol,
                           const struct function_starts *starts, struct dwarf_target *target)
{
    uint64_t place = target->address;
    if (!symbol)
        function_starts_find(starts, target->address, &place);
    struct heaptap_location *location = names_alloc(&symbolizer->memory, sizeof *location);
    if (!location)
        return false;
    *location = (struct heaptap_location){
        .file = file->path,
        .function = symbol ? names_show(names, symbol) : names_show_offset(names, place),
    };
    target->locations = location;
    target->count = 1;
    return location->function != NULL;
}

/* The symbol of the function at an address; not a label that stands before another function. */
static const char *find_symbol(const struct symbol_table *table,
                               const struct function_starts *starts, const struct debug_file *file,
                               uint64_t address)
{
    uint64_t label, start;
    const char *symbol = symbol_table_find(table, file, address, &label);
    bool is_before = label && function_starts_find(starts, address, &start) && start > label;
    return is_before ? NULL : symbol;
}

/* ---- One file -------------------------------------------------------------------------------- */

/* Answers all targets.  `open` is NULL where there is no file. */
static bool look_up(struct symbolizer *symbolizer, struct symbol_file *file,
                    struct debug_file *open, struct dwarf_target *targets, size_t count)
{
    struct dwarf_names names = {.memory = &symbolizer->memory,
                                .shown = &symbolizer->shown,
                                .style = symbolizer->names,
                                .module = basename(file->path)};
    struct symbol_table table = {0};
    struct function_starts starts = {0};
    struct dwarf_lookup lookup = {
        .file = open, .table = &table, .names = &names, .drop_columns = symbolizer->drop_columns};
    bool done = true;
    size_t named = 0;
    if (open) {
        debug_file_find_dwarf(open);
        function_starts_init(&starts, open);
        done = symbol_table_init(&table, open) &&
               (!open->dwarf || dwarf_lookup_run(&lookup, targets, count));
    }
    for (size_t i = 0; i < count && done; i++) {
        if (targets[i].count)
            continue;
        const char *symbol = open ? find_symbol(&table, &starts, open, targets[i].address) : NULL;
        named += symbol != NULL;
        done = describe_plain(symbolizer, &names, file, symbol, &starts, &targets[i]);
    }
    if (open && done)
        done = note_lookup(symbolizer, file, &lookup, named, count);
    names_forget_scopes(&names);
    symbol_table_release(&table);
    function_starts_release(&starts);
    return done;
}

/* Turns the items' addresses into ELF virtual addresses.  Where the file cannot tell, offsets in it
 * are the best guess at them, and `*located` becomes false. */
static void locate(const struct symbolizer *symbolizer, const struct debug_file *open,
                   struct item *items, size_t count, bool *located)
{
    uint32_t module = NO_MODULE;
    uint64_t bias = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i].module == NO_MODULE)
            continue;
        if (items[i].module != module) {
            module = items[i].module;
            const struct heaptap_metadata *record = &symbolizer->map.modules[module].record;
            if (!open->dwfl || !debug_file_load_bias(open, record->address, record->size_bytes,
                                                     record->file_offset, &bias)) {
                bias = record->address - record->file_offset;
                *located = false;
            }
        }
        items[i].address -= bias;
    }
}

/* Where in its file a module has a code. */
static struct code_place place_of(const struct symbolizer *symbolizer, uint32_t module,
                                  uint64_t code)
{
    const struct mapped_module *mapped = &symbolizer->map.modules[module];
    return (struct code_place){mapped->file, mapped->record.file_offset, mapped->record.size_bytes,
                               code_address(code) - mapped->record.address};
}

static bool take_answer(struct symbolizer *symbolizer, const struct asked *asked,
                        const struct item *item, const struct dwarf_target *target)
{
    struct symbol_answer *answer = &asked->answers[item->query];
    *answer = (struct symbol_answer){target->locations, target->count};
    if (item->module == NO_MODULE)
        return true;
    struct code_place place = place_of(symbolizer, item->module, asked->queries[item->query].code);
    return known_codes_put(&symbolizer->known, &place, *answer);
}

static enum debug_file_result open_file(const struct symbolizer *symbolizer,
                                        const struct symbol_file *file, struct debug_file *open)
{
    if (!file->is_changed)
        return debug_file_open(open, file->path, file->build_id, file->build_id_size,
                               &symbolizer->debug_path);
    *open = (struct debug_file){0};
    return DEBUG_FILE_CHANGED;
}

/* Answers the items of one file: makes a target of each distinct address. */
static bool resolve_file(struct symbolizer *symbolizer, struct symbol_file *file,
                         struct item *items, size_t count, const struct asked *asked)
{
    struct debug_file open;
    struct dwarf_target *targets = calloc(count, sizeof *targets);
    bool located = true, done = targets != NULL;
    if (!done)
        return false;
    enum debug_file_result result = open_file(symbolizer, file, &open);
    done = note_opening(symbolizer, file, result, open.dwfl != NULL);
    locate(symbolizer, &open, items, count, &located);
    if (done && open.dwfl && !located)
        done = add_note(symbolizer, file, SYMBOL_NOT_LOCATED,
                        "was mapped in a way that its program headers do not explain");
    size_t distinct = 0;
    qsort(items, count, sizeof *items, order_numbers);
    for (size_t i = 0; i < count; i++)
        if (!i || items[i].address != items[i - 1].address)
            targets[distinct++] =
                (struct dwarf_target){.address = items[i].address, .unit = NO_UNIT};
    if (done)
        done = look_up(symbolizer, file, open.dwfl && located ? &open : NULL, targets, distinct);
    for (size_t i = 0, at = 0; i < count && done; i++) {
        at += items[i].address != targets[at].address;
        done = take_answer(symbolizer, asked, &items[i], &targets[at]);
    }
    debug_file_close(&open);
    free(targets);
    return done;
}

/* ---- All queries ----------------------------------------------------------------------------- */

static int by_file(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = ORDER_OF(a->file, b->file);
    return order ? order : ORDER_OF(a->module, b->module);
}

/* The queries that are left when those have their answers whose places are known. */
static size_t make_items(struct symbolizer *symbolizer, const struct asked *asked,
                         struct item *items)
{
    size_t made = 0;
    for (size_t i = 0; i < asked->count; i++) {
        const struct symbol_query *query = &asked->queries[i];
        uint32_t module = module_map_find(&symbolizer->map, query->code, query->time_us);
        uint32_t file = symbolizer->lone_file;
        if (module != NO_MODULE) {
            struct code_place place = place_of(symbolizer, module, query->code);
            const struct symbol_answer *known = known_codes_find(&symbolizer->known, &place);
            file = known ? NO_FILE : place.file;
            asked->answers[i] = known ? *known : (struct symbol_answer){0};
        }
        if (file != NO_FILE)
            items[made++] = (struct item){code_address(query->code), module, file, i};
    }
    return made;
}

static bool resolve_items(struct symbolizer *symbolizer, const struct asked *asked,
                          struct item *items)
{
    size_t made = make_items(symbolizer, asked, items);
    bool done = true;
    if (made)
        qsort(items, made, sizeof *items, by_file);
    for (size_t i = 0, next; i < made && done; i = next) {
        for (next = i + 1; next < made && items[next].file == items[i].file; next++)
            ;
        done =
            resolve_file(symbolizer, &symbolizer->files[items[i].file], items + i, next - i, asked);
    }
    return done;
}

enum heaptap_status symbolizer_resolve(struct symbolizer *symbolizer,
                                       const struct symbol_query *queries, size_t count,
                                       struct symbol_answer *answers, struct heaptap_error *error)
{
    const struct asked asked = {queries, count, answers};
    for (size_t i = 0; i < count; i++)
        answers[i] = (struct symbol_answer){0};
    if (!count)
        return HEAPTAP_OK;
    struct item *items = calloc(count, sizeof *items);
    if (!items)
        return error_no_memory(error);
    bool done = resolve_items(symbolizer, &asked, items);
    free(items);
    if (done)
        return HEAPTAP_OK;
    for (size_t i = 0; i < count; i++)
        answers[i] = (struct symbol_answer){0};
    return error_no_memory(error);
}
