/* Where modules are learnt of:
 *   - all that are loaded, when recording begins and after each dlclose (modules_refresh);
 *   - one at a time, when an address is to be described that lies in no known module.  glibc's
 *     _dl_find_object finds it without a lock, and it is loaded, since a thread is going to return
 *     into it.  So nothing need be done in dlopen.
 *
 * Records are never freed or changed, but for `gone` and `written`, and are found from the newest
 * to the oldest; so a module that took the place of another is found first. */
#include "tap/native/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tap/inside/find_object.h"
#include "tap/inside/pages.h"
#include "tap/inside/scratch.h"
#include "tap/inside/clock.h"
#include "tap/native/paths.h"
#include "tap/inside/text.h"

enum { BUILD_ID_BYTES = HEAPTAP_BUILD_ID_MAX };

enum written { WRITTEN_NOT, WRITTEN_LOADED, WRITTEN_UNLOADED };

struct module_record {
    struct module_record *older;
    uint64_t low, high;      /* the span of its segments in memory */
    uint64_t bias;           /* what was added to the file's addresses */
    uint32_t epoch;          /* modules gone when it was met */
    int64_t loaded_us;       /* when it was met, since the Unix epoch */
    _Atomic int64_t gone_us; /* when it was missed, or 0 */
    _Atomic uint32_t gone;   /* the how-manieth it then was, soon after; or 0 */
    _Atomic uint32_t seen;   /* the last refresh that found it */
    _Atomic int written;     /* enum written: what the trace says of it */
    uint8_t build_id_size;
    uint8_t build_id[BUILD_ID_BYTES];
    char path[]; /* absolute, or the kernel's name for the vdso */
};

static _Atomic(struct module_record *) newest;
_Atomic uint32_t modules_gone;
static _Atomic uint32_t tagged_count; /* records with an epoch above 0 */
static _Atomic uint32_t refreshes;
static _Atomic bool unwritten;

/* ---- Reading a module --------------------------------------------------------------- */

/* What is known of a module before it has a record. */
struct sighting {
    uint64_t low, high, bias;
    const char *path;
    uint8_t build_id_size;
    const uint8_t *build_id;
};

static void find_span(struct sighting *sighting, const ElfW(Phdr) * phdr, unsigned count)
{
    sighting->low = UINT64_MAX;
    sighting->high = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t low = sighting->bias + phdr[i].p_vaddr, high = low + phdr[i].p_memsz;
        if (phdr[i].p_type != PT_LOAD)
            continue;
        sighting->low = low < sighting->low ? low : sighting->low;
        sighting->high = high > sighting->high ? high : sighting->high;
    }
}

/* The build id among the notes of one segment. */
static bool find_in_notes(struct sighting *sighting, const uint8_t *at, uint64_t size)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, at, sizeof head);
        uint64_t name = ((uint64_t)head.n_namesz + 3) & ~UINT64_C(3);
        uint64_t text = ((uint64_t)head.n_descsz + 3) & ~UINT64_C(3);
        uint64_t whole = sizeof head + name + text;
        if (whole > size)
            return false;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && head.n_descsz > 0 &&
            head.n_descsz <= BUILD_ID_BYTES && memcmp(at + sizeof head, "GNU", 4) == 0) {
            sighting->build_id = at + sizeof head + name;
            sighting->build_id_size = (uint8_t)head.n_descsz;
            return true;
        }
        at += whole;
        size -= whole;
    }
    return false;
}

static void find_build_id(struct sighting *sighting, const ElfW(Phdr) * phdr, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t low = sighting->bias + phdr[i].p_vaddr;
        if (phdr[i].p_type == PT_NOTE && low >= sighting->low &&
            low + phdr[i].p_filesz <= sighting->high &&
            find_in_notes(sighting, (const uint8_t *)low, phdr[i].p_filesz))
            return;
    }
}

static void sight(struct sighting *sighting, uint64_t bias, const char *path,
                  const ElfW(Phdr) * phdr, unsigned count)
{
    *sighting = (struct sighting){.bias = bias, .path = path ? path : ""};
    find_span(sighting, phdr, count);
    find_build_id(sighting, phdr, count);
}

/* ---- Records ------------------------------------------------------------------------ */

static bool is_program(const struct sighting *sighting)
{
    uint64_t own = getauxval(AT_PHDR);
    return sighting->low <= own && own < sighting->high;
}

/* An absolute path: the loader knows the program under no name, and libraries as they were asked
 * for. */
static void full_path(char path[PATH_MAX], const struct sighting *sighting)
{
    struct text text;
    bool whole =
        !is_program(sighting) && (sighting->path[0] == '/' || !strchr(sighting->path, '/'));
    text_init(&text, path, PATH_MAX);
    if (!whole) {
        if (is_program(sighting)) {
            paths_program(path);
            return;
        }
        paths_folder(path);
        text.at += strlen(path);
        text_add(&text, "/");
    }
    text_add(&text, sighting->path);
}

static bool is_of(const struct module_record *record, const struct sighting *sighting)
{
    return record->low == sighting->low && record->high == sighting->high &&
           record->bias == sighting->bias && record->build_id_size == sighting->build_id_size &&
           memcmp(record->build_id, sighting->build_id, record->build_id_size) == 0;
}

static struct module_record *find_record(const struct sighting *sighting)
{
    struct module_record *record = atomic_load_explicit(&newest, memory_order_acquire);
    while (record && (atomic_load(&record->gone_us) || !is_of(record, sighting)))
        record = record->older;
    return record;
}

static struct module_record *make_record_here(const struct sighting *sighting, int64_t now_us)
{
    char path[PATH_MAX];
    full_path(path, sighting);
    size_t size = sizeof(struct module_record) + strlen(path) + 1;
    struct module_record *record = pages_map(size);
    if (!record)
        return NULL;
    uint32_t gone = atomic_load(&modules_gone);
    record->low = sighting->low;
    record->high = sighting->high;
    record->bias = sighting->bias;
    record->epoch = gone < CODE_EPOCH_MOST ? gone : CODE_EPOCH_MOST;
    record->loaded_us = now_us;
    record->build_id_size = sighting->build_id_size;
    memcpy(record->build_id, sighting->build_id, sighting->build_id_size);
    memcpy(record->path, path, strlen(path) + 1);
    if (record->epoch)
        atomic_fetch_add(&tagged_count, 1);
    record->older = atomic_load(&newest);
    while (!atomic_compare_exchange_weak(&newest, &record->older, record))
        ;
    atomic_store(&unwritten, true);
    return record;
}

struct making {
    const struct sighting *sighting;
    int64_t now_us;
    struct module_record *record;
};

static void make_in_scratch(void *context)
{
    struct making *making = context;
    making->record = make_record_here(making->sighting, making->now_us);
}

static struct module_record *make_record(const struct sighting *sighting, int64_t now_us)
{
    struct making making = {.sighting = sighting, .now_us = now_us};
    scratch_run_or_here(make_in_scratch, &making);
    return making.record;
}

/* ---- The process's list ------------------------------------------------------------- */

struct refresh {
    uint32_t number;
    int64_t now_us;
};

static int see(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct refresh *refresh = context;
    struct sighting sighting;
    (void)size;
    sight(&sighting, info->dlpi_addr, info->dlpi_name, info->dlpi_phdr, info->dlpi_phnum);
    if (sighting.low >= sighting.high)
        return 0;
    struct module_record *record = find_record(&sighting);
    if (!record)
        record = make_record(&sighting, refresh->now_us);
    if (record)
        atomic_store(&record->seen, refresh->number);
    return 0;
}

void modules_refresh(int64_t now_us)
{
    if (confined_on())
        return;
    struct refresh refresh = {atomic_fetch_add(&refreshes, 1) + 1, now_us};
    struct module_record *before = atomic_load_explicit(&newest, memory_order_acquire);
    dl_iterate_phdr(see, &refresh);
    for (struct module_record *record = before; record; record = record->older) {
        int64_t still = 0;
        if (atomic_load(&record->seen) < refresh.number &&
            atomic_compare_exchange_strong(&record->gone_us, &still, now_us)) {
            atomic_store(&record->gone, atomic_fetch_add(&modules_gone, 1) + 1);
            atomic_store(&unwritten, true);
        }
    }
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
/* Notes the module around `address`, which is loaded. */
static struct module_record *meet(uint64_t address, int64_t now_us)
{
    struct dl_find_object found;
    struct sighting sighting;
    if (confined_on() || !find_object() || find_object()((void *)address, &found) != 0)
        return NULL;
    const ElfW(Ehdr) *elf = found.dlfo_map_start;
    const uint64_t page = 4096;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_phentsize != sizeof(ElfW(Phdr)) ||
        elf->e_phoff + (uint64_t)elf->e_phnum * sizeof(ElfW(Phdr)) > page)
        return NULL;
    sight(&sighting, found.dlfo_link_map->l_addr, found.dlfo_link_map->l_name,
          (const ElfW(Phdr) *)((const char *)elf + elf->e_phoff), elf->e_phnum);
    struct module_record *record = find_record(&sighting);
    return record ? record : make_record(&sighting, now_us);
}
#else
static struct module_record *meet(uint64_t address, int64_t now_us)
{
    return NULL;
}
#endif

/* ---- Codes -------------------------------------------------------------------------- */

static uint64_t epoch_bits(const struct module_record *record)
{
    return (uint64_t)record->epoch << CODE_EPOCH_SHIFT;
}

uint64_t modules_code(uint64_t address)
{
    if (modules_codes_are_addresses())
        return address;
    struct module_record *record = atomic_load_explicit(&newest, memory_order_acquire);
    for (; record; record = record->older)
        if (address - record->low < record->high - record->low &&
            !atomic_load_explicit(&record->gone_us, memory_order_relaxed))
            return address | epoch_bits(record);
    record = meet(address, clock_now());
    return record ? address | epoch_bits(record) : address;
}

static struct module_record *record_of(uint64_t code, int64_t now_us)
{
    struct module_record *record = atomic_load_explicit(&newest, memory_order_acquire);
    while (record &&
           code_fit(code, record->low, record->high - record->low, record->epoch) != CODE_INSIDE)
        record = record->older;
    return record ? record : meet(code_address(code), now_us);
}

enum { OFFSET_BYTES = 20 }; /* "+0x" and 16 digits, however long the name */

size_t modules_describe(uint64_t code, char *function, struct heaptap_location *location,
                        int64_t now_us)
{
    uint64_t address = code_address(code);
    struct module_record *record = record_of(code, now_us);
    struct text text;
    if (!record)
        return 0;
    const char *slash = strrchr(record->path, '/');
    text_init(&text, function, MODULES_FUNCTION_BYTES - OFFSET_BYTES);
    text_add(&text, slash ? slash + 1 : record->path);
    text.end += OFFSET_BYTES;
    text_add(&text, "+0x");
    text_add_hex(&text, address - record->bias);
    *location = (struct heaptap_location){.file = record->path, .function = function};
    return 1;
}

/* ---- Writing ------------------------------------------------------------------------ */

bool modules_unwritten(void)
{
    return atomic_load_explicit(&unwritten, memory_order_relaxed);
}

static void fill(struct heaptap_metadata *metadata, const struct module_record *record,
                 int64_t start_us)
{
    int64_t gone_us = atomic_load(&record->gone_us);
    *metadata = (struct heaptap_metadata){
        .kind = HEAPTAP_MODULE,
        .name = record->path,
        .address = record->low,
        .size_bytes = record->high - record->low,
        .file_offset = 0,
        .number = record->epoch,
        .loaded_us = record->loaded_us > start_us ? record->loaded_us - start_us : 0,
        .unloaded_us = gone_us ? gone_us - start_us : -1,
        .build_id_size = record->build_id_size,
    };
    memcpy(metadata->build_id, record->build_id, record->build_id_size);
}

struct writing {
    struct heaptap_domain *domain;
    int64_t start_us;
    struct modules_told *told; /* NULL: each record knows whether it is written */
};

/* What the trace doesn't have yet of it; it has that from now on. */
static bool take_unwritten(struct module_record *record, void *context)
{
    int now = atomic_load(&record->gone_us) ? WRITTEN_UNLOADED : WRITTEN_LOADED;
    return atomic_exchange(&record->written, now) != now;
}

static void write_those(const struct writing *writing, struct module_record *record,
                        bool (*wanted)(struct module_record *record, void *context), void *context)
{
    enum { BATCH = 32 };
    struct heaptap_metadata batch[BATCH];
    size_t count = 0;
    for (; record; record = record->older) {
        if (!wanted(record, context))
            continue;
        fill(&batch[count++], record, writing->start_us);
        if (count == BATCH) {
            heaptap_domain_metadata(writing->domain, batch, count);
            count = 0;
        }
    }
    if (count)
        heaptap_domain_metadata(writing->domain, batch, count);
}

static void write_in_scratch(void *context)
{
    const struct writing *writing = context;
    if (atomic_exchange(&unwritten, false))
        write_those(writing, atomic_load_explicit(&newest, memory_order_acquire), take_unwritten,
                    NULL);
}

void modules_write(struct heaptap_domain *domain, int64_t start_us)
{
    struct writing writing = {domain, start_us, NULL};
    if (modules_unwritten())
        scratch_run_or_here(write_in_scratch, &writing);
}

struct telling {
    const struct writing *writing;
    uint32_t gone; /* modules, when it began */
    bool is_old;   /* the records from here on were told as loaded */
};

static bool take_untold(struct module_record *record, void *context)
{
    struct telling *telling = context;
    const struct writing *writing = telling->writing;
    uint32_t gone = atomic_load(&record->gone);
    telling->is_old |= record == writing->told->newest;
    if (gone > telling->gone)
        return false; /* the next time */
    return telling->is_old ? gone > writing->told->gone
                           : !gone || atomic_load(&record->gone_us) > writing->start_us;
}

static void tell_in_scratch(void *context)
{
    const struct writing *writing = context;
    struct telling telling = {writing, atomic_load(&modules_gone), false};
    struct module_record *last = atomic_load_explicit(&newest, memory_order_acquire);
    write_those(writing, last, take_untold, &telling);
    *writing->told = (struct modules_told){last, telling.gone};
}

void modules_tell(struct heaptap_domain *domain, int64_t start_us, struct modules_told *told)
{
    struct writing writing = {domain, start_us, told};
    if (told->newest != atomic_load_explicit(&newest, memory_order_relaxed) ||
        told->gone != atomic_load_explicit(&modules_gone, memory_order_relaxed))
        scratch_run_or_here(tell_in_scratch, &writing);
}

uint32_t modules_locate(struct heaptap_pprof *profile, uint64_t code, uint64_t *address,
                        int64_t now_us)
{
    struct heaptap_metadata metadata;
    const struct module_record *record = record_of(code, now_us);
    if (!record)
        return 0;
    fill(&metadata, record, 0);
    *address = code_address(code);
    return heaptap_pprof_add_module(profile, &metadata);
}

void modules_add(struct heaptap_pprof *profile)
{
    struct heaptap_metadata metadata;
    struct module_record *record = atomic_load_explicit(&newest, memory_order_acquire);
    for (; record; record = record->older) {
        fill(&metadata, record, 0);
        heaptap_pprof_add_module(profile, &metadata);
    }
}

void modules_forget_written(void)
{
    struct module_record *record = atomic_load_explicit(&newest, memory_order_acquire);
    for (; record; record = record->older)
        atomic_store(&record->written,
                     atomic_load(&record->gone_us) ? WRITTEN_UNLOADED : WRITTEN_NOT);
    atomic_store(&unwritten, true);
}
