/* What the headers of a program's file say, read with a few calls of pread and no memory. */
#ifndef TAP_INSIDE_ELF_FILE_H
#define TAP_INSIDE_ELF_FILE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_FILE_SEGMENTS = 32 };

struct elf_file {
    int fd; /* borrowed */
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[ELF_FILE_SEGMENTS]; /* none of a program that is not native */
    unsigned segment_count;
};

/* False where the file is no ELF file. */
bool elf_file_read(struct elf_file *file, int fd);

/* Whether it is for this process's architecture. */
bool elf_file_is_native(const struct elf_file *file);

/* Of native programs: the path of its loader; false where it has none. */
bool elf_file_loader(const struct elf_file *file, char *path, size_t size);

/* The number `index` of the libraries that it needs; false after the last. */
bool elf_file_needed(const struct elf_file *file, unsigned index, char *name, size_t size);

/* Whether its dynamic symbols have a definition of this name. */
bool elf_file_defines(const struct elf_file *file, const char *symbol);

/* The first `size` bytes of a constant that has such a definition; false where there is none. */
bool elf_file_read_constant(const struct elf_file *file, const char *symbol, void *to, size_t size);

/* Of a symbol's name, in the hash table of GNU. */
static inline uint32_t elf_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

#endif
