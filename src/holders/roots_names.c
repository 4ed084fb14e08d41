/* What a root is called: the variable, the function with a stack, the mapping or the thread in which it lies. */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "holders/roots_search.h"
#include "profile/library_program.h"
#include "spec/holders_dump.h"
#include "symbol/demangle.h"

enum { THREAD_BYTES = 4096, TEXT_BYTES = 512 };

/* ---- Thread-local data --------------------------------------------------------------- */

static struct roots_local local_of_file(const char *path)
{
    struct roots_local local = {0, 1};
    GElf_Phdr header;
    size_t count;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (elf && elf_getphdrnum(elf, &count) == 0)
        for (size_t i = 0; i < count; i++)
            if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_TLS)
                local = (struct roots_local){header.p_memsz, header.p_align ? header.p_align : 1};
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return local;
}

static bool is_program(const struct roots_search *search, const struct heaptap_metadata *record)
{
    return strcmp(record->name, search->program) == 0;
}

void roots_measure_local(struct roots_search *search)
{
    for (size_t i = 0; i < search->record_count; i++) {
        const struct heaptap_metadata *record = &search->records[i];
        if (record->kind != HEAPTAP_MODULE)
            continue;
        struct roots_local local = local_of_file(record->name);
        search->local_bytes += local.bytes + local.alignment;
        if (is_program(search, record))
            search->program_local = local;
    }
}

/* Where an address lies in the thread-local data of the program; false where it doesn't. */
static bool in_program_local(const struct roots_search *search, uint64_t pointer, uint64_t address,
                             uint64_t *place)
{
    struct roots_local local = search->program_local;
    uint64_t whole = (local.bytes + local.alignment - 1) / local.alignment * local.alignment;
#ifdef __x86_64__
    *place = address - (pointer - whole);
#else
    *place = address - (pointer + (16 + local.alignment - 1) / local.alignment * local.alignment);
    (void)whole;
#endif
    return *place < local.bytes;
}

static bool is_near_pointer(const struct roots_search *search, uint64_t pointer, uint64_t address)
{
    return pointer && address + search->local_bytes >= pointer && address < pointer + THREAD_BYTES;
}

/* A variable; where none is known, all data of the module. */
static uint32_t number_of_variable(struct roots_search *search, const struct roots_module *module,
                                   const char *kind, bool is_local, uint64_t address)
{
    const struct data_symbol *symbol =
        module->is_open ? data_symbols_find(&module->symbols, is_local, address) : NULL;
    char *name = symbol ? demangle_name(symbol->name, SYMBOL_NAMES_TEMPLATES) : strdup("");
    search->failed = search->failed || !name;
    uint32_t number =
        roots_number(search, kind, name ? name : "", symbol && symbol->file ? symbol->file : "",
                     symbol ? symbol->line : 0, module->record->name);
    free(name);
    return number;
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

static uint32_t number_in_memory(struct roots_search *search, struct roots_module *module,
                                 const struct graph_root *root)
{
    char text[TEXT_BYTES];
    const struct heaptap_metadata *record = roots_module_at(search, root->address);
    if (!record) {
        mapping_name(search->graph, root->address, text);
        return roots_number(search, ROOT_MEMORY, text, "", 0, "");
    }
    if (module->record != record) {
        roots_module_close(module);
        if (!roots_module_open(search, module, record))
            roots_module_close(module);
        module->record = record;
    }
    return number_of_variable(search, module, ROOT_GLOBAL, false, root->address - module->bias);
}

static const struct heaptap_metadata *program_of(const struct roots_search *search)
{
    for (size_t i = 0; i < search->record_count; i++)
        if (search->records[i].kind == HEAPTAP_MODULE && is_program(search, &search->records[i]))
            return &search->records[i];
    return NULL;
}

static bool is_in_library(const struct roots_search *search, uint64_t pc)
{
    const struct heaptap_metadata *record = roots_module_at(search, pc);
    return record && library_is_shared(record->name);
}

/* The frame that has an address.  Of the innermost ones, in which a thread waits in the C library, the one that called them: what is left
 * there of what it called before is a matter of chance. */
static size_t frame_of(const struct roots_search *search, const struct graph_thread *thread,
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
static uint32_t number_of_frame(struct roots_search *search, const struct graph_thread *thread,
                                uint64_t address)
{
    char text[TEXT_BYTES], whole[2 * TEXT_BYTES];
    thread_name(thread, text);
    if (thread->frame_count == 0 || !search->functions)
        return roots_number(search, ROOT_STACK, text, "", 0, "");
    const struct symbol_answer *answer =
        &search->places[search->first_place[thread - search->graph->threads] +
                        frame_of(search, thread, address)];
    if (answer->count == 0)
        return roots_number(search, ROOT_STACK, text, "", 0, "");
    const struct heaptap_location *place = &answer->locations[0]; /* not what is inlined in it */
    snprintf(whole, sizeof whole, "%s, %s", place->function, text);
    return roots_number(search, ROOT_STACK, whole, place->line > 0 ? place->file : "", place->line,
                        "");
}

/* In the stack's mapping, or that with the thread's own data. */
static uint32_t number_of_thread(struct roots_search *search, struct roots_module *program,
                                 const struct graph_root *root)
{
    char text[TEXT_BYTES];
    const struct graph_thread *thread = &search->graph->threads[root->thread - 1];
    uint64_t place;
    if (is_near_pointer(search, thread->pointer, root->address)) {
        if (!program->record && program_of(search) &&
            !roots_module_open(search, program, program_of(search)))
            roots_module_close(program);
        if (program->record && in_program_local(search, thread->pointer, root->address, &place))
            return number_of_variable(search, program, ROOT_LOCAL, true, place);
        return roots_number(search, ROOT_LOCAL, thread_name(thread, text), "", 0, "");
    }
    if (root->kind == HOLDERS_SEGMENT_STACK)
        return number_of_frame(search, thread, root->address);
    mapping_name(search->graph, root->address, text);
    return roots_number(search, ROOT_MEMORY, text, "", 0, "");
}

/* "shop.book", or "book" where there is no module. */
static uint32_t number_of_object(struct roots_search *search, const struct graph_root *root)
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
    return roots_number(search, kinds[root->kind], text, graph_name(search->graph, root->file),
                        root->line, "");
}

void roots_name_all(struct roots_search *search)
{
    struct roots_module module = {0}, program = {0};
    for (size_t i = 0; i < search->graph->root_count && !search->failed; i++) {
        const struct graph_root *root = &search->graph->roots[i];
        search->roots->of[i] = search->graph->is_of_objects ? number_of_object(search, root)
                               : root->thread ? number_of_thread(search, &program, root)
                                              : number_in_memory(search, &module, root);
    }
    roots_module_close(&module);
    roots_module_close(&program);
}
