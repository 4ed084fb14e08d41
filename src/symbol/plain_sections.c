/* The copy is the file as it is, with the decompressed sections behind its end and the section
 * headers pointing there: everything else stays where it was, so that the program headers hold. */
#include "symbol/plain_sections.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

static bool is_compressed(Elf_Scn *scn, GElf_Shdr *section, GElf_Chdr *header)
{
    return gelf_getshdr(scn, section) && section->sh_flags & SHF_COMPRESSED &&
           gelf_getchdr(scn, header) && header->ch_type == ELFCOMPRESS_ZSTD;
}

static bool has_any(Elf *elf)
{
    GElf_Shdr section;
    GElf_Chdr header;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
        if (is_compressed(scn, &section, &header))
            return true;
    return false;
}

/* Writes all of it; moves `*at` on. */
static bool put(int fd, const void *bytes, size_t size, off_t *at)
{
    for (const char *from = bytes; size > 0;) {
        ssize_t done = pwrite(fd, from, size, *at);
        if (done <= 0)
            return false;
        from += done;
        size -= (size_t)done;
        *at += done;
    }
    return true;
}

/* What a section holds, to be freed; NULL where it is not what its header says. */
static void *decompress(Elf_Scn *scn, const GElf_Chdr *header)
{
    const Elf_Data *packed = elf_rawdata(scn, NULL);
    size_t skip = sizeof(Elf64_Chdr);
    if (!packed || packed->d_size < skip)
        return NULL;
    const char *bytes = (const char *)packed->d_buf + skip;
    unsigned long long told = ZSTD_getFrameContentSize(bytes, packed->d_size - skip);
    void *plain = told == header->ch_size || told == ZSTD_CONTENTSIZE_UNKNOWN
                      ? malloc(header->ch_size + 1)
                      : NULL;
    if (plain &&
        ZSTD_decompress(plain, header->ch_size, bytes, packed->d_size - skip) == header->ch_size)
        return plain;
    free(plain);
    return NULL;
}

/* Writes a section's bytes at `*end`, and its new header in its place. */
static bool put_section(int fd, Elf *elf, Elf_Scn *scn, GElf_Shdr *section, const GElf_Chdr *header,
                        off_t *end)
{
    GElf_Ehdr file;
    void *plain = decompress(scn, header);
    section->sh_offset = (uint64_t)*end;
    section->sh_size = header->ch_size;
    section->sh_addralign = header->ch_addralign;
    section->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
    bool done = plain && gelf_getehdr(elf, &file) && put(fd, plain, header->ch_size, end);
    free(plain);
    if (!done)
        return false;
    Elf_Data data = {
        .d_buf = section, .d_type = ELF_T_SHDR, .d_size = sizeof *section, .d_version = EV_CURRENT};
    off_t at = (off_t)(file.e_shoff + elf_ndxscn(scn) * sizeof *section);
    return gelf_xlatetof(elf, &data, &data, file.e_ident[EI_DATA]) &&
           put(fd, section, sizeof *section, &at);
}

static bool copy_whole(int to, int from, off_t size)
{
    off_t at = 0;
    while (at < size)
        if (sendfile(to, from, &at, (size_t)(size - at)) <= 0)
            return false;
    return true;
}

static bool write_plain(int to, int from, Elf *elf)
{
    struct stat status;
    GElf_Shdr section;
    GElf_Chdr header;
    if (fstat(from, &status) != 0 || !copy_whole(to, from, status.st_size))
        return false;
    off_t end = (status.st_size + 15) / 16 * 16;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
        if (is_compressed(scn, &section, &header)) {
            if (!put_section(to, elf, scn, &section, &header, &end))
                return false;
            end = (end + 15) / 16 * 16;
        }
    return true;
}

int plain_sections(int fd)
{
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (!elf)
        return fd;
    int plain = -1;
    if (gelf_getclass(elf) == ELFCLASS64 && has_any(elf))
        plain = memfd_create("heaptap-sections", MFD_CLOEXEC);
    bool done = plain >= 0 && write_plain(plain, fd, elf);
    elf_end(elf);
    if (plain >= 0)
        close(done ? fd : plain);
    return done ? plain : fd;
}
