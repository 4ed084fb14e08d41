/* The mapping takes its whole address space at once, so that nothing ever moves; the file behind it
 * is given memory piece by piece (a page of a file system that is full kills whoever touches it, so
 * every piece is asked for beforehand). */
#include "guest/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inside/program_limits.h"
#include "inside/pages.h"
#include "inside/text.h"

enum {
    PAGE = 4096,
    FIRST_SLOTS = 1024,
    POPULATE_WRITE = 23, /* MADV_POPULATE_WRITE, where the headers don't have it yet */
    SMALLEST_SHIFT = 10, /* a report of a 1024th of the address space is still worth having */
};

static const struct {
    uint32_t record_bytes, capacity, piece; /* records */
} shapes[GUEST_SECTIONS] = {
    [GUEST_STRINGS] = {1, 1 << 26, 1 << 16},
    [GUEST_LOCATIONS] = {sizeof(struct guest_location), 1 << 21, 1 << 13},
    [GUEST_TYPES] = {sizeof(uint32_t), 1 << 18, 1 << 12},
    [GUEST_NODES] = {sizeof(struct guest_node), 1 << 23, 1 << 13},
    [GUEST_ROWS] = {sizeof(struct guest_row), 1 << 20, 1 << 9},
};

/* ---- The file ------------------------------------------------------------------------ */

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* Lays the sections out, each with a 2^shift-th of its capacity; returns the size of the file. */
static uint64_t lay_out(struct guest_section *sections, unsigned shift)
{
    uint64_t at = whole_pages(sizeof(struct guest_report_header));
    for (int i = 0; i < GUEST_SECTIONS; i++) {
        uint32_t capacity = shapes[i].capacity >> shift;
        if (capacity < shapes[i].piece)
            capacity = shapes[i].piece;
        sections[i] = (struct guest_section){
            .offset = at, .capacity = capacity, .record_bytes = shapes[i].record_bytes};
        at += whole_pages((uint64_t)capacity * shapes[i].record_bytes);
    }
    return at;
}

/* The largest report that may be mapped. */
static uint64_t most_bytes(void)
{
    uint64_t file = limits_of(RLIMIT_FSIZE), space = limits_of(RLIMIT_AS) / LIMITS_SHARE;
    return file < space ? file : space;
}

static int make_file(const char *directory, uint32_t number, char path[GUEST_PATH_BYTES])
{
    for (uint32_t i = number; i < number + 65536; i++) {
        struct text text;
        text_init(&text, path, GUEST_PATH_BYTES);
        text_add(&text, directory);
        text_add(&text, "/");
        text_add_number(&text, (uint64_t)getpid());
        text_add(&text, "-");
        text_add_number(&text, i);
        text_add(&text, GUEST_REPORT_SUFFIX);
        if (text.cut)
            break;
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    errno = ENAMETOOLONG;
    return -1;
}

static int allocate_again(int fd, uint64_t from, uint64_t bytes)
{
    int failure;
    do
        failure = posix_fallocate(fd, (off_t)from, (off_t)bytes);
    while (failure == EINTR);
    return failure;
}

/* Makes sure that there is memory behind a part of the file: a full disk must not be found out by a
 * signal.  The file is not kept open, as the program would see its descriptor, or close it; kernels
 * before 5.14 need it for a moment.  0 or an errno. */
static int allocate(const struct report *report, uint64_t from, uint64_t bytes)
{
    uint64_t start = from & ~(uint64_t)(PAGE - 1);
    if (madvise((char *)report->header + start, from + bytes - start, POPULATE_WRITE) == 0)
        return 0;
    if (errno != EINVAL)
        return errno;
    int fd = open(report->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno;
    int failure = allocate_again(fd, from, bytes);
    close(fd);
    return failure;
}

/* Memory for `records` of a section, in whole pieces. */
static bool make_ready(struct report *report, int section, uint32_t records)
{
    struct guest_section *it = &report->header->sections[section];
    uint32_t piece = shapes[section].piece;
    uint64_t ready = ((uint64_t)records + piece - 1) / piece * piece;
    if (ready < 2 * (uint64_t)it->ready)
        ready = 2 * (uint64_t)it->ready;
    if (ready > it->capacity)
        ready = it->capacity;
    if (records > ready)
        return false;
    int saved_errno = errno;
    int failure = allocate(report, it->offset + (uint64_t)it->ready * it->record_bytes,
                           (ready - it->ready) * it->record_bytes);
    errno = saved_errno;
    if (failure)
        return false;
    it->ready = (uint32_t)ready;
    return true;
}

/* The number of the first of `count` new records; 0 when there is no room. */
static uint32_t add_records(struct report *report, int section, uint32_t count)
{
    struct guest_section *it = &report->header->sections[section];
    uint32_t first = it->used;
    if (it->ready - first < count && !make_ready(report, section, first + count))
        return 0;
    it->used = first + count;
    return first;
}

static int map_file(struct report *report, int fd)
{
    struct guest_section sections[GUEST_SECTIONS];
    uint64_t limit = most_bytes();
    for (unsigned shift = 0; shift <= SMALLEST_SHIFT; shift++) {
        uint64_t size = lay_out(sections, shift);
        if (size > limit || ftruncate(fd, (off_t)size) != 0) {
            errno = EFBIG;
            continue;
        }
        if (allocate_again(fd, 0, sections[0].offset) != 0) {
            errno = ENOSPC;
            return errno;
        }
        void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        if (mapped == MAP_FAILED)
            continue;
        report->header = mapped;
        report->size_bytes = size;
        report->header->header_bytes = sizeof *report->header;
        memcpy(report->header->sections, sections, sizeof sections);
        char *base = mapped;
        report->strings = base + sections[GUEST_STRINGS].offset;
        report->locations = (void *)(base + sections[GUEST_LOCATIONS].offset);
        report->types = (void *)(base + sections[GUEST_TYPES].offset);
        report->nodes = (void *)(base + sections[GUEST_NODES].offset);
        report->rows = (void *)(base + sections[GUEST_ROWS].offset);
        return 0;
    }
    return errno;
}

/* ---- Tables -------------------------------------------------------------------------- */

static bool index_init(struct record_index *index, uint32_t slots)
{
    index->slots = pages_map(slots * sizeof *index->slots);
    index->mask = slots - 1;
    index->used = 0;
    return index->slots != NULL;
}

static void index_release(struct record_index *index)
{
    pages_unmap(index->slots, ((size_t)index->mask + 1) * sizeof *index->slots);
    *index = (struct record_index){0};
}

static void index_put(struct record_index *index, uint32_t hash, uint32_t record)
{
    while (index->slots[hash & index->mask])
        hash++;
    index->slots[hash & index->mask] = record;
    index->used++;
}

static uint32_t string_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t location_hash(const struct guest_location *location)
{
    return pair_hash(pair_hash(location->file, location->function), location->line);
}

static uint32_t record_hash(const struct report *report, int section, uint32_t record)
{
    switch (section) {
    case GUEST_STRINGS:
        return string_hash(report->strings + record);
    case GUEST_LOCATIONS:
        return location_hash(&report->locations[record]);
    case GUEST_TYPES:
        return pair_hash(0, report->types[record]);
    case GUEST_NODES:
        return pair_hash(report->nodes[record].parent, report->nodes[record].location);
    default:
        return pair_hash(report->rows[record].site, report->rows[record].type);
    }
}

/* Enters a record that is not in the table.  Without memory for a larger table it fills up to
 * seven eighths; after that the record is not found again, and there will be no more of its kind.
 */
static bool index_add(struct report *report, struct record_index *index, int section,
                      uint32_t record)
{
    uint32_t slots = index->mask + 1;
    if (index->used >= slots / 2) {
        struct record_index larger;
        if (slots <= UINT32_MAX / 4 && index_init(&larger, 2 * slots)) {
            for (uint32_t i = 0; i < slots; i++)
                if (index->slots[i])
                    index_put(&larger, record_hash(report, section, index->slots[i]),
                              index->slots[i]);
            index_release(index);
            *index = larger;
        } else if (index->used >= slots - slots / 8) {
            return false;
        }
    }
    index_put(index, record_hash(report, section, record), record);
    return true;
}

static bool indexes_init(struct report *report)
{
    return index_init(&report->by_string, FIRST_SLOTS) &&
           index_init(&report->by_location, FIRST_SLOTS) &&
           index_init(&report->by_type, FIRST_SLOTS) && index_init(&report->by_node, FIRST_SLOTS) &&
           index_init(&report->by_row, FIRST_SLOTS);
}

static void indexes_release(struct report *report)
{
    index_release(&report->by_string);
    index_release(&report->by_location);
    index_release(&report->by_type);
    index_release(&report->by_node);
    index_release(&report->by_row);
}

/* ---- Life ---------------------------------------------------------------------------- */

int report_create(struct report *report, const char *directory, uint32_t number)
{
    *report = (struct report){0};
    int fd = make_file(directory, number, report->path);
    if (fd < 0)
        return errno;
    int failure = map_file(report, fd);
    close(fd);
    if (!failure && !indexes_init(report))
        failure = ENOMEM;
    for (int i = 0; i < GUEST_SECTIONS && !failure; i++)
        if (!make_ready(report, i, 1))
            failure = ENOSPC;
        else
            report->header->sections[i].used = 1;
    if (failure)
        report_close(report);
    return failure;
}

void report_close(struct report *report)
{
    if (report->header)
        munmap(report->header, report->size_bytes);
    indexes_release(report);
    *report = (struct report){0};
}

/* Copies the records of a section of names. */
static bool copy_section(struct report *to, const struct report *from, int section)
{
    const struct guest_section *old = &from->header->sections[section];
    struct guest_section *new = &to->header->sections[section];
    if (old->used > new->capacity || !make_ready(to, section, old->used))
        return false;
    memcpy((char *)to->header + new->offset, (const char *)from->header + old->offset,
           (size_t)old->used * old->record_bytes);
    new->used = old->used;
    return true;
}

int report_divide(struct report *report, const char *directory, uint32_t number)
{
    struct report child;
    int failure = report_create(&child, directory, number);
    if (!failure) {
        static const int names[] = {GUEST_STRINGS, GUEST_LOCATIONS, GUEST_TYPES, GUEST_NODES};
        for (size_t i = 0; i < sizeof names / sizeof *names && !failure; i++)
            failure = copy_section(&child, report, names[i]) ? 0 : ENOSPC;
        /* The tables of names stay as they are; that of rows is the child's new one. */
        struct record_index *mine[] = {&child.by_string, &child.by_location, &child.by_type,
                                       &child.by_node};
        struct record_index *theirs[] = {&report->by_string, &report->by_location, &report->by_type,
                                         &report->by_node};
        for (size_t i = 0; i < sizeof mine / sizeof *mine && !failure; i++) {
            struct record_index swap = *mine[i];
            *mine[i] = *theirs[i];
            *theirs[i] = swap;
        }
        if (failure)
            report_close(&child);
    }
    report_close(report);
    if (!failure)
        *report = child;
    return failure;
}

/* ---- Names --------------------------------------------------------------------------- */

uint32_t report_string(struct report *report, const char *text)
{
    char cut[GUEST_STRING_MAX];
    size_t size = strnlen(text, GUEST_STRING_MAX);
    if (size == 0)
        return 0;
    if (size == GUEST_STRING_MAX) {
        memcpy(cut, text, --size);
        cut[size] = 0;
        text = cut;
    }
    const struct record_index *index = &report->by_string;
    for (uint32_t at = string_hash(text); index->slots[at & index->mask]; at++) {
        uint32_t found = index->slots[at & index->mask];
        if (strcmp(report->strings + found, text) == 0)
            return found;
    }
    uint32_t added = add_records(report, GUEST_STRINGS, (uint32_t)size + 1);
    if (!added)
        return 0;
    memcpy(report->strings + added, text, size + 1);
    return index_add(report, &report->by_string, GUEST_STRINGS, added) ? added : 0;
}

uint32_t report_location(struct report *report, const char *file, const char *function,
                         uint32_t line)
{
    struct guest_location wanted = {report_string(report, file ? file : ""),
                                    report_string(report, function ? function : ""), line};
    const struct record_index *index = &report->by_location;
    for (uint32_t at = location_hash(&wanted); index->slots[at & index->mask]; at++) {
        const struct guest_location *found = &report->locations[index->slots[at & index->mask]];
        if (found->file == wanted.file && found->function == wanted.function &&
            found->line == wanted.line)
            return index->slots[at & index->mask];
    }
    uint32_t added = add_records(report, GUEST_LOCATIONS, 1);
    if (!added)
        return 0;
    report->locations[added] = wanted;
    return index_add(report, &report->by_location, GUEST_LOCATIONS, added) ? added : 0;
}

uint32_t report_type(struct report *report, const char *name)
{
    uint32_t string = report_string(report, name);
    const struct record_index *index = &report->by_type;
    if (!string)
        return 0;
    for (uint32_t at = pair_hash(0, string); index->slots[at & index->mask]; at++)
        if (report->types[index->slots[at & index->mask]] == string)
            return index->slots[at & index->mask];
    uint32_t added = add_records(report, GUEST_TYPES, 1);
    if (!added)
        return 0;
    report->types[added] = string;
    return index_add(report, &report->by_type, GUEST_TYPES, added) ? added : 0;
}

uint32_t report_node_new(struct report *report, uint32_t parent, uint32_t location)
{
    uint32_t added = add_records(report, GUEST_NODES, 1);
    if (!added)
        return 0;
    report->nodes[added] = (struct guest_node){parent, location, report->nodes[parent].depth + 1};
    return index_add(report, &report->by_node, GUEST_NODES, added) ? added : 0;
}

uint32_t report_row_new(struct report *report, uint32_t site, uint32_t type)
{
    uint32_t added = add_records(report, GUEST_ROWS, 1);
    if (!added)
        return 0;
    report->rows[added].site = site;
    report->rows[added].type = type;
    return index_add(report, &report->by_row, GUEST_ROWS, added) ? added : 0;
}
