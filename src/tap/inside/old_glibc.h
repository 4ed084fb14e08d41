/* Included before each file of what is preloaded into programs: calls of functions that newer versions of glibc have under
 * new versions of their names (2.32 to 2.34, as libdl and libpthread became part of libc) go by the old ones, which
 * both have.  So what is built on a new system also loads on systems as old as glibc 2.17.  Until 2.33 these functions were
 * in libdl.so.2 and libpthread.so.0, which newer systems still have, empty; old_glibc_link_args ask for both.
 * tests/helpers/check-glibc holds the outcome. */
#ifndef TAP_INSIDE_OLD_GLIBC_H
#define TAP_INSIDE_OLD_GLIBC_H

#include <sys/stat.h>

#if defined(__GLIBC__)
#if defined(__x86_64__)
#define OLD_GLIBC "GLIBC_2.2.5"
#define OLD_GLIBC_NEXT "GLIBC_2.3.3"
#elif defined(__aarch64__)
#define OLD_GLIBC "GLIBC_2.17"
#define OLD_GLIBC_NEXT "GLIBC_2.17"
#endif
#endif

#if defined(OLD_GLIBC)
/* Once for all files where they are compiled as one. */
/* clang-format off */
__asm__(".ifndef heaptap_old_glibc\n"
        ".set heaptap_old_glibc, 1\n"
        ".symver dladdr, dladdr@" OLD_GLIBC "\n"
        ".symver dladdr1, dladdr1@" OLD_GLIBC_NEXT "\n"
        ".symver dlsym, dlsym@" OLD_GLIBC "\n"
        ".symver fcntl64, fcntl@" OLD_GLIBC "\n"
        ".symver pthread_getspecific, pthread_getspecific@" OLD_GLIBC "\n"
        ".symver pthread_key_create, pthread_key_create@" OLD_GLIBC "\n"
        ".symver pthread_setspecific, pthread_setspecific@" OLD_GLIBC "\n"
        ".symver pthread_sigmask, pthread_sigmask@" OLD_GLIBC "\n"
        ".symver __pthread_register_cancel, __pthread_register_cancel@" OLD_GLIBC_NEXT "\n"
        ".symver __pthread_unregister_cancel, __pthread_unregister_cancel@" OLD_GLIBC_NEXT "\n"
        ".symver __pthread_unwind_next, __pthread_unwind_next@" OLD_GLIBC_NEXT "\n"
        ".symver __fxstat64, __fxstat64@" OLD_GLIBC "\n"
        ".symver __lxstat64, __lxstat64@" OLD_GLIBC "\n"
        ".symver __xstat64, __xstat64@" OLD_GLIBC "\n"
        ".endif\n");
/* clang-format on */

#if __GLIBC_PREREQ(2, 33)
/* What the functions below were before they had symbols of their own. */
int __fxstat64(int version, int fd, struct stat64 *status);
int __lxstat64(int version, const char *path, struct stat64 *status);
int __xstat64(int version, const char *path, struct stat64 *status);

#if defined(__x86_64__)
enum { OLD_GLIBC_STAT = 1 };
#else
enum { OLD_GLIBC_STAT = 0 };
#endif

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "they are the same");
#define fstat(fd, status) __fxstat64(OLD_GLIBC_STAT, fd, (struct stat64 *)(status))
#define lstat(path, status) __lxstat64(OLD_GLIBC_STAT, path, (struct stat64 *)(status))
#define stat(path, status) __xstat64(OLD_GLIBC_STAT, path, (struct stat64 *)(status))
#endif
#endif

#endif
