/* Programs started by this one.  Where children are followed, what would bring the recorder into them is added to
 * the environment here (tap/inside/environment.h), if the program is one that it can be brought into
 * (tap/inside/program.h); else heaptap is told, and the program runs as it would without us.  The
 * arrays for that are on the stack: this may run in the child of a vfork, which has no memory of
 * its own.
 *
 * Where the trace can't be written in place, what replaces this process takes the memory away in
 * which events have gathered, so they are written before.
 *
 * Those of the exec family that take their arguments one by one, or the environment from the
 * process, are built on the others here, because inside libc they don't call what we hook. */
#include "tap/record/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "tap/inside/kernel.h"
#include "tap/inside/notes.h"
#include "tap/inside/program.h"
#include "tap/inside/scratch.h"
#include "tap/inside/text.h"
#include "tap/record/hook.h"
#include "tap/record/real.h"
#include "tap/record/recorder.h"

extern char **environ;

/* ---- Looking at what is started ----------------------------------------------------- */

static void note(const char *what, const char *how)
{
    char line[1024];
    struct text text;
    text_init(&text, line, sizeof line);
    text_add(&text, what);
    text_add(&text, how);
    notes_write(NOTE_REMARK, line, (size_t)(text.at - line));
}

static void note_unrecorded(const char *why)
{
    note(why, ": it ran without being recorded");
}

/* What in this process, whose limits the program gets, or in the program's environment keeps the library out. */
static const char *obstacle(char *const *environment)
{
    const char *theirs = environment_last(environment, ENVIRONMENT_PRELOAD);
    if (theirs && program_preloads_sanitizer(theirs))
        return " is started with a sanitizer's runtime in LD_PRELOAD, which must come before every "
               "other library";
    if (access(environment_library(), R_OK) != 0)
        return " is started where the recorder can't be read";
    return program_lacks_room(settings_ask_for_all(&recorder.settings));
}

static bool is_reachable(const char *path, const struct program_verdict *verdict,
                         char *const *environment)
{
    char why[768];
    struct text text;
    const char *what = verdict->kind == PROGRAM_REACHABLE ? obstacle(environment) : NULL;
    if (verdict->kind != PROGRAM_REACHABLE)
        note_unrecorded(verdict->why);
    if (what) {
        text_init(&text, why, sizeof why);
        text_add(&text, path);
        text_add(&text, what);
        note_unrecorded(why);
    }
    return verdict->kind == PROGRAM_REACHABLE && !what;
}

static const char *search_of(char *const *environment)
{
    return environment_get(environment, "PATH");
}

/* What is looked at, on a stack of its own: names of files alone would fill a small one. */
struct look {
    int fd; /* of the file, or of the folder of `path`; -1: neither */
    const char *path;
    char *const *environment;
    bool goes_along;
};

static void look_at_path(void *context)
{
    struct look *look = context;
    struct program_verdict verdict;
    program_judge(look->path, search_of(look->environment), &verdict);
    look->goes_along = is_reachable(look->path, &verdict, look->environment);
}

/* For a name that is looked for in this process's PATH. */
static void look_for_name(void *context)
{
    struct look *look = context;
    char path[PATH_MAX];
    if (program_search(look->path, search_of(environ), path))
        look->path = path;
    look_at_path(look);
}

/* For an open file, which may be open for execution alone. */
static void look_at_fd(void *context)
{
    struct look *look = context;
    struct program_verdict verdict;
    char path[64];
    struct text text;
    text_init(&text, path, sizeof path);
    text_add(&text, "/proc/self/fd/");
    text_add_number(&text, (uint64_t)look->fd);
    int again = kernel_open(path, O_RDONLY, 0);
    program_judge_fd(again >= 0 ? again : look->fd, path, search_of(look->environment), &verdict);
    if (again >= 0)
        kernel_close(again);
    look->goes_along = is_reachable(path, &verdict, look->environment);
}

static void look_in_folder(void *context)
{
    struct look *look = context;
    int fd = kernel_open_at(look->fd, look->path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) {
        look_at_path(look);
        return;
    }
    look->fd = fd;
    look_at_fd(look);
    kernel_close(fd);
}

static __attribute__((noinline)) bool goes_along(void (*how)(void *), int fd, const char *path,
                                                 char *const *environment)
{
    struct look look = {.fd = fd, .path = path, .environment = environment};
    int saved_errno = errno;
    if (environment_is_others(environment))
        note(*path ? path : "a program",
             ": is recorded by a heaptap record that runs within this one, and not by this one");
    if (!environment_lacks_us(environment))
        return false;
    scratch_run_or_here(how, &look);
    errno = saved_errno;
    return look.goes_along;
}

bool exec_goes_along(const char *path, char *const *environment)
{
    return goes_along(look_at_path, -1, path, environment);
}

static bool goes_along_by_name(const char *name, char *const *environment)
{
    return goes_along(look_for_name, -1, name, environment);
}

static bool goes_along_by_fd(int fd, char *const *environment)
{
    return goes_along(look_at_fd, fd, "", environment);
}

static bool goes_along_at(int folder, const char *path, char *const *environment)
{
    return goes_along(*path ? look_in_folder : look_at_fd, folder, path, environment);
}

/* ---- Replacing this process --------------------------------------------------------- */

HOOK int execve(const char *path, char *const *arguments, char *const *environment)
{
    recorder_leave();
    return real.execve(path, arguments,
                       EXEC_ENVIRONMENT(environment, exec_goes_along(path, environment)));
}

HOOK int execv(const char *path, char *const *arguments)
{
    return execve(path, arguments, environ);
}

HOOK int execvpe(const char *file, char *const *arguments, char *const *environment)
{
    recorder_leave();
    return real.execvpe(file, arguments,
                        EXEC_ENVIRONMENT(environment, goes_along_by_name(file, environment)));
}

HOOK int execvp(const char *file, char *const *arguments)
{
    return execvpe(file, arguments, environ);
}

HOOK int fexecve(int fd, char *const *arguments, char *const *environment)
{
    recorder_leave();
    return real.fexecve(fd, arguments,
                        EXEC_ENVIRONMENT(environment, goes_along_by_fd(fd, environment)));
}

HOOK int execveat(int directory, const char *path, char *const *arguments, char *const *environment,
                  int flags)
{
    recorder_leave();
    return real.execveat(directory, path, arguments,
                         EXEC_ENVIRONMENT(environment, goes_along_at(directory, path, environment)),
                         flags);
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

#define EXEC_LIST_HOOK(name, exec)                                                                 \
    HOOK int name(const char *file, const char *argument, ...)                                     \
    {                                                                                              \
        char **arguments;                                                                          \
        va_list list;                                                                              \
        GATHER(argument, list, arguments);                                                         \
        va_end(list);                                                                              \
        return exec(file, arguments, environ);                                                     \
    }

EXEC_LIST_HOOK(execl, execve)
EXEC_LIST_HOOK(execlp, execvpe)

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
                            EXEC_ENVIRONMENT(environment, exec_goes_along(path, environment)));
}

HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes, char *const *arguments,
                      char *const *environment)
{
    return real.posix_spawnp(pid, file, actions, attributes, arguments,
                             EXEC_ENVIRONMENT(environment, goes_along_by_name(file, environment)));
}
