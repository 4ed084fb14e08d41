/* C++: operator new and delete in all their forms.
 *
 * libstdc++'s call malloc and free, which are hooked.  Those of a malloc library (jemalloc,
 * tcmalloc, mimalloc) go straight into it, and some of theirs don't.  Which is the case for each
 * form is found out before its first call, by one of our own: it is watched whether malloc's hooks
 * are reached from within.  If so the form is left alone from then on; otherwise the block is
 * recorded here.  So each block is recorded once.
 *
 * Ends may be told twice, here and in free, since the second one finds nothing.
 *
 * A C program that loads a C++ library privately has no operators for us to find, though the
 * library finds ours.  Then we are them, by way of malloc and free; should malloc fail, the
 * library's own operator is sought, as only that can throw the exception.  Which of the two holds
 * is decided when the recorder starts, and stays. */
#include "tap/record/above.h"
#include "tap/record/hook.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>

#include "tap/record/real.h"
#include "tap/record/recorder.h"

/* The forms of both: the function here, its number, and the operator's mangled name.  Of new, those of aligned blocks come last. */
#define EACH_NEW(FORM)                                                                             \
    FORM(hook_new, NEW, "_Znwm")                                                                   \
    FORM(hook_new_array, NEW_ARRAY, "_Znam")                                                       \
    FORM(hook_new_nothrow, NEW_NOTHROW, "_ZnwmRKSt9nothrow_t")                                     \
    FORM(hook_new_array_nothrow, NEW_ARRAY_NOTHROW, "_ZnamRKSt9nothrow_t")                         \
    FORM(hook_new_aligned, NEW_ALIGNED, "_ZnwmSt11align_val_t")                                    \
    FORM(hook_new_array_aligned, NEW_ARRAY_ALIGNED, "_ZnamSt11align_val_t")                        \
    FORM(hook_new_aligned_nothrow, NEW_ALIGNED_NOTHROW, "_ZnwmSt11align_val_tRKSt9nothrow_t")      \
    FORM(hook_new_array_aligned_nothrow, NEW_ARRAY_ALIGNED_NOTHROW,                                \
         "_ZnamSt11align_val_tRKSt9nothrow_t")

#define EACH_DELETE(FORM)                                                                          \
    FORM(hook_delete, DELETE, "_ZdlPv")                                                            \
    FORM(hook_delete_array, DELETE_ARRAY, "_ZdaPv")                                                \
    FORM(hook_delete_sized, DELETE_SIZED, "_ZdlPvm")                                               \
    FORM(hook_delete_array_sized, DELETE_ARRAY_SIZED, "_ZdaPvm")                                   \
    FORM(hook_delete_nothrow, DELETE_NOTHROW, "_ZdlPvRKSt9nothrow_t")                              \
    FORM(hook_delete_array_nothrow, DELETE_ARRAY_NOTHROW, "_ZdaPvRKSt9nothrow_t")                  \
    FORM(hook_delete_aligned, DELETE_ALIGNED, "_ZdlPvSt11align_val_t")                             \
    FORM(hook_delete_array_aligned, DELETE_ARRAY_ALIGNED, "_ZdaPvSt11align_val_t")                 \
    FORM(hook_delete_sized_aligned, DELETE_SIZED_ALIGNED, "_ZdlPvmSt11align_val_t")                \
    FORM(hook_delete_array_sized_aligned, DELETE_ARRAY_SIZED_ALIGNED, "_ZdaPvmSt11align_val_t")    \
    FORM(hook_delete_aligned_nothrow, DELETE_ALIGNED_NOTHROW,                                      \
         "_ZdlPvSt11align_val_tRKSt9nothrow_t")                                                    \
    FORM(hook_delete_array_aligned_nothrow, DELETE_ARRAY_ALIGNED_NOTHROW,                          \
         "_ZdaPvSt11align_val_tRKSt9nothrow_t")

#define NUMBER_OF(function, form, symbol) form,
#define NAME_OF(function, form, symbol) symbol,

enum form { EACH_NEW(NUMBER_OF) NEW_FORMS };
enum { EACH_DELETE(NUMBER_OF) DELETE_FORMS };

static const char *const new_names[NEW_FORMS] = {EACH_NEW(NAME_OF)};
static const char *const delete_names[DELETE_FORMS] = {EACH_DELETE(NAME_OF)};

/* All forms fit this: arguments that a form doesn't have are not looked at. */
typedef void *new_function(size_t size, size_t second, const void *third);
typedef void delete_function(void *block, size_t second, size_t third);

/* Whether a form is recorded here. */
enum { UNKNOWN, BY_MALLOC, BY_US };

static struct {
    new_function *function;
    uint32_t recorded; /* atomic */
} news[NEW_FORMS];
static delete_function *deletes[DELETE_FORMS];

/* ---- Finding them ------------------------------------------------------------------- */

static bool is_aligned(enum form form)
{
    return form >= NEW_ALIGNED;
}

static bool may_throw(enum form form)
{
    return form != NEW_NOTHROW && form != NEW_ARRAY_NOTHROW && form != NEW_ALIGNED_NOTHROW &&
           form != NEW_ARRAY_ALIGNED_NOTHROW;
}

static void give_back(void *block, size_t second, size_t third)
{
    (void)second;
    (void)third;
    free(block);
}

/* Looks for all forms; `own` stands in for those of operator delete that are not there. */
void operators_find(void)
{
    static uint32_t done;
    if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        return;
    bool any = real_next(new_names[NEW]) != NULL;
    for (int i = 0; i < NEW_FORMS && any; i++)
        news[i].function = (new_function *)(uintptr_t)real_next(new_names[i]);
    for (int i = 0; i < DELETE_FORMS; i++) {
        delete_function *next =
            any ? (delete_function *)(uintptr_t)real_next(delete_names[i]) : NULL;
        deletes[i] = next ? next : give_back;
    }
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
}

/* ---- New ---------------------------------------------------------------------------- */

/* The operator that the module around `caller` would have without us. */
static new_function *own_of(uint64_t caller, enum form form)
{
    Dl_info info;
    void *map = NULL;
    if (!dladdr1((void *)caller, &info, &map, RTLD_DL_LINKMAP) || !map)
        return NULL;
    return (new_function *)(uintptr_t)dlsym(map, new_names[form]);
}

static void *stand_in(enum form form, size_t size, size_t second, const void *third,
                      const struct unwind_start *start)
{
    void *block = NULL;
    record_self.seen = 0;
    if (!is_aligned(form))
        block = real.malloc(size ? size : 1);
    else if (real.posix_memalign(&block, second < sizeof block ? sizeof block : second, size) != 0)
        block = NULL;
    if (!block && may_throw(form)) {
        new_function *own = own_of(start->pc, form);
        if (own)
            return own(size, second, third);
        abort();
    }
    if (record_self.seen != (uint64_t)block && recorder_tick(size))
        recorder_allocated(block, size, start);
    return block;
}

/* The operator delete for what each form of new gives. */
static const uint8_t delete_of_new[NEW_FORMS] = {
    [NEW] = DELETE,
    [NEW_ARRAY] = DELETE_ARRAY,
    [NEW_NOTHROW] = DELETE_NOTHROW,
    [NEW_ARRAY_NOTHROW] = DELETE_ARRAY_NOTHROW,
    [NEW_ALIGNED] = DELETE_ALIGNED,
    [NEW_ARRAY_ALIGNED] = DELETE_ARRAY_ALIGNED,
    [NEW_ALIGNED_NOTHROW] = DELETE_ALIGNED_NOTHROW,
    [NEW_ARRAY_ALIGNED_NOTHROW] = DELETE_ARRAY_ALIGNED_NOTHROW,
};

/* Tries a form with a byte of our own, which is not recorded.  An empty countdown brings the first
 * malloc to its slow path.  The operators may call each other: new[] calls new. */
static void probe(enum form form, size_t second, const void *third)
{
    uint8_t outer = record_self.operator_probe;
    uint64_t countdown = record_self.engine.countdown;
    record_self.operator_probe = PROBE_UNDER_WAY;
    record_self.engine.countdown = 0;
    void *block = news[form].function(1, second, third);
    bool reached = record_self.operator_probe == PROBE_REACHED;
    record_self.operator_probe = outer;
    record_self.engine.countdown = countdown;
    if (!block)
        return;
    __atomic_store_n(&news[form].recorded, reached ? BY_MALLOC : BY_US, __ATOMIC_RELAXED);
    deletes[delete_of_new[form]](block, second, 0);
}

/* Whether a form of which that is not known yet is recorded by malloc. */
static __attribute__((noinline)) bool turns_out_by_malloc(enum form form, size_t second,
                                                          const void *third)
{
    operators_find();
    if (!news[form].function)
        return false;
    recorder_wake();
    uint32_t phase = __atomic_load_n(&recorder.phase, __ATOMIC_ACQUIRE);
    if (phase == RECORDER_ON)
        probe(form, second, third);
    else if (phase == RECORDER_OFF)
        __atomic_store_n(&news[form].recorded, BY_MALLOC, __ATOMIC_RELAXED);
    return __atomic_load_n(&news[form].recorded, __ATOMIC_RELAXED) == BY_MALLOC;
}

SLOW void *slow_new(enum form form, size_t size, size_t second, const void *third)
{
    struct unwind_start start = unwind_start_at_caller();
    if (!news[form].function)
        return stand_in(form, size, second, third, &start);
    record_self.seen = 0;
    void *block = news[form].function(size, second, third);
    if (__atomic_load_n(&news[form].recorded, __ATOMIC_RELAXED) == BY_US &&
        record_self.seen != (uint64_t)block && recorder_tick(size))
        recorder_allocated(block, size, &start);
    return block;
}

/* A form that malloc records is jumped to, so that it is found in stacks right below its caller. */
static __attribute__((always_inline)) inline void *new_of(enum form form, size_t size,
                                                          size_t second, const void *third)
{
    uint32_t recorded = __atomic_load_n(&news[form].recorded, __ATOMIC_RELAXED);
    if (__builtin_expect(recorded == BY_MALLOC, 1) ||
        (recorded == UNKNOWN && turns_out_by_malloc(form, second, third)))
        return news[form].function(size, second, third);
    return slow_new(form, size, second, third);
}

#define NEW_HOOK(name, form, symbol)                                                               \
    HOOK void *name(size_t size, size_t second, const void *third) __asm__(symbol);                \
    HOOK void *name(size_t size, size_t second, const void *third)                                 \
    {                                                                                              \
        return new_of(form, size, second, third);                                                  \
    }

EACH_NEW(NEW_HOOK)

/* ---- Delete ------------------------------------------------------------------------- */

static __attribute__((always_inline)) inline void delete_of(int form, void *block, size_t second,
                                                            size_t third)
{
    if (heaptap_engine_may_track(&recorder.engine, (uint64_t)block))
        recorder_freed(block);
    if (__builtin_expect(!deletes[form], 0))
        operators_find();
    deletes[form](block, second, third);
}

#define DELETE_HOOK(name, form, symbol)                                                            \
    HOOK void name(void *block, size_t second, size_t third) __asm__(symbol);                      \
    HOOK void name(void *block, size_t second, size_t third)                                       \
    {                                                                                              \
        delete_of(form, block, second, third);                                                     \
    }

EACH_DELETE(DELETE_HOOK)
