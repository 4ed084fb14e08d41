/* Where there are limits, malloc's family is called by way of these functions, which ask once more when the recording has given way.
 * A realloc that the recorder has a part in asks by itself (hooks.c): it can't give way in the middle. */
#include "tap/record/give_way.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "tap/inside/program_limits.h"
#include "tap/record/hook.h"
#include "tap/record/real.h"
#include "tap/record/recorder.h"

static bool watched; /* atomic */
static struct real plain;

bool give_way(size_t size)
{
    uint64_t most = limits_of(RLIMIT_AS), data = limits_of(RLIMIT_DATA);
    most = most < data ? most : data;
    return __atomic_load_n(&watched, __ATOMIC_RELAXED) && size < most && recorder_give_way();
}

/* The call's result; that of a second one where the first had no memory, and there is more now. */
#define AGAIN(call, has_failed, size)                                                              \
    __extension__({                                                                                \
        int saved_errno = errno;                                                                   \
        __auto_type result = (call);                                                               \
        if (__builtin_expect((has_failed), 0) && give_way(size)) {                                 \
            errno = saved_errno;                                                                   \
            result = (call);                                                                       \
        }                                                                                          \
        result;                                                                                    \
    })

static void *limited_malloc(size_t size)
{
    return AGAIN(plain.malloc(size), !result, size);
}

static void *limited_calloc(size_t count, size_t size)
{
    return AGAIN(plain.calloc(count, size), !result, count * size);
}

static void *limited_realloc(void *block, size_t size)
{
    return AGAIN(plain.realloc(block, size), !result && size > 0, size);
}

static int limited_posix_memalign(void **block, size_t alignment, size_t size)
{
    return AGAIN(plain.posix_memalign(block, alignment, size), result == ENOMEM, size);
}

static void *limited_aligned_alloc(size_t alignment, size_t size)
{
    return AGAIN(plain.aligned_alloc(alignment, size), !result, size);
}

static void *limited_memalign(size_t alignment, size_t size)
{
    return AGAIN(plain.memalign(alignment, size), !result, size);
}

static void *limited_valloc(size_t size)
{
    return AGAIN(plain.valloc(size), !result, size);
}

static void *limited_pvalloc(size_t size)
{
    return AGAIN(plain.pvalloc(size), !result, size);
}

static void watch(void)
{
    if (__atomic_exchange_n(&watched, true, __ATOMIC_ACQ_REL))
        return;
    plain = real;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    real.malloc = limited_malloc;
    real.calloc = limited_calloc;
    real.realloc = limited_realloc;
    real.posix_memalign = limited_posix_memalign;
    real.aligned_alloc = limited_aligned_alloc;
    real.memalign = limited_memalign;
    real.valloc = limited_valloc;
    real.pvalloc = limited_pvalloc;
}

void give_way_look(void)
{
    if (limits_of(RLIMIT_AS) != UINT64_MAX || limits_of(RLIMIT_DATA) != UINT64_MAX)
        watch();
}

/* ---- Limits that the program sets ------------------------------------------------------ */

/* Each has two names, of which headers give a program the one or the other; libc's struct is the same. */
HOOK int hook_setrlimit(int resource, const void *limits) __asm__("setrlimit");
HOOK int hook_setrlimit64(int resource, const void *limits) __asm__("setrlimit64");
HOOK int hook_prlimit(pid_t pid, int resource, const void *limits, void *before) __asm__("prlimit");
HOOK int hook_prlimit64(pid_t pid, int resource, const void *limits,
                        void *before) __asm__("prlimit64");

int hook_setrlimit(int resource, const void *limits)
{
    int result = real.setrlimit(resource, limits);
    if (recorder_is_on())
        give_way_look();
    return result;
}

int hook_setrlimit64(int resource, const void *limits)
{
    return hook_setrlimit(resource, limits);
}

int hook_prlimit(pid_t pid, int resource, const void *limits, void *before)
{
    int result = real.prlimit(pid, resource, limits, before);
    if (limits && recorder_is_on())
        give_way_look();
    return result;
}

int hook_prlimit64(pid_t pid, int resource, const void *limits, void *before)
{
    return hook_prlimit(pid, resource, limits, before);
}

/* What is locked counts with all that is mapped now, or from now on. */
HOOK int mlockall(int flags)
{
    int locked = real.mlockall(flags);
    if (locked != 0 && errno == ENOMEM && recorder_give_way())
        locked = real.mlockall(flags);
    if (locked == 0 && recorder_is_on() && limits_of(RLIMIT_MEMLOCK) != UINT64_MAX)
        watch();
    return locked;
}
