#include "tap/holders/maps.h"

#include <string.h>

#include "base/affix.h"
#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"

/* Of address space, which takes memory as it is used. */
enum { TEXT_MOST = 1 << 26, MAPPINGS_MOST = 1 << 17, LEFT_OUT_MOST = 1 << 18 };

/* ---- Reading ------------------------------------------------------------------------- */

static uint64_t take_number(const char **at, unsigned base)
{
    uint64_t number = 0;
    for (;; ++*at) {
        char c = **at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 16;
        if (digit >= base)
            return number;
        number = number * base + digit;
    }
}

/* Behind the next blanks. */
static void skip_field(const char **at)
{
    while (**at && **at != ' ' && **at != '\n')
        ++*at;
    while (**at == ' ')
        ++*at;
}

/* Reading of these might do something, or fail: what drivers map, and the kernel's pages. */
static bool is_device(const char *path)
{
    bool is_memory = begins_with(path, "/dev/zero") || begins_with(path, "/dev/shm/");
    return (begins_with(path, "/dev/") && !is_memory) || begins_with(path, "anon_inode:") ||
           begins_with(path, "/dmabuf:") || begins_with(path, "[v");
}

/* "start-end rwxp offset device inode   path" */
static struct mapping take_line(const char **at)
{
    struct mapping mapping = {.start = take_number(at, 16)};
    ++*at;
    mapping.end = take_number(at, 16);
    skip_field(at);
    bool is_private = (*at)[3] == 'p', is_readable = (*at)[0] == 'r', writes = (*at)[1] == 'w';
    skip_field(at);
    skip_field(at);
    skip_field(at);
    mapping.inode = take_number(at, 10);
    skip_field(at);
    mapping.is_heap = begins_with(*at, "[heap]");
    mapping.is_stack = begins_with(*at, "[stack");
    mapping.is_writable = is_private && is_readable && writes;
    mapping.is_shared = !is_private;
    mapping.is_root = is_readable && (writes || (is_private && !mapping.inode)) && !is_device(*at);
    mapping.is_file = mapping.inode && is_readable && !writes;
    while (**at && *(*at)++ != '\n')
        ;
    return mapping;
}

static bool read_text(struct maps *maps)
{
    int fd = kernel_open("/proc/self/maps", O_RDONLY, 0);
    if (fd < 0)
        return false;
    long got;
    while (maps->text_bytes < TEXT_MOST - 1 &&
           (got = kernel_read(fd, maps->text + maps->text_bytes,
                              TEXT_MOST - 1 - maps->text_bytes)) > 0)
        maps->text_bytes += (size_t)got;
    kernel_close(fd);
    return maps->text_bytes > 0;
}

bool maps_read(struct maps *maps)
{
    *maps = (struct maps){
        .text = pages_map(TEXT_MOST),
        .mappings = pages_map(MAPPINGS_MOST * sizeof *maps->mappings),
        .left_out = pages_map(LEFT_OUT_MOST * sizeof *maps->left_out),
        .left_out_capacity = LEFT_OUT_MOST,
    };
    if (!maps->text || !maps->mappings || !maps->left_out || !read_text(maps))
        return false;
    for (const char *at = maps->text; *at && maps->count < MAPPINGS_MOST;)
        maps->mappings[maps->count++] = take_line(&at);
    return true;
}

const struct mapping *maps_find(const struct maps *maps, uint64_t address)
{
    size_t low = 0, high = maps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (maps->mappings[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < maps->count && maps->mappings[low].start <= address ? &maps->mappings[low] : NULL;
}

void maps_split(struct maps *maps, uint64_t address)
{
    const struct mapping *found = maps_find(maps, address);
    if (!found || found->start == address || maps->count == MAPPINGS_MOST)
        return;
    struct mapping *first = &maps->mappings[found - maps->mappings];
    size_t behind = maps->count++ - (size_t)(first - maps->mappings);
    memmove(first + 1, first, behind * sizeof *first);
    first[0].end = first[1].start = address;
}

/* ---- What is left out ---------------------------------------------------------------- */

void maps_leave_out(struct maps *maps, uint64_t start, uint64_t end)
{
    if (end <= start || maps->left_out_count == maps->left_out_capacity)
        return;
    struct memory_range *last =
        maps->left_out_count ? &maps->left_out[maps->left_out_count - 1] : NULL;
    if (last && start >= last->start && start <= last->end) {
        last->end = end > last->end ? end : last->end;
        return;
    }
    maps->left_out[maps->left_out_count++] = (struct memory_range){start, end};
}

void maps_leave_out_library(struct maps *maps, uint64_t constant, uint64_t end)
{
    const struct mapping *own = maps_find(maps, constant);
    for (size_t i = 0; own && own->inode && i < maps->count; i++)
        if (maps->mappings[i].inode == own->inode && maps->mappings[i].is_writable)
            maps_leave_out(maps, maps->mappings[i].start, end);
}

static void sift(struct memory_range *ranges, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && ranges[child + 1].start > ranges[child].start)
            child++;
        if (ranges[root].start >= ranges[child].start)
            return;
        struct memory_range swapped = ranges[root];
        ranges[root] = ranges[child];
        ranges[child] = swapped;
    }
}

/* By heaps: qsort may allocate. */
void maps_sort(struct maps *maps)
{
    struct memory_range *ranges = maps->left_out;
    for (size_t root = maps->left_out_count / 2; root-- > 0;)
        sift(ranges, root, maps->left_out_count);
    for (size_t count = maps->left_out_count; count-- > 1;) {
        struct memory_range first = ranges[0];
        ranges[0] = ranges[count];
        ranges[count] = first;
        sift(ranges, 0, count);
    }
}

bool maps_next_part(const struct maps *maps, size_t *at, uint64_t *start, uint64_t end,
                    uint64_t *part_end)
{
    for (; *at < maps->left_out_count && maps->left_out[*at].start <= *start; ++*at) {
        if (maps->left_out[*at].end > *start)
            *start = maps->left_out[*at].end;
        if (*start >= end)
            return false; /* and it may go on in the next mapping */
    }
    if (*start >= end)
        return false;
    bool is_cut = *at < maps->left_out_count && maps->left_out[*at].start < end;
    *part_end = is_cut ? maps->left_out[*at].start : end;
    return true;
}
