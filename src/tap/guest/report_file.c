/* Each section begins where its predecessor would end at its longest; the file has holes there.  What is mapped of it
 * grows with it, and nothing ever moves: other threads may be reading.  A page of a file system that is full kills
 * whoever touches it, so that every piece is asked for beforehand. */
#include "tap/guest/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap/inside/program_limits.h"
#include "tap/inside/text.h"

enum {
    PAGE = 65536, /* the largest that kernels have */
    HEADER_BYTES = (sizeof(struct guest_report_header) + PAGE - 1) / PAGE * PAGE,
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

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static uint64_t bytes_of(int section, uint32_t records)
{
    return (uint64_t)records * shapes[section].record_bytes;
}

/* ---- Making it ------------------------------------------------------------------------ */

/* Lays the sections out, each with a 2^shift-th of its capacity; returns the size of the file. */
static uint64_t lay_out(struct guest_section *sections, unsigned shift)
{
    uint64_t at = HEADER_BYTES;
    for (int i = 0; i < GUEST_SECTIONS; i++) {
        uint32_t capacity = shapes[i].capacity >> shift;
        if (capacity < shapes[i].piece)
            capacity = shapes[i].piece;
        sections[i] = (struct guest_section){
            .offset = at, .capacity = capacity, .record_bytes = shapes[i].record_bytes};
        at += whole_pages(bytes_of(i, capacity));
    }
    return at;
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

/* As long as the program's limit on files allows. */
static int make_long(int fd, struct guest_section *sections)
{
    uint64_t limit = limits_of(RLIMIT_FSIZE);
    for (unsigned shift = 0; shift <= SMALLEST_SHIFT; shift++) {
        uint64_t size = lay_out(sections, shift);
        if (size <= limit && ftruncate(fd, (off_t)size) == 0)
            return 0;
    }
    return EFBIG;
}

static int allocate_again(int fd, uint64_t from, uint64_t bytes)
{
    int failure;
    do
        failure = posix_fallocate(fd, (off_t)from, (off_t)bytes);
    while (failure == EINTR);
    return failure;
}

static int map_header(struct report *report, int fd)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    if (fd >= 0 && allocate_again(fd, 0, sizeof *report->header) != 0)
        return ENOSPC;
    void *mapped = mmap(NULL, HEADER_BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (mapped == MAP_FAILED)
        return errno;
    report->header = mapped;
    report->header->header_bytes = sizeof *report->header;
    return 0;
}

/* Of a section that can't become longer where it stands, a part may be all that there is. */
static int map_section(struct report *report, int fd, int section, uint32_t number)
{
    struct guest_section *it = &report->header->sections[section];
    struct file_view *view = &report->views[section];
    uint64_t most = bytes_of(section, it->capacity);
    int failure =
        file_view_map(view, &file_view_area_of_sections, number * GUEST_SECTIONS + section, fd,
                      it->offset, bytes_of(section, shapes[section].piece), most);
    if (!failure && view->most_bytes < most)
        it->capacity = (uint32_t)(view->most_bytes / it->record_bytes);
    return failure;
}

static int map_sections(struct report *report, int fd, uint32_t number)
{
    int failure = 0;
    for (int i = 0; i < GUEST_SECTIONS && !failure; i++)
        failure = map_section(report, fd, i, number);
    report->strings = (void *)report->views[GUEST_STRINGS].base;
    report->locations = (void *)report->views[GUEST_LOCATIONS].base;
    report->types = (void *)report->views[GUEST_TYPES].base;
    report->nodes = (void *)report->views[GUEST_NODES].base;
    report->rows = (void *)report->views[GUEST_ROWS].base;
    return failure;
}

int report_file_create(struct report *report, const char *directory, uint32_t number)
{
    struct guest_section sections[GUEST_SECTIONS];
    bool is_file = *directory;
    int fd = is_file ? make_file(directory, number, report->path) : -1;
    if (is_file && fd < 0)
        return errno;
    int failure = is_file ? make_long(fd, sections) : 0;
    if (!is_file)
        lay_out(sections, 0);
    if (!failure)
        failure = map_header(report, fd);
    if (!failure) {
        memcpy(report->header->sections, sections, sizeof sections);
        failure = map_sections(report, fd, number);
    }
    if (is_file)
        close(fd);
    for (int i = 0; i < GUEST_SECTIONS && !failure; i++) {
        report_file_add(report, i, 1);
        failure = report->header->sections[i].used ? 0 : ENOSPC;
    }
    return failure;
}

void report_file_close(struct report *report)
{
    for (int i = 0; i < GUEST_SECTIONS; i++)
        file_view_unmap(&report->views[i]);
    if (report->header)
        munmap(report->header, HEADER_BYTES);
    report->header = NULL;
}

/* ---- Records -------------------------------------------------------------------------- */

static uint64_t mapped_bytes(const struct report *report)
{
    uint64_t bytes = 0;
    for (int i = 0; i < GUEST_SECTIONS; i++)
        bytes += report->views[i].bytes;
    return bytes;
}

/* The program may have limited itself since the report was made. */
static bool widen(struct report *report, int section, uint64_t bytes)
{
    struct file_view *view = &report->views[section];
    if (bytes <= view->bytes)
        return true;
    return mapped_bytes(report) - view->bytes + bytes <= limits_of(RLIMIT_AS) / LIMITS_SHARE &&
           file_view_widen(view, bytes) == 0;
}

/* Makes sure that there is memory behind a part of a section: a full disk must not be found out by a
 * signal.  The file is not kept open, as the program would see its descriptor, or close it; kernels
 * before 5.14 need it for a moment. */
static bool allocate(const struct report *report, int section, uint64_t from, uint64_t to)
{
    uint64_t start = from / PAGE * PAGE;
    if (!report->path[0])
        return true;
    if (madvise(report->views[section].base + start, to - start, POPULATE_WRITE) == 0)
        return true;
    if (errno != EINVAL)
        return false;
    int fd = open(report->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    int failure = allocate_again(fd, report->header->sections[section].offset + from, to - from);
    close(fd);
    return failure == 0;
}

static bool try_ready(struct report *report, int section, uint64_t records)
{
    struct guest_section *it = &report->header->sections[section];
    if (records > it->capacity)
        records = it->capacity;
    uint64_t bytes = bytes_of(section, (uint32_t)records);
    if (!widen(report, section, bytes) ||
        !allocate(report, section, bytes_of(section, it->ready), bytes))
        return false;
    it->ready = (uint32_t)records;
    return true;
}

/* Memory for `records` of a section, in whole pieces: for twice as many as before, if that is to be had. */
static bool make_ready(struct report *report, int section, uint32_t records)
{
    const struct guest_section *it = &report->header->sections[section];
    uint64_t piece = shapes[section].piece, twice = 2 * (uint64_t)it->ready,
             least = (records + piece - 1) / piece * piece;
    if (records > it->capacity)
        return false;
    int saved_errno = errno;
    bool ready =
        (twice > least && try_ready(report, section, twice)) || try_ready(report, section, least);
    errno = saved_errno;
    return ready;
}

uint32_t report_file_add(struct report *report, int section, uint32_t count)
{
    struct guest_section *it = &report->header->sections[section];
    uint32_t first = it->used;
    if (it->ready - first < count && !make_ready(report, section, first + count)) {
        report->header->flags |= GUEST_IS_FULL;
        return 0;
    }
    it->used = first + count;
    return first;
}

bool report_file_copy(struct report *to, const struct report *from, int section)
{
    const struct guest_section *old = &from->header->sections[section];
    struct guest_section *new = &to->header->sections[section];
    if (old->used > new->used && !report_file_add(to, section, old->used - new->used))
        return false;
    memcpy(to->views[section].base, from->views[section].base,
           (size_t)old->used * old->record_bytes);
    return true;
}
