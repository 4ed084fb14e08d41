/* A reference to _dl_find_object, even a weak one, would ask for glibc 2.35, and what is preloaded
 * would not load with an older one.  dlsym takes the loader's lock and may allocate.  So
 * libc's table of dynamic symbols is read, once. */
#include "tap/inside/find_object.h"

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tap/inside/elf_file.h"

struct symbols {
    const ElfW(Sym) * all;
    const char *names;
    const uint32_t *hash; /* DT_GNU_HASH */
};

/* The loader's list begins with what the program was started with, which is never taken out: up to
 * libc it can be followed without a lock. */
static const struct link_map *find_libc(void)
{
    const struct link_map *map = _r_debug.r_map;
    while (map && !(map->l_name && strstr(map->l_name, "/libc.so.")))
        map = map->l_next;
    return map;
}

/* The loader has put addresses in place of the file's offsets, where that can be written. */
static const void *at(ElfW(Addr) base, ElfW(Addr) place)
{
    return (const void *)(place < base ? base + place : place);
}

static bool find_symbols(const struct link_map *map, struct symbols *symbols)
{
    ElfW(Addr) base = map->l_addr;
    const ElfW(Dyn) *entry = map->l_ld;
    *symbols = (struct symbols){0};
    for (; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SYMTAB)
            symbols->all = at(base, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_STRTAB)
            symbols->names = at(base, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_GNU_HASH)
            symbols->hash = at(base, entry->d_un.d_ptr);
    return symbols->all && symbols->names && symbols->hash;
}

/* The table: four words, a Bloom filter, the first symbol of each bucket, and the hash of each
 * symbol, whose lowest bit says that it is the bucket's last. */
static const ElfW(Sym) * find_symbol(const struct symbols *symbols, const char *name)
{
    uint32_t buckets = symbols->hash[0], first = symbols->hash[1], hash = elf_hash(name);
    const uint32_t *bucket =
        symbols->hash + 4 + symbols->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    uint32_t number = buckets ? bucket[hash % buckets] : 0;
    if (number < first || !number)
        return NULL;
    for (;; number++) {
        uint32_t theirs = bucket[buckets + number - first];
        const ElfW(Sym) *symbol = &symbols->all[number];
        if ((theirs | 1) == (hash | 1) && strcmp(symbols->names + symbol->st_name, name) == 0)
            return symbol->st_shndx == SHN_UNDEF ? NULL : symbol;
        if (theirs & 1)
            return NULL;
    }
}

static uintptr_t look(void)
{
    struct symbols symbols;
    const struct link_map *libc = find_libc();
    const ElfW(Sym) *symbol = NULL;
    if (libc && find_symbols(libc, &symbols))
        symbol = find_symbol(&symbols, "_dl_find_object");
    return symbol ? libc->l_addr + symbol->st_value : 0;
}

find_object_function *find_object(void)
{
    enum { NOT_LOOKED_FOR = 1 };
    static _Atomic uintptr_t known = NOT_LOOKED_FOR;
    uintptr_t address = atomic_load_explicit(&known, memory_order_relaxed);
    if (address == NOT_LOOKED_FOR)
        atomic_store_explicit(&known, address = look(), memory_order_relaxed);
    return (find_object_function *)address;
}
#endif
