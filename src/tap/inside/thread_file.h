/* What the kernel says of a thread of this process. */
#ifndef TAP_INSIDE_THREAD_FILE_H
#define TAP_INSIDE_THREAD_FILE_H

#include "tap/inside/kernel.h"
#include "tap/inside/text.h"

/* What a file of a thread has, "/comm" or the like, in `size` bytes, ended by a 0; without a newline at its end.  "" for none. */
static inline void thread_file_read(uint64_t thread_id, const char *file, char *to, size_t size)
{
    char path[64];
    struct text text;
    text_init(&text, path, sizeof path);
    text_add(&text, "/proc/self/task/");
    text_add_number(&text, thread_id);
    text_add(&text, file);
    int fd = kernel_open(path, O_RDONLY, 0);
    long got = fd >= 0 ? kernel_read(fd, to, size - 1) : 0;
    if (fd >= 0)
        kernel_close(fd);
    to[got > 0 ? got - (to[got - 1] == '\n') : 0] = 0;
}

#endif
