/* Which memory a walk may touch.
 *
 * A walk that follows right tables never leaves the stack; the bounds are for the day on which a
 * table is wrong. Whatever lies between the hook's own frame and the top of the thread's stack is
 * mapped, so these reads need no further care.  What the top is, is found out once a thread, from
 * /proc/self/maps: the end of the mapping that holds the stack pointer, or, where it lies inside
 * that mapping, the thread's control block, which glibc puts on top of every stack but the main
 * one.
 *
 * A mapping that holds neither the control block nor the name [stack] is not the thread's stack:
 * the program runs on a stack of its own making (sigaltstack, makecontext, a coroutine library),
 * which ends anywhere.  There each page is tried by a system call before it is read: rt_sigprocmask
 * copies the set it is given before it rejects an impossible request, so that it says EFAULT for an
 * address that cannot be read and EINVAL for one that can, and changes nothing.  It costs a tenth
 * of a microsecond a page, and, unlike process_vm_readv, passes the usual sandboxes. */
#include "tap/unwind/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap/inside/kernel.h"

enum { PAGE_BYTES = 4096 };

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* One line of /proc/self/maps, parsed byte by byte. */
struct line {
    uint64_t low, high;
    unsigned field;   /* 0: low, 1: high, 2: the rest */
    unsigned matched; /* letters of "[stack]" just seen */
    bool is_main;
};

static const char main_name[] = "[stack]";

static void line_take(struct line *line, char byte)
{
    if (line->field == 2) {
        line->matched = byte == main_name[line->matched] ? line->matched + 1 : byte == main_name[0];
        if (line->matched == sizeof main_name - 1) {
            line->is_main = true;
            line->matched = 0;
        }
        return;
    }
    uint64_t *number = line->field ? &line->high : &line->low;
    if (byte >= '0' && byte <= '9')
        *number = *number << 4 | (uint64_t)(byte - '0');
    else if (byte >= 'a' && byte <= 'f')
        *number = *number << 4 | (uint64_t)(byte - 'a' + 10);
    else
        line->field++;
}

/* The mapping around `sp`; false where it is not found. */
static bool find_mapping(uint64_t sp, struct line *line)
{
    char buffer[512];
    int file = kernel_open("/proc/self/maps", O_RDONLY, 0);
    if (file < 0)
        return false;
    *line = (struct line){0};
    bool found = false;
    for (;;) {
        long got = kernel_read(file, buffer, sizeof buffer);
        if (got == -EINTR)
            continue;
        if (got <= 0)
            break;
        for (long i = 0; i < got && !found; i++) {
            if (buffer[i] != '\n')
                line_take(line, buffer[i]);
            else if (line->low <= sp && sp < line->high)
                found = true;
            else
                *line = (struct line){0};
        }
        if (found)
            break;
    }
    kernel_close(file);
    return found;
}

/* The main stack grows: its low end is where it may grow to. */
static uint64_t main_stack_low(const struct line *line)
{
    const uint64_t most = (uint64_t)64 << 20;
    struct rlimit limit;
    uint64_t bytes = most;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < most)
        bytes = limit.rlim_cur;
    uint64_t low = line->high > bytes ? line->high - bytes : 0;
    return low < line->low ? low : line->low;
}

static bool on_main_thread(void)
{
    return kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0) == kernel_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static void find_bounds(struct unwind_thread *thread, uint64_t sp)
{
    struct line line;
    int saved_errno = errno;
    bool found = find_mapping(sp, &line);
    uint64_t control_block = (uint64_t)pthread_self();
    if (found && line.is_main) {
        thread->low = main_stack_low(&line);
        thread->high = line.high;
    } else if (found && !on_main_thread() && sp < control_block && control_block < line.high) {
        thread->low = line.low;
        thread->high = control_block;
    }
    errno = saved_errno;
}

void stack_prepare(struct unwind_thread *thread, uint64_t sp)
{
    thread->captures++;
    bool again = (thread->captures & (thread->captures - 1)) == 0;
    if (thread->low == thread->high && again)
        find_bounds(thread, sp);
    bool own = thread->low <= sp && sp < thread->high;
    thread->base = sp;
    thread->span = own ? thread->high - sp : 0;
    thread->readable_page = 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* What the kernel says to a set of signals at `address` in an impossible request: EFAULT, EINVAL.
 */
static int probe(uint64_t address)
{
    enum { IMPOSSIBLE = -1, SET_BYTES = 8 };
    return kernel_errno(
        kernel_call(SYS_rt_sigprocmask, IMPOSSIBLE, (long)address, 0, SET_BYTES, 0, 0));
}

/* Emulated kernels (valgrind, qemu) may look at the request first.  They call everything readable,
 * the never mapped first page too; there nothing is. */
static bool is_readable(uint64_t address)
{
    static _Atomic int trusted; /* 0: not yet tried; 1: yes; -1: no */
    int trust = atomic_load_explicit(&trusted, memory_order_relaxed);
    if (trust == 0 && !confined_on()) {
        trust = probe(sizeof(uint64_t)) == EFAULT ? 1 : -1;
        atomic_store_explicit(&trusted, trust, memory_order_relaxed);
    }
    return trust > 0 && !confined_on() && probe(address) == EINVAL;
}

READS_STACKS bool stack_read(struct unwind_thread *thread, uint64_t address, uint64_t *word)
{
    if ((address & 7) || address < PAGE_BYTES)
        return false;
    uint64_t offset = address - thread->base;
    if (thread->span < 8 || offset > thread->span - 8) {
        uint64_t page = address & ~(uint64_t)(PAGE_BYTES - 1);
        if (page != thread->readable_page && !is_readable(address))
            return false;
        thread->readable_page = page;
    }
    *word = stack_load(address);
    return true;
}
