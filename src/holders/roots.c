#include "holders/roots.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/array.h"
#include "profile/library_program.h"
#include "spec/holders_dump.h"
#include "symbol/data_symbols.h"
#include "symbol/demangle.h"
#include "symbol/symbolizer.h"

enum { THREAD_BYTES = 4096, TEXT_BYTES = 512 };

/* A module, while roots in it are looked up. */
struct module {
    const struct heaptap_metadata *record;
    struct debug_file file;
    struct data_symbols symbols;
    uint64_t bias; /* what was added to its ELF virtual addresses */
    bool is_open;
};

struct search {
    struct roots *roots;
    const struct graph *graph;
    const struct heaptap_metadata *records;
    size_t record_count;
    const char *program;
    struct debug_path path;
    uint64_t local_bytes; /* the thread-local data of all modules take no more */
    struct local {
        uint64_t bytes, alignment;
    } program_local;
    /* Of all threads' frames: the places in code.  NULL where they can't be looked up. */
    struct symbolizer *functions;
    struct symbol_answer *places;
    size_t *first_place; /* by thread */
    bool failed;         /* there is no memory */
};

/* ---- The list ------------------------------------------------------------------------ */

static const char *intern(struct search *search, const char *text)
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

/* The number of a root, perhaps a new one; 0 when there is no memory. */
static uint32_t number_of(struct search *search, const char *kind, const char *name,
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

static const struct heaptap_metadata *module_at(const struct search *search, uint64_t address)
{
    for (size_t i = search->record_count; i-- > 0;) {
        const struct heaptap_metadata *record = &search->records[i];
        if (record->kind == HEAPTAP_MODULE && was_loaded(record, search->graph->time_us) &&
            address - record->address < record->size_bytes)
            return record;
    }
    return NULL;
}

static bool module_open(struct search *search, struct module *module,
                        const struct heaptap_metadata *record)
{
    *module = (struct module){.record = record, .is_open = true};
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

static void module_close(struct module *module)
{
    if (!module->is_open)
        return;
    data_symbols_release(&module->symbols);
    debug_file_close(&module->file);
    module->is_open = false;
}

/* A variable; where none is known, all data of the module. */
static uint32_t number_of_variable(struct search *search, const struct module *module,
                                   const char *kind, bool is_local, uint64_t address)
{
    const struct data_symbol *symbol =
        module->is_open ? data_symbols_find(&module->symbols, is_local, address) : NULL;
    char *name = symbol ? demangle_name(symbol->name, SYMBOL_NAMES_TEMPLATES) : strdup("");
    search->failed = search->failed || !name;
    uint32_t number =
        number_of(search, kind, name ? name : "", symbol && symbol->file ? symbol->file : "",
                  symbol ? symbol->line : 0, module->record->name);
    free(name);
    return number;
}

/* ---- Thread-local data --------------------------------------------------------------- */

static struct local local_of_file(const char *path)
{
    struct local local = {0, 1};
    GElf_Phdr header;
    size_t count;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (elf && elf_getphdrnum(elf, &count) == 0)
        for (size_t i = 0; i < count; i++)
            if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_TLS)
                local = (struct local){header.p_memsz, header.p_align ? header.p_align : 1};
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return local;
}

static bool is_program(const struct search *search, const struct heaptap_metadata *record)
{
    return strcmp(record->name, search->program) == 0;
}

static void measure_local(struct search *search)
{
    for (size_t i = 0; i < search->record_count; i++) {
        const struct heaptap_metadata *record = &search->records[i];
        if (record->kind != HEAPTAP_MODULE)
            continue;
        struct local local = local_of_file(record->name);
        search->local_bytes += local.bytes + local.alignment;
        if (is_program(search, record))
            search->program_local = local;
    }
}

/* Where an address lies in the thread-local data of the program; false where it doesn't. */
static bool in_program_local(const struct search *search, uint64_t pointer, uint64_t address,
                             uint64_t *place)
{
    struct local local = search->program_local;
    uint64_t whole = (local.bytes + local.alignment - 1) / local.alignment * local.alignment;
#ifdef __x86_64__
    *place = address - (pointer - whole);
#else
    *place = address - (pointer + (16 + local.alignment - 1) / local.alignment * local.alignment);
    (void)whole;
#endif
    return *place < local.bytes;
}

static bool is_near_pointer(const struct search *search, uint64_t pointer, uint64_t address)
{
    return pointer && address + search->local_bytes >= pointer && address < pointer + THREAD_BYTES;
}

/* ---- One root ------------------------------------------------------------------------ */

static const char *thread_name(const struct graph_thread *thread, char text[TEXT_BYTES])
{
    snprintf(text, TEXT_BYTES, "%s, %llu", thread->name, (unsigned long long)thread->id);
    return text;
}

/* Behind so many fields with blanks between them, in a line. */
static const char *skip_fields(const char *line, unsigned count)
{
    for (; count > 0; count--) {
        line += strcspn(line, " \n");
        line += strspn(line, " ");
    }
    return line;
}

/* The name that the kernel gives a mapping; its size where that has none. */
static void mapping_name(const struct graph *graph, uint64_t address, char text[TEXT_BYTES])
{
    *text = 0;
    for (const char *line = graph->maps; line && *line;) {
        char *behind;
        uint64_t start = strtoull(line, &behind, 16);
        uint64_t end = *behind == '-' ? strtoull(behind + 1, NULL, 16) : 0;
        if (address >= start && address < end) {
            const char *name = skip_fields(line, 5);
            size_t size = strcspn(name, "\n");
            if (size > 0)
                snprintf(text, TEXT_BYTES, "%.*s", (int)size, name);
            else
                snprintf(text, TEXT_BYTES, "%llu kB", (unsigned long long)(end - start) / 1024);
            return;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

static uint32_t number_in_memory(struct search *search, struct module *module,
                                 const struct graph_root *root)
{
    char text[TEXT_BYTES];
    const struct heaptap_metadata *record = module_at(search, root->address);
    if (!record) {
        mapping_name(search->graph, root->address, text);
        return number_of(search, ROOT_MEMORY, text, "", 0, "");
    }
    if (module->record != record) {
        module_close(module);
        if (!module_open(search, module, record))
            module_close(module);
        module->record = record;
    }
    return number_of_variable(search, module, ROOT_GLOBAL, false, root->address - module->bias);
}

static const struct heaptap_metadata *program_of(const struct search *search)
{
    for (size_t i = 0; i < search->record_count; i++)
        if (search->records[i].kind == HEAPTAP_MODULE && is_program(search, &search->records[i]))
            return &search->records[i];
    return NULL;
}

static bool is_in_library(const struct search *search, uint64_t pc)
{
    const struct heaptap_metadata *record = module_at(search, pc);
    return record && library_is_shared(record->name);
}

/* The frame that has an address.  Of the innermost ones, in which a thread waits in the C library, the one that called them: what is left
 * there of what it called before is a matter of chance. */
static size_t frame_of(const struct search *search, const struct graph_thread *thread,
                       uint64_t address)
{
    size_t below = 0, waits = 0;
    while (below < thread->frame_count && thread->frames[below].slot < address)
        below++;
    while (waits < thread->frame_count && is_in_library(search, thread->frames[waits].pc))
        waits++;
    size_t frame = below > 0 ? below - 1 : 0;
    return frame < waits && waits < thread->frame_count ? waits : frame;
}

/* The function that has an address on its stack, "hold, worker, 4711"; where none is known, the thread. */
static uint32_t number_of_frame(struct search *search, const struct graph_thread *thread,
                                uint64_t address)
{
    char text[TEXT_BYTES], whole[2 * TEXT_BYTES];
    thread_name(thread, text);
    if (thread->frame_count == 0 || !search->functions)
        return number_of(search, ROOT_STACK, text, "", 0, "");
    const struct symbol_answer *answer =
        &search->places[search->first_place[thread - search->graph->threads] +
                        frame_of(search, thread, address)];
    if (answer->count == 0)
        return number_of(search, ROOT_STACK, text, "", 0, "");
    const struct heaptap_location *place = &answer->locations[0]; /* not what is inlined in it */
    snprintf(whole, sizeof whole, "%s, %s", place->function, text);
    return number_of(search, ROOT_STACK, whole, place->line > 0 ? place->file : "", place->line,
                     "");
}

/* In the stack's mapping, or that with the thread's own data. */
static uint32_t number_of_thread(struct search *search, struct module *program,
                                 const struct graph_root *root)
{
    char text[TEXT_BYTES];
    const struct graph_thread *thread = &search->graph->threads[root->thread - 1];
    uint64_t place;
    if (is_near_pointer(search, thread->pointer, root->address)) {
        if (!program->record && program_of(search) &&
            !module_open(search, program, program_of(search)))
            module_close(program);
        if (program->record && in_program_local(search, thread->pointer, root->address, &place))
            return number_of_variable(search, program, ROOT_LOCAL, true, place);
        return number_of(search, ROOT_LOCAL, thread_name(thread, text), "", 0, "");
    }
    if (root->kind == HOLDERS_SEGMENT_STACK)
        return number_of_frame(search, thread, root->address);
    mapping_name(search->graph, root->address, text);
    return number_of(search, ROOT_MEMORY, text, "", 0, "");
}

/* "shop.book", or "book" where there is no module. */
static uint32_t number_of_object(struct search *search, const struct graph_root *root)
{
    static const char *const kinds[] = {[HOLDERS_ROOT_VARIABLE] = ROOT_GLOBAL,
                                        [HOLDERS_ROOT_REGISTRY] = ROOT_REGISTRY,
                                        [HOLDERS_ROOT_LOCAL] = ROOT_FUNCTION,
                                        [HOLDERS_ROOT_INTERPRETER] = ROOT_MEMORY,
                                        [HOLDERS_ROOT_GARBAGE] = ROOT_GARBAGE};
    char text[TEXT_BYTES];
    const char *module = graph_name(search->graph, root->module),
               *name = graph_name(search->graph, root->name);
    bool has_both = *module && *name;
    if (root->kind == HOLDERS_ROOT_INTERPRETER)
        snprintf(text, sizeof text, "the interpreter");
    else if (root->kind == HOLDERS_ROOT_LOCAL)
        snprintf(text, sizeof text, "%s%s%s", name, has_both ? ", " : "", module);
    else
        snprintf(text, sizeof text, "%s%s%s", module, has_both ? "." : "", name);
    return number_of(search, kinds[root->kind], text, graph_name(search->graph, root->file),
                     root->line, "");
}

static void find_all(struct search *search)
{
    struct module module = {0}, program = {0};
    for (size_t i = 0; i < search->graph->root_count && !search->failed; i++) {
        const struct graph_root *root = &search->graph->roots[i];
        search->roots->of[i] = search->graph->is_of_objects ? number_of_object(search, root)
                               : root->thread ? number_of_thread(search, &program, root)
                                              : number_in_memory(search, &module, root);
    }
    module_close(&module);
    module_close(&program);
}

/* ---- Frames -------------------------------------------------------------------------- */

static void add_modules(struct search *search)
{
    for (size_t i = 0; i < search->record_count; i++)
        if (search->records[i].kind == HEAPTAP_MODULE &&
            symbolizer_add_module(search->functions, &search->records[i], NULL) != HEAPTAP_OK)
            search->failed = true;
}

static struct symbol_query *frame_queries(struct search *search, size_t *count)
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

static void find_functions(struct search *search)
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

static void release_functions(struct search *search)
{
    symbolizer_free(search->functions);
    free(search->places);
    free(search->first_place);
}

bool roots_find(struct roots *roots, const struct graph *graph,
                const struct heaptap_metadata *records, size_t count, const char *program)
{
    struct search search = {.roots = roots,
                            .graph = graph,
                            .records = records,
                            .record_count = count,
                            .program = program};
    *roots = (struct roots){.of = calloc(graph->root_count + 1, sizeof *roots->of)};
    if (!roots->of || debug_path_init(&search.path, NULL, 0, NULL) != HEAPTAP_OK)
        return false;
    elf_version(EV_CURRENT);
    measure_local(&search);
    find_functions(&search);
    if (!search.failed)
        find_all(&search);
    release_functions(&search);
    number_of(&search, ROOT_LOST, "", "", 0, "");
    number_of(&search, ROOT_SEVERAL, "", "", 0, "");
    debug_path_release(&search.path);
    return !search.failed;
}

/* ---- Classes ------------------------------------------------------------------------- */

/* "vtable for shop::Order" is of shop::Order. */
static const char *class_of(struct search *search, const struct data_symbol *symbol)
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
    struct search search = {
        .roots = roots, .graph = graph, .records = records, .record_count = count};
    struct module module = {0};
    if (debug_path_init(&search.path, NULL, 0, NULL) != HEAPTAP_OK)
        return false;
    for (size_t i = 0; i < constant_count; i++) {
        const struct heaptap_metadata *record = module_at(&search, constants[i]);
        names[i] = "";
        if (record && module.record != record) {
            module_close(&module);
            if (!module_open(&search, &module, record))
                module_close(&module);
            module.record = record;
        }
        if (record && module.is_open)
            names[i] = class_of(
                &search, data_symbols_find(&module.symbols, false, constants[i] - module.bias));
    }
    module_close(&module);
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
