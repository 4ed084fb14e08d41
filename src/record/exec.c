/* Programs started by this one.
 *
 * What replaces this process takes the memory away in which events have gathered, so they are
 * written before.  And where children are followed, a caller that gives an environment of its own
 * making, as sandboxes and build systems do, gets the two variables added without which the child
 * would not be recorded.  The arrays for that are on the stack: this may run in the child of a
 * vfork, which has no memory of its own.
 *
 * Those of the exec family that take their arguments one by one, or the environment from the
 * process, are built on the others here, because inside libc they don't call what we hook. */
#include "record/hook.h"

#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "record/environment.h"
#include "record/real.h"
#include "record/recorder.h"

extern char **environ;

static size_t entries(char *const *environment)
{
    size_t count = 0;
    while (environment && environment[count])
        count++;
    return count;
}

/* The environment for a child, in this function's caller's frame if it must differ. */
#define CHILD_ENVIRONMENT(environment)                                                             \
    __extension__({                                                                                \
        char *const *given = (environment);                                                        \
        size_t missing = environment_missing(given);                                               \
        if (missing) {                                                                             \
            char **extended = alloca((entries(given) + missing + 1) * sizeof *extended);           \
            environment_with(extended, given);                                                     \
            given = extended;                                                                      \
        }                                                                                          \
        given;                                                                                     \
    })

/* ---- Replacing this process --------------------------------------------------------- */

HOOK int execve(const char *path, char *const *arguments, char *const *environment)
{
    recorder_flush();
    return real.execve(path, arguments, CHILD_ENVIRONMENT(environment));
}

HOOK int execv(const char *path, char *const *arguments)
{
    return execve(path, arguments, environ);
}

HOOK int execvpe(const char *file, char *const *arguments, char *const *environment)
{
    recorder_flush();
    return real.execvpe(file, arguments, CHILD_ENVIRONMENT(environment));
}

HOOK int execvp(const char *file, char *const *arguments)
{
    return execvpe(file, arguments, environ);
}

HOOK int fexecve(int fd, char *const *arguments, char *const *environment)
{
    recorder_flush();
    return real.fexecve(fd, arguments, CHILD_ENVIRONMENT(environment));
}

HOOK int execveat(int directory, const char *path, char *const *arguments, char *const *environment,
                  int flags)
{
    recorder_flush();
    return real.execveat(directory, path, arguments, CHILD_ENVIRONMENT(environment), flags);
}

/* The arguments of a call of the form (first, ..., NULL), in an array on this frame.  `list` stands
 * behind the NULL afterwards. */
#define GATHER(first, list, array)                                                                 \
    do {                                                                                           \
        size_t count = 1;                                                                          \
        va_start(list, first);                                                                     \
        while (va_arg(list, char *))                                                               \
            count++;                                                                               \
        va_end(list);                                                                              \
        array = alloca((count + 1) * sizeof *array);                                               \
        array[0] = (char *)(uintptr_t)first;                                                       \
        va_start(list, first);                                                                     \
        for (size_t i = 1; i <= count; i++)                                                        \
            array[i] = va_arg(list, char *);                                                       \
    } while (0)

HOOK int execl(const char *path, const char *argument, ...)
{
    char **arguments;
    va_list list;
    GATHER(argument, list, arguments);
    va_end(list);
    return execve(path, arguments, environ);
}

HOOK int execlp(const char *file, const char *argument, ...)
{
    char **arguments;
    va_list list;
    GATHER(argument, list, arguments);
    va_end(list);
    return execvpe(file, arguments, environ);
}

HOOK int execle(const char *path, const char *argument, ...)
{
    char **arguments;
    va_list list;
    GATHER(argument, list, arguments);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, arguments, environment);
}

/* ---- Beside this process ------------------------------------------------------------ */

HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attributes, char *const *arguments,
                     char *const *environment)
{
    return real.posix_spawn(pid, path, actions, attributes, arguments,
                            CHILD_ENVIRONMENT(environment));
}

HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes, char *const *arguments,
                      char *const *environment)
{
    return real.posix_spawnp(pid, file, actions, attributes, arguments,
                             CHILD_ENVIRONMENT(environment));
}
