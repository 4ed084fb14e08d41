/* Opening files so that nothing wrong is believed.
 *
 * libdwfl is told of one module at a time, at base 0, so that its addresses are the file's ELF
 * virtual addresses.  From there the trace's addresses are reached by one number, the load bias.
 *
 * The bias comes from one byte whose place is known both in memory and in the file: the module's
 * first.  The segment that holds it gives its virtual address.  Segments are mapped by whole pages,
 * so that the last page of one segment and the first page of the next may be the same page of the
 * file, mapped twice at different addresses; with lld even the code segment can begin in page 0. So
 * there can be several candidates, and the module's size decides: recorders give either one
 * segment's mapping or the span from a segment to the end. */
#include "symbol/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hex.h"
#include "symbol/plain_sections.h"

/* ---- Where to look --------------------------------------------------------------------------- */

/* Where the system has them. */
static const char *system_directory(void)
{
    const char *named = getenv("HEAPTAP_DEBUG_DIR");
    return named && *named ? named : "/usr/lib/debug";
}

enum heaptap_status debug_path_init(struct debug_path *path, const char *const *directories,
                                    size_t count, struct heaptap_error *error)
{
    *path = (struct debug_path){.directories = calloc(count + 1, sizeof(char *))};
    if (!path->directories)
        return error_no_memory(error);
    for (size_t i = 0; i <= count; i++) {
        char *full = i < count ? realpath(directories[i], NULL) : strdup(system_directory());
        if (!full) {
            enum heaptap_status status = i < count && errno != ENOMEM
                                             ? error_system(error, directories[i])
                                             : error_no_memory(error);
            debug_path_release(path);
            return status;
        }
        path->directories[path->count++] = full;
    }
    size_t size = sizeof ":.debug";
    for (size_t i = 0; i < path->count; i++)
        size += strlen(path->directories[i]) + 1;
    path->dwfl = malloc(size);
    if (!path->dwfl) {
        debug_path_release(path);
        return error_no_memory(error);
    }
    char *end = stpcpy(path->dwfl, ":.debug");
    for (size_t i = 0; i < path->count; i++)
        end = stpcpy(stpcpy(end, ":"), path->directories[i]);
    return HEAPTAP_OK;
}

void debug_path_release(struct debug_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        free(path->directories[i]);
    free(path->directories);
    free(path->dwfl);
    *path = (struct debug_path){0};
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* A file's descriptor, or -1 with errno.  A trace may name anything, so only regular files are
 * opened. */
static int open_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

static bool add_code(struct debug_file *file, uint64_t low, uint64_t size)
{
    struct code_range *code = reallocarray(file->code, file->code_count + 1, sizeof *code);
    if (!code)
        return false;
    file->code = code;
    code[file->code_count++] = (struct code_range){low, low + size};
    return true;
}

static bool find_code(struct debug_file *file)
{
    GElf_Shdr section;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));)
        if (gelf_getshdr(scn, &section) && section.sh_flags & SHF_ALLOC &&
            section.sh_flags & SHF_EXECINSTR && !add_code(file, section.sh_addr, section.sh_size))
            return false;
    size_t segments = 0;
    if (file->code_count || elf_getphdrnum(file->elf, &segments) != 0)
        return true;
    GElf_Phdr segment;
    for (size_t i = 0; i < segments; i++)
        if (gelf_getphdr(file->elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
            segment.p_flags & PF_X && !add_code(file, segment.p_vaddr, segment.p_memsz))
            return false;
    return true;
}

static void stop_dwfl(struct debug_file *file)
{
    if (file->separate)
        dwfl_end(file->separate);
    file->separate = NULL;
    if (file->dwfl)
        dwfl_end(file->dwfl);
    file->dwfl = NULL;
    file->module = NULL;
    file->elf = NULL;
}

static enum debug_file_result open_at(struct debug_file *file, const char *path,
                                      const uint8_t *build_id, size_t build_id_size)
{
    int fd = open_regular(path);
    if (fd < 0)
        return DEBUG_FILE_MISSING;
    fd = plain_sections(fd);
    file->dwfl = dwfl_begin(&file->callbacks);
    if (!file->dwfl) {
        close(fd);
        return DEBUG_FILE_NO_MEMORY;
    }
    dwfl_report_begin(file->dwfl);
    file->module = dwfl_report_elf(file->dwfl, path, path, fd, 0, true);
    if (!file->module)
        close(fd);
    GElf_Addr bias;
    if (dwfl_report_end(file->dwfl, NULL, NULL) != 0 || !file->module ||
        !(file->elf = dwfl_module_getelf(file->module, &bias))) {
        stop_dwfl(file);
        return DEBUG_FILE_UNREADABLE;
    }
    const unsigned char *found;
    GElf_Addr where;
    int found_size = build_id_size ? dwfl_module_build_id(file->module, &found, &where) : 0;
    if (build_id_size && (found_size < 0 || (size_t)found_size != build_id_size ||
                          memcmp(found, build_id, build_id_size) != 0)) {
        stop_dwfl(file);
        return DEBUG_FILE_DIFFERS;
    }
    return DEBUG_FILE_FOUND;
}

/* Looks in the debug directories for a file with this build id. */
static bool open_stand_in(struct debug_file *file, const uint8_t *build_id, size_t build_id_size,
                          const struct debug_path *debug_path)
{
    char hex[2 * 64 + 1];
    if (build_id_size < 2 || build_id_size > 64)
        return false;
    hex_put(hex, build_id, build_id_size);
    for (size_t i = 0; i < debug_path->count; i++) {
        char *name;
        if (asprintf(&name, "%s/.build-id/%.2s/%s.debug", debug_path->directories[i], hex,
                     hex + 2) < 0)
            return false;
        enum debug_file_result result = open_at(file, name, build_id, build_id_size);
        free(name);
        if (result == DEBUG_FILE_FOUND)
            return true;
    }
    return false;
}

static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                       char **file, Elf **elf)
{
    return -1; /* never asked: the file is always given */
}

enum debug_file_result debug_file_open(struct debug_file *file, const char *path,
                                       const uint8_t *build_id, size_t build_id_size,
                                       const struct debug_path *debug_path)
{
    *file = (struct debug_file){.callbacks = {
                                    .find_elf = find_no_elf,
                                    .find_debuginfo = dwfl_standard_find_debuginfo,
                                    .section_address = dwfl_offline_section_address,
                                    .debuginfo_path = (char **)&debug_path->dwfl,
                                }};
    elf_version(EV_CURRENT);
    enum debug_file_result result = open_at(file, path, build_id, build_id_size);
    int code = errno;
    if (result != DEBUG_FILE_FOUND && result != DEBUG_FILE_NO_MEMORY)
        file->debug_only = open_stand_in(file, build_id, build_id_size, debug_path);
    if (file->dwfl && !find_code(file))
        result = DEBUG_FILE_NO_MEMORY;
    errno = code;
    return result;
}

void debug_file_close(struct debug_file *file)
{
    stop_dwfl(file);
    free(file->code);
    *file = (struct debug_file){0};
}

/* The DWARF of the separate debug file that libdwfl has found and could not read, if zstd has
 * compressed it.  libdwfl keeps what it has opened, so that this takes a session of its own. */
static Dwarf *unpack_separate(struct debug_file *file, Dwarf_Addr *bias)
{
    const char *path = NULL;
    dwfl_module_info(file->module, NULL, NULL, NULL, NULL, NULL, NULL, &path);
    int fd = path ? open_regular(path) : -1;
    int plain = fd < 0 ? -1 : plain_sections(fd);
    if (plain == fd) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    Dwfl_Module *module = NULL;
    file->separate = dwfl_begin(&file->callbacks);
    if (file->separate)
        module = dwfl_report_elf(file->separate, path, path, plain, 0, true);
    if (!module)
        close(plain);
    return module && dwfl_report_end(file->separate, NULL, NULL) == 0
               ? dwfl_module_getdwarf(module, bias)
               : NULL;
}

void debug_file_find_dwarf(struct debug_file *file)
{
    Dwarf_Addr bias = 0;
    file->dwarf = dwfl_module_getdwarf(file->module, &bias);
    if (!file->dwarf)
        file->dwarf = unpack_separate(file, &bias);
    file->dwarf_bias = bias;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

enum { PAGE_BYTES = 4096 };

static uint64_t page_start(uint64_t address)
{
    return address & ~(uint64_t)(PAGE_BYTES - 1);
}

static uint64_t page_end(uint64_t address)
{
    return page_start(address + PAGE_BYTES - 1);
}

/* How well a module of this size that begins with the segment fits: the larger, the better. */
static int segment_fit(const GElf_Phdr *segment, uint64_t start, uint64_t last_end,
                       uint64_t size_bytes)
{
    uint64_t size = page_end(size_bytes);
    if (page_end(last_end - start) == size)
        return 3;
    if (page_end(segment->p_vaddr + segment->p_memsz - start) == size ||
        page_end(segment->p_vaddr + segment->p_filesz - start) == size)
        return 2;
    return segment->p_flags & PF_X && size < page_end(last_end - start) ? 1 : 0;
}

bool debug_file_load_bias(const struct debug_file *file, uint64_t address, uint64_t size_bytes,
                          uint64_t file_offset, uint64_t *bias)
{
    size_t count = 0;
    GElf_Ehdr header;
    GElf_Phdr segment;
    uint64_t last_end = 0;
    int best = -1;
    if (!gelf_getehdr(file->elf, &header) || elf_getphdrnum(file->elf, &count) != 0)
        return false;
    if (header.e_type == ET_EXEC) {
        *bias = 0;
        return true;
    }
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(file->elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
            segment.p_vaddr + segment.p_memsz > last_end)
            last_end = segment.p_vaddr + segment.p_memsz;
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(file->elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        /* A debug file keeps the virtual addresses only: offsets and sizes in it are its own. */
        uint64_t skew = segment.p_vaddr & (PAGE_BYTES - 1);
        uint64_t offset = file->debug_only ? page_start(segment.p_vaddr) : segment.p_offset - skew;
        uint64_t size = skew + (file->debug_only ? segment.p_memsz : segment.p_filesz);
        if (!file->debug_only && segment.p_offset < skew)
            continue;
        if (file_offset < offset || file_offset - offset >= page_end(size))
            continue;
        uint64_t start = segment.p_vaddr - skew + (file_offset - offset);
        int fit = segment_fit(&segment, start, last_end, size_bytes);
        if (fit > best) {
            best = fit;
            *bias = address - start;
        }
    }
    return best >= 0;
}

bool debug_file_has_code(const struct debug_file *file, uint64_t address)
{
    for (size_t i = 0; i < file->code_count; i++)
        if (address >= file->code[i].low && address < file->code[i].high)
            return true;
    return false;
}

const char *debug_file_symbol(const struct debug_file *file, int i, GElf_Sym *symbol,
                              GElf_Addr *address)
{
    const char *name = dwfl_module_getsym_info(file->module, i, symbol, address, NULL, NULL, NULL);
    bool is_here = name && *name && symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS;
    return is_here ? name : NULL;
}
