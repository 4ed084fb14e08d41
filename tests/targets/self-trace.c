/* Writes a trace of itself: stacks of inlined functions, the modules it consists of.
 *   self-trace TRACE [WRONG]
 * With WRONG the recorded build ids are not those of the files. */
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heaptap/trace.h"

enum { MODULES = 64 };

static struct heaptap_metadata modules[MODULES];
static size_t module_count;
static bool wrong_ids;
static struct heaptap_domain *domain;
static const int64_t START_US = 1700000000000000;

/* ---- Modules ------------------------------------------------------------------------ */

static void take_build_id(struct heaptap_metadata *module, const struct dl_phdr_info *object,
                          const ElfW(Phdr) * segment)
{
    const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr);
    const char *end = at + segment->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const void *)at;
        const char *name = at + sizeof *note;
        const char *text = name + ((note->n_namesz + 3) & ~3u);
        if (note->n_type == NT_GNU_BUILD_ID && !strcmp(name, "GNU")) {
            module->build_id_size = (uint8_t)note->n_descsz;
            memcpy(module->build_id, text, note->n_descsz);
            module->build_id[0] ^= wrong_ids;
            return;
        }
        at = text + ((note->n_descsz + 3) & ~3u);
    }
}

static int add_module(struct dl_phdr_info *object, size_t size, void *program)
{
    struct heaptap_metadata *module = &modules[module_count];
    uint64_t first = UINT64_MAX, end = 0;
    if (module_count == MODULES || (!object->dlpi_name[0] && module_count > 0))
        return 0;
    *module = (struct heaptap_metadata){
        .kind = HEAPTAP_MODULE,
        .name = object->dlpi_name[0] ? strdup(object->dlpi_name) : program,
        .unloaded_us = -1,
    };
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE && !module->build_id_size)
            take_build_id(module, object, segment);
        if (segment->p_type != PT_LOAD)
            continue;
        if (segment->p_vaddr < first)
            first = segment->p_vaddr;
        if (segment->p_vaddr + segment->p_memsz > end)
            end = segment->p_vaddr + segment->p_memsz;
    }
    module->address = object->dlpi_addr + first;
    module->size_bytes = end - first;
    module_count++;
    return 0;
}

static size_t describe(void *context, uint64_t code, struct heaptap_location *locations, size_t max)
{
    static char name[32];
    for (size_t i = 0; i < module_count; i++) {
        if (code - modules[i].address >= modules[i].size_bytes)
            continue;
        snprintf(name, sizeof name, "+0x%llx", (unsigned long long)(code - modules[i].address));
        locations[0] = (struct heaptap_location){.file = modules[i].name, .function = name};
        return 1;
    }
    return 0;
}

/* ---- What is traced ----------------------------------------------------------------- */

static __attribute__((noinline)) void take_stack(uint64_t length)
{
    void *addresses[64];
    uint64_t codes[64];
    int count = 0, all = backtrace(addresses, 64), i = 0;
    while (i < all && addresses[i] != __builtin_return_address(0))
        i++;
    while (i < all)
        codes[count++] = (uint64_t)(uintptr_t)addresses[i++] - 1;
    struct heaptap_allocation allocation = {
        .length = length,
        .samples = length,
        .stack = codes,
        .stack_length = (uint32_t)count,
        .direction = HEAPTAP_SITE_FIRST,
        .shared = HEAPTAP_SHARED_UNKNOWN,
    };
    heaptap_domain_alloc(domain, START_US + (int64_t)length, &allocation);
}

static inline __attribute__((always_inline)) void innermost(uint64_t length)
{
    take_stack(length); /* line 108 */
}

static inline __attribute__((always_inline)) void middle(uint64_t length)
{
    innermost(length + 1); /* line 113 */
}

static __attribute__((noinline)) int outermost(void)
{
    middle(10);           /* line 118 */
    innermost(20);        /* line 119 */
    __asm__ volatile(""); /* no tail call */
    return 0;
}

int main(int argc, char **argv)
{
    int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    char *program = realpath("/proc/self/exe", NULL);
    struct heaptap_writer *writer;
    struct heaptap_writer_options options = {.sink = heaptap_sink_fd(fd), .describe = describe};
    struct heaptap_trace_info info = {
        .version = 3,
        .sample_rate = 1,
        .word_bits = 8,
        .executable = program,
        .host = "host",
        .runtime_params = "",
        .context = "self",
        .pid = (uint64_t)getpid(),
        .start_us = START_US,
    };
    wrong_ids = argc > 2;
    dl_iterate_phdr(add_module, program);
    if (fd < 0 || heaptap_writer_new(&writer, &info, &options, NULL) != HEAPTAP_OK ||
        heaptap_domain_new(&domain, writer, 0, NULL) != HEAPTAP_OK)
        return 1;
    heaptap_domain_metadata(domain, modules, module_count);
    outermost();
    heaptap_domain_free(domain);
    heaptap_writer_free(writer);
    return 0;
}
