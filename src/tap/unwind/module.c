/* Which module a code address belongs to, asked inside malloc.
 *
 * 1. No lock.  dl_iterate_phdr takes the loader's lock.  Inside a hook that is a deadlock in
 * waiting: thread A holds some lock of the program, calls malloc, and waits for the loader's lock
 * in our hook; thread B is in dlopen with that lock held, runs a constructor and waits for A's.
 * Hence dl_iterate_phdr is called only in unwind_modules_init and unwind_modules_changed, whose
 * callers hold nothing.
 *
 * 2. glibc 2.35 and newer have _dl_find_object, made for unwinders: lock-free, fit for signal
 * handlers, always up to date (a module is there before its constructors run, and gone before it is
 * unmapped).  Where it is missing (tap/inside/find_object.h), a snapshot made at the safe moments of
 * (1) takes its place.
 *
 * 3. Nothing unloaded is read.  module_find is asked only about addresses to which the calling
 * thread is going to return.  The module around such an address stays mapped while we look.  What
 * is learned is kept in our own memory.
 *
 * 4. Nothing stale is believed.  A module can be closed and another be loaded at the same place, by
 * calls that no hook of ours sees (iconv closes its converters inside libc).  So each record
 * carries an identity: range, link map, place of .eh_frame_hdr, ELF header (with the file's section
 * offset, thus its size), first bytes of .eh_frame_hdr, build id.  Whoever remembers anything about
 * a module that is not permanent asks module_is_current before each use.  All these bytes are
 * readable in whatever module is there now: the ELF header and the build id are looked at in the
 * first page only, .eh_frame_hdr only where the present module has it at the same place.
 *
 * That costs a few hundred instructions, at most stacks of a program whose work is done by plugins.
 * There is a shorter way where somebody watches malloc's blocks: the loader makes a module's link
 * map with malloc, and frees it (by way of the program's own free, whoever closes the module)
 * before it gives up the lock under which it could load another one.  So while that block is the
 * one that it was, the module is.
 *
 * 5. The snapshot of (2) cannot see such changes.  It therefore holds the modules present at init;
 * those opened later only from unwind_modules_changed until unwind_modules_closing; and never
 * iconv's. */
#include "tap/unwind/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "tap/inside/find_object.h"
#include "tap/unwind/arena.h"
#include "tap/unwind/unwind.h"

enum { PAGE_BYTES = 4096, SLOTS = 4096, MOST_RECORDS = 3072 };

/* Records by start address: open addressing, linear probing, nothing is ever taken out. */
static _Atomic(struct module *) slots[SLOTS];
static _Atomic uint32_t record_count;
static _Atomic uint64_t epoch = 1;

uint64_t module_epoch(void)
{
    return atomic_load_explicit(&epoch, memory_order_acquire);
}

/* What is loaded somewhere, as libc says it. */
struct mapping {
    uint64_t start, end;
    uint64_t base; /* load address: what is added to the file's addresses */
    const void *link_map;
    const uint8_t *header;
    const ElfW(Phdr) * phdr; /* NULL where not known */
    unsigned phdr_count;
    bool permanent;
};

/* ---- Reading a module's headers -------------------------------------------------------------- */

/* Whether the mapping is the main program's: all of it, or, where its segments have gaps between
 * them, the one segment that libc then tells of. */
static bool is_in_main(const struct mapping *mapping, const ElfW(Phdr) * phdr, unsigned count)
{
    bool same_base = false, inside = false;
    for (unsigned i = 0; i < count; i++) {
        uint64_t start = mapping->base + phdr[i].p_vaddr;
        same_base |= phdr[i].p_type == PT_PHDR && start == (uint64_t)phdr;
        inside |= phdr[i].p_type == PT_LOAD && mapping->start - start < phdr[i].p_memsz;
    }
    return same_base && inside;
}

/* The program headers: of the main program, those that the kernel tells, as its mapping may be
 * stated larger or smaller than it is; else in the first page of the mapping. */
static bool find_phdr(struct mapping *mapping)
{
    uint64_t own = getauxval(AT_PHDR);
    unsigned count = (unsigned)getauxval(AT_PHNUM);
    if ((mapping->start <= own && own < mapping->end) ||
        is_in_main(mapping, (const ElfW(Phdr) *)own, count)) {
        mapping->phdr = (const ElfW(Phdr) *)own;
        mapping->phdr_count = count;
        return true;
    }
    const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)mapping->start;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    uint64_t bytes = (uint64_t)elf->e_phnum * sizeof(ElfW(Phdr));
    if (elf->e_phoff > PAGE_BYTES || bytes > PAGE_BYTES - elf->e_phoff)
        return false;
    mapping->phdr = (const ElfW(Phdr) *)(mapping->start + elf->e_phoff);
    mapping->phdr_count = elf->e_phnum;
    return true;
}

/* The segment that holds .eh_frame_hdr bounds what is read of it and of .eh_frame. */
static void find_segment(struct module *module, const struct mapping *mapping)
{
    module->low = (const uint8_t *)mapping->start;
    module->high = (const uint8_t *)mapping->end;
    for (unsigned i = 0; i < mapping->phdr_count; i++) {
        const ElfW(Phdr) *segment = &mapping->phdr[i];
        const uint8_t *low = (const uint8_t *)(mapping->base + segment->p_vaddr);
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) && module->header >= low &&
            module->header < low + segment->p_filesz) {
            module->low = low;
            module->high = low + segment->p_filesz;
        }
    }
}

/* Looks for the build id among notes that lie in the first page. */
static void find_build_id(struct module *module, const struct mapping *mapping)
{
    for (unsigned i = 0; i < mapping->phdr_count; i++) {
        const ElfW(Phdr) *segment = &mapping->phdr[i];
        uint64_t note = mapping->base + segment->p_vaddr;
        uint64_t end = note + segment->p_filesz;
        if (segment->p_type != PT_NOTE || note < mapping->start || end < note ||
            end > mapping->start + PAGE_BYTES)
            continue;
        while (end - note >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *head = (const ElfW(Nhdr) *)note;
            uint64_t name = note + sizeof *head;
            uint64_t text = name + ((head->n_namesz + 3u) & ~3u);
            uint64_t next = text + ((head->n_descsz + 3u) & ~3u);
            if (next > end || text < name || next < text)
                break;
            if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 &&
                memcmp((const void *)name, "GNU", 4) == 0 && head->n_descsz >= 8) {
                module->build_id_offset = (uint32_t)(text - mapping->start);
                return;
            }
            note = next;
        }
    }
}

/* The identity of what is at `start` now.  The main program's ELF header is not looked at: it
 * stays. */
static void read_identity(struct module_identity *identity, const struct module *module)
{
    memset(identity, 0, sizeof *identity);
    if (module->header)
        memcpy(identity->frame_header, module->header, sizeof identity->frame_header);
    if (module->is_main)
        return;
    memcpy(identity->elf_header, (const void *)module->start, sizeof identity->elf_header);
    uint32_t offset = module->build_id_offset;
    if (offset && offset <= PAGE_BYTES - sizeof identity->build_id)
        memcpy(identity->build_id, (const void *)(module->start + offset),
               sizeof identity->build_id);
}

/* Sizes are known here, so that no call is made for it. */
static inline __attribute__((always_inline)) bool same_words(const void *a, const void *b,
                                                             size_t bytes)
{
    uint64_t x, y, difference = 0;
    for (size_t i = 0; i < bytes; i += sizeof x) {
        memcpy(&x, (const char *)a + i, sizeof x);
        memcpy(&y, (const char *)b + i, sizeof y);
        difference |= x ^ y;
    }
    return difference == 0;
}

/* Whether what is at `start` now is what was there: asked at every stack with a frame in a module
 * that may be unloaded. */
static bool has_identity(const struct module *module)
{
    const struct module_identity *known = &module->identity;
    uint32_t offset = module->build_id_offset;
    if (module->header &&
        !same_words(known->frame_header, module->header, sizeof known->frame_header))
        return false;
    if (module->is_main)
        return true;
    if (!same_words(known->elf_header, (const void *)module->start, sizeof known->elf_header))
        return false;
    return !offset || offset > PAGE_BYTES - sizeof known->build_id ||
           same_words(known->build_id, (const void *)(module->start + offset),
                      sizeof known->build_id);
}

/* ---- Asking libc ----------------------------------------------------------------------------- */

static bool use_snapshot;

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
static bool has_find_object(void)
{
    return find_object() && !use_snapshot;
}

static bool ask(uint64_t address, struct mapping *mapping)
{
    struct dl_find_object found;
    if (find_object()((void *)address, &found) != 0)
        return false;
    *mapping = (struct mapping){
        .start = (uint64_t)found.dlfo_map_start,
        .end = (uint64_t)found.dlfo_map_end,
        .base = found.dlfo_link_map->l_addr,
        .link_map = found.dlfo_link_map,
        .header = found.dlfo_eh_frame,
    };
    return true;
}
#else
static bool has_find_object(void)
{
    return false;
}

static bool ask(uint64_t address, struct mapping *mapping)
{
    return false;
}
#endif

/* ---- Records --------------------------------------------------------------------------------- */

static bool matches(const struct module *module, const struct mapping *mapping)
{
    if (module->start != mapping->start || module->end != mapping->end ||
        module->link_map != mapping->link_map || module->header != mapping->header)
        return false;
    return has_identity(module);
}

static struct module *make_record(struct mapping *mapping)
{
    if (atomic_load_explicit(&record_count, memory_order_relaxed) >= MOST_RECORDS)
        return NULL;
    if (!mapping->phdr && !find_phdr(mapping))
        return NULL;
    struct module *module = arena_take(sizeof *module);
    if (!module)
        return NULL;
    module->is_main = (uint64_t)mapping->phdr == getauxval(AT_PHDR);
    module->start = mapping->start;
    module->end = mapping->end;
    module->link_map = mapping->link_map;
    module->header = mapping->header;
    module->permanent = mapping->permanent || module->is_main;
    find_segment(module, mapping);
    if (module->header && module->high - module->header < MODULE_FRAME_HEADER_BYTES)
        module->header = NULL;
    find_build_id(module, mapping);
    read_identity(&module->identity, module);
#if defined(__x86_64__)
    if (module->header)
        table_init(&module->table, module->header, module->low, module->high, module->start,
                   module->end);
#endif
    atomic_fetch_add_explicit(&record_count, 1, memory_order_relaxed);
    return module;
}

/* The record of what is mapped there, made if need be. */
static struct module *record_of(struct mapping *mapping)
{
    uint32_t at = (uint32_t)((mapping->start >> 12) * 0x9e3779b97f4a7c15u >> 52) % SLOTS;
    struct module *made = NULL;
    for (;;) {
        struct module *first = atomic_load_explicit(&slots[at], memory_order_acquire);
        if (first && first->start != mapping->start) {
            at = (at + 1) % SLOTS;
            continue;
        }
        for (struct module *module = first; module; module = module->older)
            if (matches(module, mapping))
                return module;
        if (!made)
            made = make_record(mapping);
        if (!made)
            return NULL;
        made->older = first;
        if (first)
            atomic_fetch_add_explicit(&epoch, 1, memory_order_release);
        if (atomic_compare_exchange_strong(&slots[at], &first, made))
            return made;
    }
}

/* ---- The snapshot, where libc has no better -------------------------------------------------- */

struct snapshot {
    unsigned long long version; /* of the loader's list */
    uint32_t count;
    struct module *modules[];
};

static _Atomic(struct snapshot *) snapshot;
static _Atomic uint32_t closings; /* dlclose calls under way */
static _Atomic uint32_t initialised;

static bool is_converter(const char *path)
{
    return path && strstr(path, "/gconv/") != NULL;
}

static bool describe(const struct dl_phdr_info *info, struct mapping *mapping)
{
    *mapping = (struct mapping){.start = UINT64_MAX,
                                .base = info->dlpi_addr,
                                .phdr = info->dlpi_phdr,
                                .phdr_count = info->dlpi_phnum,
                                .permanent = !atomic_load(&initialised)};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t low = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_EH_FRAME)
            mapping->header = (const uint8_t *)low;
        if (segment->p_type != PT_LOAD)
            continue;
        if (low < mapping->start)
            mapping->start = low;
        if (low + segment->p_memsz > mapping->end)
            mapping->end = low + segment->p_memsz;
    }
    return mapping->start < mapping->end && !is_converter(info->dlpi_name);
}

struct listing {
    struct snapshot *snapshot; /* NULL: count only */
    uint32_t count, room;
    unsigned long long version;
};

static int list_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct listing *listing = context;
    struct mapping mapping;
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        listing->version = info->dlpi_adds + info->dlpi_subs;
    if (!listing->snapshot) {
        listing->count++;
        return 0;
    }
    if (!describe(info, &mapping) || listing->count == listing->room)
        return 0;
    struct module *module = record_of(&mapping);
    bool may_close = atomic_load(&closings) > 0;
    if (module && (module->permanent || !may_close))
        listing->snapshot->modules[listing->count++] = module;
    return 0;
}

static void refresh(void)
{
    struct listing listing = {0};
    dl_iterate_phdr(list_module, &listing);
    listing.room = listing.count + 16;
    listing.count = 0;
    listing.snapshot =
        arena_take(sizeof *listing.snapshot + listing.room * sizeof(struct module *));
    if (!listing.snapshot)
        return;
    dl_iterate_phdr(list_module, &listing);
    listing.snapshot->count = listing.count;
    listing.snapshot->version = listing.version;
    struct snapshot *old = atomic_load(&snapshot);
    while (!old || old->version <= listing.version)
        if (atomic_compare_exchange_weak(&snapshot, &old, listing.snapshot))
            break;
}

static struct module *find_in_snapshot(uint64_t address)
{
    const struct snapshot *seen = atomic_load_explicit(&snapshot, memory_order_acquire);
    for (uint32_t i = 0; seen && i < seen->count; i++) {
        struct module *module = seen->modules[i];
        if (module->start <= address && address < module->end)
            return module;
    }
    return NULL;
}

/* ---- The interface --------------------------------------------------------------------------- */

struct module *module_find(uint64_t address)
{
    struct mapping mapping;
    if (!has_find_object())
        return find_in_snapshot(address);
    return ask(address, &mapping) ? record_of(&mapping) : NULL;
}

bool module_is_current(const struct module *module, uint64_t address)
{
    struct mapping mapping;
    if (!has_find_object())
        return find_in_snapshot(address) == module;
    return ask(address, &mapping) && matches(module, &mapping);
}

static unwind_block_word *word_of;

void unwind_modules_watch(unwind_block_word *function)
{
    word_of = function;
}

void unwind_modules_unwatched(void)
{
    atomic_fetch_add(&epoch, 1);
}

/* The word comes first: if it then still is the one of another block, it will not stay. */
bool module_watch(const struct module *module, struct module_watch *watch)
{
    const uint64_t *word = word_of && has_find_object() ? word_of(module->link_map) : NULL;
    watch->value = word ? __atomic_load_n(word, __ATOMIC_ACQUIRE) : 0;
    watch->word = watch->value ? word : NULL;
    return module_is_current(module, module->start);
}

void module_without_find_object(void)
{
    use_snapshot = true;
}

/* Makes the records of what is loaded, as permanent ones. */
static int record_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct mapping stated, mapping;
    if (describe(info, &stated) && ask(stated.start, &mapping)) {
        mapping.permanent = true;
        record_of(&mapping);
    }
    return 0;
}

void unwind_modules_init(void)
{
    if (has_find_object())
        dl_iterate_phdr(record_module, NULL);
    else
        refresh();
    atomic_store(&initialised, 1);
}

void unwind_modules_closing(void)
{
    if (has_find_object())
        return;
    atomic_fetch_add(&closings, 1);
    refresh();
    atomic_fetch_add(&epoch, 1);
}

void unwind_modules_changed(void)
{
    if (!has_find_object()) {
        uint32_t closing = atomic_load(&closings);
        while (closing && !atomic_compare_exchange_weak(&closings, &closing, closing - 1))
            ;
        refresh();
    }
    atomic_fetch_add(&epoch, 1);
}
