/* Who has the program's malloc: this library's hooks and an allocator behind them, or another library before both. */
#ifndef TAP_RECORD_ALLOCATOR_H
#define TAP_RECORD_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

/* Whether calls of malloc reach us. */
bool allocator_is_hooked(void);

/* Where they don't: lets what reaches our hooks all the same (functions of the family that the
 * program's own allocator lacks) go to that allocator. */
void allocator_stand_aside(void);

/* Path of the library that has the malloc which is really used; "" where unknown. */
const char *allocator_path(void);

/* Whether it is glibc itself. */
bool allocator_is_libc(void);

/* The absolute path of this library; false where it can't be told. */
bool allocator_own_path(char *path, size_t size);

#endif
