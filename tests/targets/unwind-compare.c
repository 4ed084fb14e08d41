/* A preload library that takes a stack twice at about every Nth allocation, by src/tap/unwind and by
 * libgcc's _Unwind_Backtrace, and compares them frame by frame.  At exit it appends one line of
 * counts to the file $UNWIND_COMPARE_OUT, and with $UNWIND_COMPARE_SHOW=n the first n differences.
 *   UNWIND_COMPARE_EVERY  mean distance of two captures in allocations, 1 by default
 *   UNWIND_COMPARE_LIBC   "old": as on a libc without _dl_find_object */
#include "tap/unwind/unwind.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "tap/unwind/module.h"

enum { MOST_FRAMES = 4096, MOST_SHOWN_FRAMES = 60 };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static _Atomic uint64_t captures, frames, differing, cut_short, reused, shared_frames, shared_wrong;
static _Atomic uint64_t shown, most_shown;
static uint64_t every = 1;
static bool ready;

struct tap {
    struct unwind_thread *thread;
    uint64_t previous[MOST_FRAMES], theirs[MOST_FRAMES];
    uint32_t previous_length, theirs_length;
    bool began, overflowed;
    uint64_t start_pc;
    uint64_t countdown, random;
};

static __thread struct tap *tap __attribute__((tls_model("initial-exec")));
static __thread bool inside __attribute__((tls_model("initial-exec")));

/* ---- The other unwinder ---------------------------------------------------------------------- */

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
    struct tap *it = argument;
    int before = 0;
    uint64_t pc = _Unwind_GetIPInfo(context, &before);
    if (!it->began && pc != it->start_pc)
        return _URC_NO_REASON;
    it->began = true;
    if (pc == 0)
        return _URC_NO_REASON;
    if (it->theirs_length == MOST_FRAMES) {
        it->overflowed = true;
        return _URC_END_OF_STACK;
    }
    if (before && it->theirs_length)
        it->theirs[it->theirs_length - 1]++; /* the trampoline is reported as it is */
    it->theirs[it->theirs_length++] = pc - !before;
    return _URC_NO_REASON;
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static void print_address(FILE *out, const char *who, uint64_t address)
{
    Dl_info info = {0};
    dladdr((void *)address, &info);
    fprintf(out, "  %s %#lx %s+%#lx %s\n", who, (long)address,
            info.dli_fname ? info.dli_fname : "?", (long)(address - (uint64_t)info.dli_fbase),
            info.dli_sname ? info.dli_sname : "");
}

static void show(struct tap *it, const struct unwind_stack *stack)
{
    const char *path = getenv("UNWIND_COMPARE_OUT");
    FILE *out = path ? fopen(path, "a") : NULL;
    if (!out)
        return;
    fprintf(out, "difference: ours %u%s, theirs %u, shared %u\n", stack->length,
            stack->truncated ? " (truncated)" : "", it->theirs_length, stack->shared);
    for (uint32_t i = 0; i < MOST_SHOWN_FRAMES; i++) {
        bool ours = i < stack->length, theirs = i < it->theirs_length;
        uint64_t a = ours ? stack->addresses[stack->length - 1 - i] : 0;
        uint64_t b = theirs ? it->theirs[i] : 0;
        if (ours && theirs && a == b) {
            print_address(out, "both  ", a);
            continue;
        }
        if (ours)
            print_address(out, "ours  ", a);
        if (theirs)
            print_address(out, "theirs", b);
    }
    fclose(out);
}

static void compare(struct tap *it, const struct unwind_stack *stack)
{
    uint32_t n = stack->length, same = 0;
    while (same < n && same < it->theirs_length &&
           stack->addresses[n - 1 - same] == it->theirs[same])
        same++;
    captures++;
    frames += n;
    bool equal = same == n && n == it->theirs_length && stack->truncated == it->overflowed;
    if (!equal && same == n && stack->truncated)
        cut_short++;
    else if (!equal)
        differing++;
    if (!equal && shown++ < most_shown)
        show(it, stack);
    reused += stack->shared > 0;
    shared_frames += stack->shared;
    if (stack->shared > it->previous_length ||
        memcmp(it->previous, stack->addresses, stack->shared * sizeof *it->previous) != 0)
        shared_wrong++;
    memcpy(it->previous, stack->addresses, n * sizeof *it->previous);
    it->previous_length = n;
}

static struct tap *tap_new(void)
{
    size_t size = sizeof(struct tap) + 64 + unwind_thread_size(MOST_FRAMES);
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct tap *it = (struct tap *)memory;
    it->thread = unwind_thread_init(memory + ((sizeof *it + 63) & ~(size_t)63), MOST_FRAMES);
    it->random = (uint64_t)memory | 1;
    return it;
}

static __attribute__((noinline)) void sample(const struct unwind_start *start)
{
    inside = true;
    if (!tap)
        tap = tap_new();
    if (tap && tap->countdown-- == 0) {
        struct unwind_stack stack;
        tap->random = tap->random * 6364136223846793005u + 1442695040888963407u;
        tap->countdown = every > 1 ? (tap->random >> 33) % (2 * every - 1) : 0;
        unwind_capture(tap->thread, start, &stack);
        tap->began = tap->overflowed = false;
        tap->theirs_length = 0;
        tap->start_pc = start->pc;
        _Unwind_Backtrace(take_frame, tap);
        compare(tap, &stack);
    }
    inside = false;
}

/* ---- Hooks
 * -----------------------------------------------------------------------------------------------
 */

#define EXPORT __attribute__((visibility("default"), noinline))
#define SAMPLE()                                                                                   \
    do {                                                                                           \
        if (ready && !inside) {                                                                    \
            struct unwind_start start = unwind_start_at_caller();                                  \
            sample(&start);                                                                        \
        }                                                                                          \
    } while (0)

EXPORT void *malloc(size_t size)
{
    SAMPLE();
    return __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
    SAMPLE();
    return __libc_calloc(count, size);
}

EXPORT void *realloc(void *block, size_t size)
{
    SAMPLE();
    return __libc_realloc(block, size);
}

static __attribute__((constructor)) void begin(void)
{
    const char *text = getenv("UNWIND_COMPARE_EVERY");
    if (text && atoi(text) > 0)
        every = (uint64_t)atoi(text);
    text = getenv("UNWIND_COMPARE_SHOW");
    most_shown = text ? (uint64_t)atoi(text) : 0;
    text = getenv("UNWIND_COMPARE_LIBC");
    if (text && strcmp(text, "old") == 0)
        module_without_find_object();
    unwind_modules_init();
    ready = true;
}

static __attribute__((destructor)) void end(void)
{
    ready = false;
    const char *path = getenv("UNWIND_COMPARE_OUT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file < 0 || captures == 0)
        return;
    char name[64] = "?";
    ssize_t got = readlink("/proc/self/exe", name, sizeof name - 1);
    name[got > 0 ? got : 1] = 0;
    dprintf(file,
            "counts captures=%lu frames=%lu differing=%lu short=%lu reused=%lu shared=%lu "
            "shared_wrong=%lu program=%s\n",
            (long)captures, (long)frames, (long)differing, (long)cut_short, (long)reused,
            (long)shared_frames, (long)shared_wrong,
            strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
    close(file);
}
