#include "tap/inside/file_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#include "tap/inside/kernel.h"
#include "tap/inside/own_pages.h"
#include "tap/inside/program_limits.h"

#ifdef __aarch64__
#define FIRST_PLACE (UINT64_C(1) << 36)
#define FILE_BYTES (UINT64_C(1) << 34)
#else
#define FIRST_PLACE (UINT64_C(3) << 45)
#define FILE_BYTES (UINT64_C(1) << 38)
#endif
enum { PAGE_BYTES = 4096, FILES = 8, SECTIONS = 256, SECTION_BYTES = 1 << 28 };

const struct file_view_area file_view_area_of_files = {FIRST_PLACE, FILE_BYTES, FILES};
const struct file_view_area file_view_area_of_sections = {FIRST_PLACE + FILES * FILE_BYTES,
                                                          SECTION_BYTES, SECTIONS};

uint64_t file_view_share(uint64_t bytes, uint64_t least)
{
    uint64_t limit = limits_of(RLIMIT_AS);
    while (bytes > limit / LIMITS_SHARE && bytes > least)
        bytes /= 2;
    return bytes > least ? bytes : least;
}

static long map_at(uint64_t place, uint64_t bytes, int fd, uint64_t offset)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    return kernel_call(SYS_mmap, (long)place, (long)bytes, PROT_READ | PROT_WRITE,
                       flags | MAP_NORESERVE, fd, (long)offset);
}

/* In place: the program's threads write into it meanwhile. */
static int resize_mapping(long mapped, uint64_t from, uint64_t to)
{
    return kernel_errno(kernel_call(SYS_mremap, mapped, (long)from, (long)to, 0, 0, 0));
}

/* 0, and nothing is mapped, where no place is free, or what lies between us and the kernel, such as valgrind, lengthens
 * no mapping of a file. */
static long map_growing(const struct file_view_area *area, uint32_t from, int fd, uint64_t offset,
                        uint64_t bytes)
{
    for (uint32_t i = 0; i < area->places; i++) {
        uint64_t place = area->first_place + (from + i) % area->places * area->stride_bytes;
        long mapped = map_at(place, PAGE_BYTES, fd, offset);
        if (kernel_failed(mapped))
            return mapped;
        bool there = (uint64_t)mapped == place;
        if (there && resize_mapping(mapped, PAGE_BYTES, bytes) == 0)
            return mapped;
        kernel_call(SYS_munmap, mapped, PAGE_BYTES, 0, 0, 0, 0);
        if (there)
            break;
    }
    return 0;
}

/* As much of `*bytes` at once as there is room for, and at least `least`, wherever that is. */
static long map_whole(uint64_t *bytes, uint64_t least, int fd, uint64_t offset)
{
    long mapped = map_at(0, *bytes, fd, offset);
    while (kernel_errno(mapped) == ENOMEM && *bytes / 2 >= least) {
        *bytes /= 2;
        mapped = map_at(0, *bytes, fd, offset);
    }
    return mapped;
}

int file_view_map(struct file_view *view, const struct file_view_area *area, uint32_t from, int fd,
                  uint64_t offset, uint64_t first, uint64_t most)
{
    uint64_t bytes = first;
    long mapped = map_growing(area, from, fd, offset, first);
    if (mapped == 0) {
        bytes = file_view_share(most, first);
        mapped = map_whole(&bytes, first, fd, offset);
        most = bytes;
    }
    if (kernel_failed(mapped))
        return kernel_errno(mapped);
    *view = (struct file_view){(uint8_t *)mapped, bytes, most};
    own_pages_add(view->base, most);
    return 0;
}

int file_view_widen(struct file_view *view, uint64_t bytes)
{
    if (bytes <= view->bytes)
        return 0;
    int code = kernel_errno(
        kernel_call(SYS_mremap, (long)view->base, (long)view->bytes, (long)bytes, 0, 0, 0));
    if (code == 0)
        view->bytes = bytes;
    return code;
}

void file_view_unmap(struct file_view *view)
{
    if (view->base) {
        kernel_call(SYS_munmap, (long)view->base, (long)view->bytes, 0, 0, 0, 0);
        own_pages_remove(view->base);
    }
    *view = (struct file_view){0};
}
