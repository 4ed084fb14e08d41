#include "tap/holders/thread_list.h"

#include <dirent.h>
#include <string.h>

#include "tap/inside/kernel.h"
#include "tap/inside/thread_file.h"

enum { LISTING_BYTES = 1 << 15, LINE_BYTES = 256 };

/* As the kernel writes it. */
struct folder_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

static uint64_t hexadecimal(const char *at)
{
    uint64_t number = 0;
    for (;; at++) {
        char c = *at;
        if (c >= '0' && c <= '9')
            number = number << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number << 4 | (uint64_t)(c - 'a' + 10);
        else
            return number;
    }
}

/* Of a line that ends with the stack pointer and the place in code; zeros where the thread runs. */
static struct unwind_start start_in(const char *line)
{
    const char *before = NULL, *last = NULL;
    for (const char *at = line; (at = strstr(at, "0x")); at += 2) {
        before = last;
        last = at + 2;
    }
    return before ? (struct unwind_start){.sp = hexadecimal(before), .pc = hexadecimal(last)}
                  : (struct unwind_start){0};
}

static struct snapshot_thread look_at(uint64_t id, uint64_t own_id,
                                      const struct snapshot_place *own)
{
    char line[LINE_BYTES];
    struct snapshot_thread thread = {.id = id};
    thread_file_read(id, "/comm", line, sizeof line);
    line[strcspn(line, "\n")] = 0;
    strncpy(thread.name, line, sizeof thread.name - 1);
    if (id == own_id) {
        thread.stack = own->stack;
        thread.start = own->start;
        thread.pointer = (uint64_t)__builtin_thread_pointer();
        return thread;
    }
    thread_file_read(id, "/syscall", line, sizeof line);
    thread.start = start_in(line);
    thread.stack = thread.start.sp;
    return thread;
}

size_t threads_find(struct snapshot_thread *threads, const struct snapshot_place *own)
{
    char listing[LISTING_BYTES] __attribute__((aligned(8)));
    uint64_t own_id = (uint64_t)kernel_thread_id();
    size_t count = 0;
    long got;
    int fd = kernel_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
    while (fd >= 0 &&
           (got = kernel_call(SYS_getdents64, fd, (long)listing, sizeof listing, 0, 0, 0)) > 0)
        for (long at = 0; at < got && count < THREADS_MOST;) {
            const struct folder_entry *entry = (const struct folder_entry *)(listing + at);
            uint64_t id = 0;
            for (const char *c = entry->name; *c >= '0' && *c <= '9'; c++)
                id = id * 10 + (uint64_t)(*c - '0');
            if (id)
                threads[count++] = look_at(id, own_id, own);
            at += entry->size;
        }
    if (fd >= 0)
        kernel_close(fd);
    if (count == 0)
        threads[count++] = look_at(own_id, own_id, own);
    return count;
}
