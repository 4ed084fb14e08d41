#include "tap/inside/scratch.h"

#include <sys/mman.h>

#include "tap/inside/kernel.h"
#include "tap/inside/own_pages.h"

enum { STACK_BYTES = 256 << 10, GUARD_BYTES = 64 << 10 }; /* a page is 64 kB at most */

/* The saved stack pointer stands in a register that `function` gives back as it was. */
static __attribute__((noinline)) void call_at(char *top, void (*function)(void *), void *context)
{
#ifdef __x86_64__
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %[top], %%rsp\n\t"
                     "call *%[function]\n\t"
                     "movq %%rbx, %%rsp"
                     : "+D"(context), [top] "+r"(top), [function] "+r"(function)
                     :
                     : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1",
                       "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                       "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
#else
    register void *x0 __asm__("x0") = context;
    register char *x20 __asm__("x20") = top;
    register void (*x21)(void *) __asm__("x21") = function;
    __asm__ volatile("mov x19, sp\n\t"
                     "mov sp, x20\n\t"
                     "blr x21\n\t"
                     "mov sp, x19"
                     : "+r"(x0), "+r"(x20), "+r"(x21)
                     :
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "v0", "v1", "v2",
                       "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
                       "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
                       "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc");
#endif
}

bool scratch_run(void (*function)(void *context), void *context)
{
    struct kernel_signals signals;
    int saved_errno = errno;
    long mapped = kernel_call(SYS_mmap, 0, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (kernel_failed(mapped))
        return false;
    own_pages_add((void *)mapped, GUARD_BYTES + STACK_BYTES);
    kernel_call(SYS_mprotect, mapped, GUARD_BYTES, PROT_NONE, 0, 0, 0);
    kernel_hold_signals(&signals);
    call_at((char *)mapped + GUARD_BYTES + STACK_BYTES, function, context);
    kernel_release_signals(&signals);
    own_pages_remove((void *)mapped);
    kernel_call(SYS_munmap, mapped, GUARD_BYTES + STACK_BYTES, 0, 0, 0, 0);
    errno = saved_errno;
    return true;
}

void scratch_run_or_here(void (*function)(void *context), void *context)
{
    if (!scratch_run(function, context))
        function(context);
}
