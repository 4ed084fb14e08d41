/* A view of a file that begins short and becomes longer where it stands: what limits see is no more than what is used.
 * It is mapped in a place with nothing else near, which neither the kernel nor other runtimes choose by themselves.
 * Where there is no such place, or no mapping of a file becomes longer (valgrind), the whole is mapped at once. */
#ifndef TAP_INSIDE_FILE_VIEW_H
#define TAP_INSIDE_FILE_VIEW_H

#include <stdint.h>

/* Places `stride_bytes` apart: the longest that a view there may become. */
struct file_view_area {
    uint64_t first_place, stride_bytes;
    uint32_t places;
};

/* Of what is written as memory, and of the sections of memtracer's reports.  ARM's processes may have no
 * more than 39 bits of addresses, and emulators of them keep a record for each page. */
extern const struct file_view_area file_view_area_of_files, file_view_area_of_sections;

/* All zeros: none. */
struct file_view {
    uint8_t *base;
    uint64_t bytes;      /* mapped now */
    uint64_t most_bytes; /* that it may become */
};

/* How long may a view become, of `bytes` at most, that is mapped as a whole?  At least `least`. */
uint64_t file_view_share(uint64_t bytes, uint64_t least);

/* Maps `fd`, or where that is -1 memory of no file, from `offset` on: `first` bytes, more than a page, which may become `most`, in the first of the places from number `from` on
 * that is free.  Or else as much of `most` as is to be had, and at least `first`.  0 or an errno. */
int file_view_map(struct file_view *view, const struct file_view_area *area, uint32_t from, int fd,
                  uint64_t offset, uint64_t first, uint64_t most);

/* So that it has `bytes`.  0 or an errno. */
int file_view_widen(struct file_view *view, uint64_t bytes);

void file_view_unmap(struct file_view *view);

#endif
