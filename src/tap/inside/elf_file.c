#include "tap/inside/elf_file.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "tap/inside/kernel.h"

#ifdef __aarch64__
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_X86_64 };
#endif

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return kernel_read_at(fd, to, size, offset) == (long)size;
}

bool elf_file_is_native(const struct elf_file *file)
{
    const unsigned char *ident = file->header.e_ident;
    return ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB &&
           file->header.e_machine == OWN_MACHINE;
}

bool elf_file_read(struct elf_file *file, int fd)
{
    file->fd = fd;
    file->segment_count = 0;
    if (!read_at(fd, &file->header, sizeof file->header, 0) ||
        memcmp(file->header.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    unsigned count = file->header.e_phnum;
    if (elf_file_is_native(file) && file->header.e_phentsize == sizeof *file->segments) {
        if (count > ELF_FILE_SEGMENTS)
            count = ELF_FILE_SEGMENTS;
        if (read_at(fd, file->segments, count * sizeof *file->segments, file->header.e_phoff))
            file->segment_count = count;
    }
    return true;
}

static const ElfW(Phdr) * segment_of(const struct elf_file *file, uint32_t type)
{
    for (unsigned i = 0; i < file->segment_count; i++)
        if (file->segments[i].p_type == type)
            return &file->segments[i];
    return NULL;
}

/* A string of the file; cut to `size`. */
static bool read_string(const struct elf_file *file, uint64_t offset, char *to, size_t size)
{
    long got = kernel_read_at(file->fd, to, size - 1, offset);
    to[got > 0 ? got : 0] = 0;
    return got > 0;
}

bool elf_file_loader(const struct elf_file *file, char *path, size_t size)
{
    const ElfW(Phdr) *segment = segment_of(file, PT_INTERP);
    return segment && read_string(file, segment->p_offset, path, size);
}

/* Where in the file stands what is loaded at `address`; 0 for nowhere. */
static uint64_t offset_of(const struct elf_file *file, uint64_t address)
{
    for (unsigned i = 0; i < file->segment_count; i++) {
        const ElfW(Phdr) *segment = &file->segments[i];
        if (segment->p_type == PT_LOAD && address - segment->p_vaddr < segment->p_filesz)
            return address - segment->p_vaddr + segment->p_offset;
    }
    return 0;
}

/* The value of the number `index` of the dynamic entries with this tag. */
static bool dynamic_value(const struct elf_file *file, int64_t tag, unsigned index, uint64_t *value)
{
    const ElfW(Phdr) *segment = segment_of(file, PT_DYNAMIC);
    ElfW(Dyn) entries[16];
    for (uint64_t at = 0; segment && at < segment->p_filesz; at += sizeof entries) {
        uint64_t left = segment->p_filesz - at;
        size_t size = left < sizeof entries ? left : sizeof entries;
        if (!read_at(file->fd, entries, size, segment->p_offset + at))
            return false;
        for (size_t i = 0; i < size / sizeof *entries; i++) {
            if (entries[i].d_tag == DT_NULL)
                return false;
            if (entries[i].d_tag == tag && index-- == 0) {
                *value = entries[i].d_un.d_val;
                return true;
            }
        }
    }
    return false;
}

/* Where in the file the table stands that a dynamic entry points to; 0 for nowhere. */
static uint64_t table_of(const struct elf_file *file, int64_t tag)
{
    uint64_t address;
    return dynamic_value(file, tag, 0, &address) ? offset_of(file, address) : 0;
}

bool elf_file_needed(const struct elf_file *file, unsigned index, char *name, size_t size)
{
    uint64_t offset, strings = table_of(file, DT_STRTAB);
    return strings && dynamic_value(file, DT_NEEDED, index, &offset) &&
           read_string(file, strings + offset, name, size);
}

/* ---- Symbols ------------------------------------------------------------------------ */

static bool is_definition(const struct elf_file *file, uint64_t symbols, uint64_t strings,
                          uint32_t index, const char *name, ElfW(Sym) * symbol)
{
    char found[64];
    return read_at(file->fd, symbol, sizeof *symbol, symbols + index * sizeof *symbol) &&
           symbol->st_shndx != SHN_UNDEF &&
           read_string(file, strings + symbol->st_name, found, sizeof found) &&
           strcmp(found, name) == 0;
}

/* By the hash table of GNU: a header, a Bloom filter, buckets, and chains, whose ends are odd. */
static bool find_symbol(const struct elf_file *file, const char *name, ElfW(Sym) * symbol)
{
    uint32_t header[4], hash = elf_hash(name), index, chained;
    uint64_t word, table = table_of(file, DT_GNU_HASH);
    if (!table || !read_at(file->fd, header, sizeof header, table) || !header[0] || !header[2])
        return false;
    uint64_t filter = table + sizeof header;
    if (!read_at(file->fd, &word, sizeof word, filter + hash / 64 % header[2] * sizeof word) ||
        !(word >> hash % 64 & word >> (hash >> header[3]) % 64 & 1))
        return false;
    uint64_t buckets = filter + header[2] * sizeof word;
    uint64_t chains = buckets + header[0] * sizeof index;
    uint64_t symbols = table_of(file, DT_SYMTAB), strings = table_of(file, DT_STRTAB);
    if (!read_at(file->fd, &index, sizeof index, buckets + hash % header[0] * sizeof index))
        return false;
    for (; index >= header[1]; index++) {
        if (!read_at(file->fd, &chained, sizeof chained,
                     chains + (index - header[1]) * sizeof chained))
            return false;
        if ((chained | 1) == (hash | 1) &&
            is_definition(file, symbols, strings, index, name, symbol))
            return true;
        if (chained & 1)
            return false;
    }
    return false;
}

bool elf_file_defines(const struct elf_file *file, const char *symbol)
{
    ElfW(Sym) found;
    return find_symbol(file, symbol, &found);
}

bool elf_file_read_constant(const struct elf_file *file, const char *symbol, void *to, size_t size)
{
    ElfW(Sym) found;
    uint64_t offset = find_symbol(file, symbol, &found) ? offset_of(file, found.st_value) : 0;
    return offset && read_at(file->fd, to, size, offset);
}
