/* The recorder and the life of its process: threads, forks, programs started, ends. */
#ifndef RECORD_PROCESS_H
#define RECORD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether calls of malloc reach us. */
bool process_is_first(void);

/* Where they don't: lets what reaches our hooks all the same (functions of the family that the
 * program's own allocator lacks) go to that allocator. */
void process_stand_aside(void);

/* Path of the library that has the malloc which is really used; "" where unknown. */
const char *process_allocator(void);

/* Whether that is glibc itself. */
bool process_allocator_is_libc(void);

/* The absolute path of this library; false where it can't be told. */
bool process_own_path(char *path, size_t size);

/* Begins to watch forks, ends of threads and of the process. */
void process_watch(void);

/* A thread is seen for the first time: its end is to be noticed. */
void process_thread_met(void);

#endif
