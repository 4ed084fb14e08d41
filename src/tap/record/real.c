#include "tap/record/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap/inside/kernel.h"
#include "tap/record/self.h"

/* ---- The arena ---------------------------------------------------------------------- */

enum { ARENA_BYTES = 65536, ARENA_ALIGNMENT = 16 };

static char arena[ARENA_BYTES] __attribute__((aligned(16)));
static _Atomic size_t arena_used;

/* Each block has its size in the 16 bytes before it. */
static size_t whole_size(size_t size)
{
    return ARENA_ALIGNMENT + ((size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1));
}

static void *arena_take(size_t size)
{
    if (size > ARENA_BYTES)
        return NULL;
    size_t whole = whole_size(size);
    size_t offset = atomic_fetch_add(&arena_used, whole);
    if (offset + whole > ARENA_BYTES)
        return NULL;
    char *block = arena + offset + ARENA_ALIGNMENT;
    memcpy(block - ARENA_ALIGNMENT, &size, sizeof size);
    real_arena_given((uint64_t)block);
    return block;
}

bool real_is_arena(const void *block)
{
    return (uintptr_t)block - (uintptr_t)arena < ARENA_BYTES;
}

size_t real_arena_size(const void *block)
{
    size_t size;
    memcpy(&size, (const char *)block - ARENA_ALIGNMENT, sizeof size);
    return size;
}

void real_arena_tell(void)
{
    size_t used = atomic_load(&arena_used);
    for (size_t at = ARENA_ALIGNMENT; at < used && at < ARENA_BYTES;) {
        real_arena_given((uint64_t)(arena + at));
        at += whole_size(real_arena_size(arena + at));
    }
}

/* ---- Before they are found ---------------------------------------------------------- */

/* True once the functions are there; false while this thread is looking for them. */
static bool found(void)
{
    if (record_self.finding)
        return false;
    real_find();
    return true;
}

static void *first_malloc(size_t size)
{
    return found() ? real.malloc(size) : arena_take(size);
}

static void *first_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (found())
        return real.calloc(count, size);
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : arena_take(bytes);
}

static void *first_realloc(void *block, size_t size)
{
    if (found())
        return real.realloc(block, size);
    return block ? NULL : arena_take(size);
}

static int first_posix_memalign(void **block, size_t alignment, size_t size)
{
    return found() ? real.posix_memalign(block, alignment, size) : ENOMEM;
}

static void *first_aligned_alloc(size_t alignment, size_t size)
{
    return found() ? real.aligned_alloc(alignment, size) : NULL;
}

static void *first_memalign(size_t alignment, size_t size)
{
    return found() ? real.memalign(alignment, size) : NULL;
}

static void *first_valloc(size_t size)
{
    return found() ? real.valloc(size) : NULL;
}

static void *first_pvalloc(size_t size)
{
    return found() ? real.pvalloc(size) : NULL;
}

static void first_free(void *block)
{
    if (found())
        real.free(block);
}

static size_t first_malloc_usable_size(void *block)
{
    return found() ? real.malloc_usable_size(block) : 0;
}

static int first_dlclose(void *handle)
{
    return found() ? real.dlclose(handle) : 0; /* stays loaded */
}

static int unavailable(int code)
{
    errno = code;
    return -1;
}

/* By the kernel alone: even while the functions are looked for, a signal handler may want it. */
static long call_kernel(long number, long a, long b, long c, long d, long e, long f)
{
    long result = kernel_call(number, a, b, c, d, e, f);
    return kernel_failed(result) ? unavailable((int)-result) : result;
}

static __attribute__((noreturn)) void first_exit_now(int status)
{
    if (found())
        real.exit_now(status);
    for (;;)
        call_kernel(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static void first_exit(int status)
{
    if (found())
        real.exit(status);
    first_exit_now(status);
}

static __attribute__((noreturn)) void first_abort(void)
{
    if (found())
        real.abort();
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
    first_exit_now(128 + SIGABRT);
}

static __attribute__((noreturn)) void first_assert_fail(const char *assertion, const char *file,
                                                        unsigned line, const char *function)
{
    if (found())
        real.assert_fail(assertion, file, line, function);
    first_abort();
}

static int first_execve(const char *path, char *const *arguments, char *const *environment)
{
    return found() ? real.execve(path, arguments, environment)
                   : (int)call_kernel(SYS_execve, (long)path, (long)arguments, (long)environment, 0,
                                      0, 0);
}

static int first_execvpe(const char *file, char *const *arguments, char *const *environment)
{
    return found() ? real.execvpe(file, arguments, environment) : unavailable(EAGAIN);
}

static int first_fexecve(int fd, char *const *arguments, char *const *environment)
{
    return found() ? real.fexecve(fd, arguments, environment) : unavailable(EAGAIN);
}

static int first_execveat(int directory, const char *path, char *const *arguments,
                          char *const *environment, int flags)
{
    return found() ? real.execveat(directory, path, arguments, environment, flags)
                   : unavailable(EAGAIN);
}

static int first_posix_spawn(pid_t *pid, const char *path,
                             const posix_spawn_file_actions_t *actions,
                             const posix_spawnattr_t *attributes, char *const *arguments,
                             char *const *environment)
{
    return found() ? real.posix_spawn(pid, path, actions, attributes, arguments, environment)
                   : EAGAIN;
}

static int first_posix_spawnp(pid_t *pid, const char *file,
                              const posix_spawn_file_actions_t *actions,
                              const posix_spawnattr_t *attributes, char *const *arguments,
                              char *const *environment)
{
    return found() ? real.posix_spawnp(pid, file, actions, attributes, arguments, environment)
                   : EAGAIN;
}

static int first_system(const char *command)
{
    return found() ? real.system(command) : unavailable(EAGAIN);
}

static FILE *first_popen(const char *command, const char *mode)
{
    if (found())
        return real.popen(command, mode);
    errno = EAGAIN;
    return NULL;
}

static long first_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    return found() ? real.syscall(number, a, b, c, d, e, f) : call_kernel(number, a, b, c, d, e, f);
}

static int first_prctl(int option, long a, long b, long c, long d)
{
    return found() ? real.prctl(option, a, b, c, d)
                   : (int)call_kernel(SYS_prctl, option, a, b, c, d, 0);
}

static int first_sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    return found() ? real.sigaction(number, action, before) : unavailable(EAGAIN);
}

static int first_setrlimit(int resource, const void *limits)
{
    return found() ? real.setrlimit(resource, limits)
                   : (int)call_kernel(SYS_prlimit64, 0, resource, (long)limits, 0, 0, 0);
}

static int first_prlimit(pid_t pid, int resource, const void *limits, void *before)
{
    return found()
               ? real.prlimit(pid, resource, limits, before)
               : (int)call_kernel(SYS_prlimit64, pid, resource, (long)limits, (long)before, 0, 0);
}

static int first_mlockall(int flags)
{
    return found() ? real.mlockall(flags) : (int)call_kernel(SYS_mlockall, flags, 0, 0, 0, 0, 0);
}

typedef void handler(int number);

static handler *no_handler(void)
{
    errno = EAGAIN;
    return SIG_ERR;
}

static handler *first_signal(int number, handler *action)
{
    return found() ? real.signal(number, action) : no_handler();
}

static handler *first_sysv_signal(int number, handler *action)
{
    return found() ? real.sysv_signal(number, action) : no_handler();
}

struct real real = {
    .malloc = first_malloc,
    .calloc = first_calloc,
    .realloc = first_realloc,
    .posix_memalign = first_posix_memalign,
    .aligned_alloc = first_aligned_alloc,
    .memalign = first_memalign,
    .valloc = first_valloc,
    .pvalloc = first_pvalloc,
    .free = first_free,
    .malloc_usable_size = first_malloc_usable_size,
    .dlclose = first_dlclose,
    .exit = first_exit,
    .exit_now = first_exit_now,
    .abort = first_abort,
    .assert_fail = first_assert_fail,
    .execve = first_execve,
    .execvpe = first_execvpe,
    .fexecve = first_fexecve,
    .execveat = first_execveat,
    .system = first_system,
    .popen = first_popen,
    .sigaction = first_sigaction,
    .signal = first_signal,
    .sysv_signal = first_sysv_signal,
    .setrlimit = first_setrlimit,
    .prlimit = first_prlimit,
    .mlockall = first_mlockall,
    .prctl = first_prctl,
    .syscall = first_syscall,
    .posix_spawn = first_posix_spawn,
    .posix_spawnp = first_posix_spawnp,
};

/* ---- Finding them ------------------------------------------------------------------- */

void *real_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static int without_execveat(int directory, const char *path, char *const *arguments,
                            char *const *environment, int flags)
{
    (void)directory, (void)path, (void)arguments, (void)environment, (void)flags;
    return unavailable(ENOSYS);
}

/* Where each stands in the table; malloc's family first. */
static const struct {
    const char *name;
    size_t offset;
} members[] = {
    {"malloc", offsetof(struct real, malloc)},
    {"calloc", offsetof(struct real, calloc)},
    {"realloc", offsetof(struct real, realloc)},
    {"posix_memalign", offsetof(struct real, posix_memalign)},
    {"aligned_alloc", offsetof(struct real, aligned_alloc)},
    {"memalign", offsetof(struct real, memalign)},
    {"valloc", offsetof(struct real, valloc)},
    {"pvalloc", offsetof(struct real, pvalloc)},
    {"free", offsetof(struct real, free)},
    {"malloc_usable_size", offsetof(struct real, malloc_usable_size)},
    {"dlclose", offsetof(struct real, dlclose)},
    {"exit", offsetof(struct real, exit)},
    {"_exit", offsetof(struct real, exit_now)},
    {"abort", offsetof(struct real, abort)},
    {"__assert_fail", offsetof(struct real, assert_fail)},
    {"execve", offsetof(struct real, execve)},
    {"execvpe", offsetof(struct real, execvpe)},
    {"fexecve", offsetof(struct real, fexecve)},
    {"execveat", offsetof(struct real, execveat)},
    {"system", offsetof(struct real, system)},
    {"popen", offsetof(struct real, popen)},
    {"sigaction", offsetof(struct real, sigaction)},
    {"signal", offsetof(struct real, signal)},
    {"sysv_signal", offsetof(struct real, sysv_signal)},
    {"setrlimit", offsetof(struct real, setrlimit)},
    {"prlimit", offsetof(struct real, prlimit)},
    {"mlockall", offsetof(struct real, mlockall)},
    {"prctl", offsetof(struct real, prctl)},
    {"syscall", offsetof(struct real, syscall)},
    {"posix_spawn", offsetof(struct real, posix_spawn)},
    {"posix_spawnp", offsetof(struct real, posix_spawnp)},
};
enum { MEMBERS = sizeof members / sizeof members[0], MALLOC_FAMILY = 10 };

void real_prefer(void *(*own)(const char *name))
{
    for (size_t i = 0; i < MALLOC_FAMILY; i++) {
        void *function = own(members[i].name);
        if (function)
            memcpy((char *)&real + members[i].offset, &function, sizeof function);
    }
}

void real_find(void)
{
    struct real next;
    int saved_errno = errno;
    record_self.finding = true;
    for (size_t i = 0; i < MEMBERS; i++) {
        void *function = real_next(members[i].name);
        memcpy((char *)&next + members[i].offset, &function, sizeof function);
    }
    if (!next.execveat)
        next.execveat = without_execveat;
    real = next;
    record_self.finding = false;
    errno = saved_errno;
}
