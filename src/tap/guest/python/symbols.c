/* The program's own definitions come before those of preloaded libraries, and most interpreters are
 * programs that have all functions within themselves.  So it is the address in the interpreter's
 * own table of dynamic symbols that is changed, in this process's copy of the page.  Calls within
 * the interpreter don't go through that table. */
#include "tap/guest/python/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap/guest/python/interpreter.h"

struct segment {
    uintptr_t address; /* in it */
    int protection;    /* -1: no segment has been found */
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *context)
{
    struct segment *wanted = context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD ||
            wanted->address - (info->dlpi_addr + header->p_vaddr) >= header->p_memsz)
            continue;
        wanted->protection = (header->p_flags & PF_R ? PROT_READ : 0) |
                             (header->p_flags & PF_W ? PROT_WRITE : 0) |
                             (header->p_flags & PF_X ? PROT_EXEC : 0);
        return 1;
    }
    return 0;
}

/* Writes into a page that may be read only. */
static bool write_over(ElfW(Addr) * place, ElfW(Addr) value)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)place & ~(page_bytes - 1));
    struct segment segment = {(uintptr_t)place, -1};
    dl_iterate_phdr(find_segment, &segment);
    if (segment.protection < 0 || mprotect(page, page_bytes, segment.protection | PROT_WRITE) != 0)
        return false;
    *place = value;
    mprotect(page, page_bytes, segment.protection);
    return true;
}

bool symbols_replace(const char *name, uintptr_t ours)
{
    const void *theirs;
    Dl_info info;
    void *symbol, *map;
    if (!python_find_symbol(&theirs, name) || !dladdr1(theirs, &info, &symbol, RTLD_DL_SYMENT) ||
        !symbol || !info.dli_sname || strcmp(info.dli_sname, name) != 0 ||
        !dladdr1(theirs, &info, &map, RTLD_DL_LINKMAP) || !map)
        return false;
    return write_over(&((ElfW(Sym) *)symbol)->st_value, ours - ((struct link_map *)map)->l_addr);
}
