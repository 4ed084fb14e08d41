/* Call stacks of the machine, for a program that embeds the engine: a pool, an arena, a malloc of its own.
 *
 *     static struct heaptap_engine engine;              // zeroed, as in heaptap/engine.h
 *     static __thread struct heaptap_thread self;
 *
 *     __attribute__((noinline)) void *pool_take(size_t size)
 *     {
 *         void *p = malloc(size);
 *         struct heaptap_block block = {.address = (uintptr_t)p, .words = size, .size = size,
 *                                       .hint = HEAPTAP_NATIVE_CALLER};
 *         heaptap_thread_allocate(&engine, &self, &block);
 *         return p;
 *     }
 *
 * The program starts and stops the recording, and tells the engine before a block is given back:
 *
 *     heaptap_native_start(&native, "pool.ctf", NULL, &engine, &self, &error);
 *     ... the program ...
 *     heaptap_thread_free(&engine, &self, (uintptr_t)p);
 *     ... the program ...
 *     heaptap_native_stop(native, &error);
 *
 *     $ heaptap hotspots pool.ctf
 *
 * The trace has addresses, and the programs and libraries at these; heaptap's reports find functions, files and
 * lines in them, as they do for `heaptap record`.  heaptap_native_start needs nothing but the above; to write
 * a trace or a profile yourself (heaptap/trace.h, heaptap/pprof.h), use the parts further below.
 *
 * From libc, taking a stack uses only memory mapping, /proc/self/maps and the loader's lock-free table (glibc 2.35 or
 * later).  No malloc, no lock shared with libc; errno stays as it was; signal handlers may do it.  Stacks go by unwinding
 * tables on x86-64, by frame pointers on 64-bit ARM; if the next caller can't be found, the stack ends with
 * HEAPTAP_CODE_TRUNCATED. */
#ifndef HEAPTAP_NATIVE_H
#define HEAPTAP_NATIVE_H

#include "heaptap/engine.h"
#include "heaptap/pprof.h"
#include "heaptap/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A program that records itself ---------------------------------------------------------- */

struct heaptap_native; /* a recording */

struct heaptap_native_options {
    double rate; /* samples per byte, in (0, 1]; 0 for 1, which is every block, exactly */
    uint32_t callstack_size; /* innermost frames of a stack; 0, or more than there can be, for
                                HEAPTAP_NATIVE_FRAMES_MAX */
    uint64_t seed;           /* of the sampler, to repeat a run; 0: differs from run to run */
    const char *context;     /* free text, for the trace's head; NULL for none */
};

/* Starts an engine whose samples go into a new trace at `path`, which replaces what is there.  `engine` is zeroed; its
 * words are bytes, and a block's size is its bytes (one for a block of none).  `thread` is the calling thread's.  The
 * caller holds no lock.  NULL options are those of a zeroed struct.  On success `*native` is the caller's.
 *
 * HEAPTAP_BAD_ARGUMENT, with `*native` NULL, for another rate, and where `path`, `engine` or `thread` is NULL (for NULL
 * `native`, too); HEAPTAP_BAD_STATE where the engine is in use; HEAPTAP_SYSTEM where the file can't be made, or has no room for
 * the beginning of a trace. */
HEAPTAP_API enum heaptap_status
heaptap_native_start(struct heaptap_native **native, const char *path,
                     const struct heaptap_native_options *options, struct heaptap_engine *engine,
                     struct heaptap_thread *thread, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Ends the recording, completes the trace, and frees `native` and all that the engine has; the engine is zeroed.  Called
 * by the thread that started it; no other thread may be in a hook, and their `struct heaptap_thread`s must be zeroed
 * before they are used again.  What is alive stays alive in the trace.  Accepts NULL.
 *
 * HEAPTAP_SYSTEM if the trace could not be written to its end: a regular file then has a record of HEAPTAP_STOPPED for its
 * readers, whether or not this is called; ECHILD in a fork's child, which writes nothing: the trace is its
 * parent's.  If the program ends without this call, however it ends, the trace is complete up to then, except that its last
 * second may be missing if `path` is not a regular file. */
HEAPTAP_API enum heaptap_status heaptap_native_stop(struct heaptap_native *native,
                                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* ---- Parts ---------------------------------------------------------------------------------- */

/* The hint of a block whose stack begins with the caller of the function that uses this macro: the allocator's own, which
 * must not be inlined. */
#define HEAPTAP_NATIVE_CALLER __builtin_frame_address(0)

enum { HEAPTAP_NATIVE_FRAMES_MAX = 1024 };

/* Takes the call stack of the running thread: a heaptap_capture, for heaptap_engine_options; or to be called directly, with
 * NULL for `context`, `thread`, `hint` and `shared`.  Writes at most `max` codes, the innermost first, and returns how
 * many.  The stack begins where `hint`, a HEAPTAP_NATIVE_CALLER of a function that still runs, says; without one, with
 * the function that called the engine's hook; without `thread`, with the one that called this.  Codes stand for the
 * addresses of calls.  HEAPTAP_CODE_TRUNCATED is the last one where there are further callers.  `*shared` is left as it
 * is.  0 for NULL `frames`, and without memory. */
HEAPTAP_API size_t heaptap_native_capture(void *context, struct heaptap_thread *thread,
                                          const void *hint, uint64_t *frames, size_t max,
                                          int64_t *shared);

/* Finds out which programs and libraries are loaded.  Call it once before the first stack is taken, and after each dlopen and
 * dlclose, holding no lock.  heaptap_native_start does so itself. */
HEAPTAP_API void heaptap_native_refresh(void);

/* A heaptap_describe of these codes: the library, and the place in it.  `context` is not used.  The strings are valid until the
 * next call by this thread.  0 for NULL `locations`. */
HEAPTAP_API size_t heaptap_native_describe(void *context, uint64_t code,
                                           struct heaptap_location *locations, size_t max);

/* Writes into a trace which modules are, or were since `start_us`, loaded, so that reports can find names.  Call it once, when
 * the trace has all stacks.  `start_us` is the trace's.  Does nothing for a NULL domain. */
HEAPTAP_API void heaptap_native_modules(struct heaptap_domain *domain, int64_t start_us);

/* A heaptap_pprof_locate of these codes; `context` is where the pointer to the profile is, a struct heaptap_pprof **.
 * 0, too, where that or `address` is NULL. */
HEAPTAP_API uint32_t heaptap_native_locate(void *context, uint64_t code, uint64_t *address);

#ifdef __cplusplus
}
#endif
#endif
