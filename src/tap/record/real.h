/* The functions that the recorder stands in front of: the next ones in the order of symbol lookup.
 *
 * They can be called at any time.  Before they are found, which happens at the first call, each
 * pointer leads to a function that finds them all; what dlsym itself allocates meanwhile comes from
 * a small arena of ours, whose blocks are never given to the real functions (real_is_arena).  Who
 * ends the process from within dlsym does so by the kernel alone. */
#ifndef TAP_RECORD_REAL_H
#define TAP_RECORD_REAL_H

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct real {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *block, size_t size);
    int (*posix_memalign)(void **block, size_t alignment, size_t size);
    void *(*aligned_alloc)(size_t alignment, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
    void *(*valloc)(size_t size);
    void *(*pvalloc)(size_t size);
    void (*free)(void *block);
    size_t (*malloc_usable_size)(void *block);

    int (*dlclose)(void *handle);
    void (*exit)(int status); /* not said to be without return, so that it can be jumped to */
    void (*exit_now)(int status) __attribute__((noreturn)); /* _exit */
    void (*abort)(void) __attribute__((noreturn));
    void (*assert_fail)(const char *assertion, const char *file, unsigned line,
                        const char *function) __attribute__((noreturn));
    int (*execve)(const char *path, char *const *arguments, char *const *environment);
    int (*execvpe)(const char *file, char *const *arguments, char *const *environment);
    int (*fexecve)(int fd, char *const *arguments, char *const *environment);
    int (*execveat)(int directory, const char *path, char *const *arguments,
                    char *const *environment, int flags);
    int (*system)(const char *command);
    FILE *(*popen)(const char *command, const char *mode);
    int (*sigaction)(int number, const struct sigaction *action, struct sigaction *before);
    void (*(*signal)(int number, void (*action)(int)))(int);
    void (*(*sysv_signal)(int number, void (*action)(int)))(int);
    int (*setrlimit)(int resource, const void *limits);
    int (*prlimit)(pid_t pid, int resource, const void *limits, void *before);
    int (*mlockall)(int flags);
    int (*prctl)(int option, long a, long b, long c, long d);
    long (*syscall)(long number, long a, long b, long c, long d, long e, long f);
    int (*posix_spawn)(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const *arguments,
                       char *const *environment);
    int (*posix_spawnp)(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const *arguments,
                        char *const *environment);
};

extern struct real real;

/* Finds them all; harmless to repeat. */
void real_find(void);

/* For a program whose own malloc comes before ours: of malloc's family, the functions that `own`
 * knows take the place of those that were found, so that the hooks which are reached all the same
 * lead to one allocator. */
void real_prefer(void *(*own)(const char *name));

/* The next function of this name; NULL where there is none.  The pointer is to be cast. */
void *real_next(const char *name);

/* Whether `block` is from the arena, and how many bytes it then has. */
bool real_is_arena(const void *block);
size_t real_arena_size(const void *block);

/* Is told of each block of the arena, so that the end of none is missed. */
void real_arena_given(uint64_t address);

/* Tells it of all blocks once more. */
void real_arena_tell(void);

#endif
