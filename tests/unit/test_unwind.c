/* Stacks as src/tap/unwind takes them, against libgcc's _Unwind_Backtrace (and libunwind) frame by
 * frame, on frames of every shape, in every place in which a hook can find itself.  With the
 * argument "snapshot" everything runs as on a libc without _dl_find_object. */
#include "run_tests.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "peers.h"
#include "shapes.h"
#include "tap/unwind/module.h"
#include "tap/unwind/unwind.h"

static __thread struct peers *peers;
static __thread uint64_t visits;

__attribute__((noinline)) void visit(void)
{
    struct unwind_start start = unwind_start_at_caller();
    visits++;
    if (peers)
        peers_compare(peers, &start);
}

static const struct shapes *const all_shapes[] = {&shapes_optimised, &shapes_plain,
                                                  &shapes_realigned, &shapes_framed};
enum { SHAPES = sizeof all_shapes / sizeof *all_shapes };

static void begin(uint32_t max_frames)
{
    peers = peers_new(max_frames);
    visits = 0;
}

/* Ends a comparison in which nothing may have differed. */
static void end_without_difference(void)
{
    struct comparison found = peers->found;
    peers_free(peers);
    peers = NULL;
    assert_true(found.captures > 0);
    assert_int_equal(found.differing, 0);
    assert_int_equal(found.wrong_shares, 0);
    assert_int_equal(found.libunwind_differing, 0);
}

/* ---- Frames of every shape ------------------------------------------------------------------- */

static void every_shape(void **state)
{
    for (unsigned i = 0; i < SHAPES; i++) {
        begin(PEERS_MOST_FRAMES);
        for (uint64_t n = 0; n < 25; n++)
            all_shapes[i]->all(n);
        assert_true(peers->found.captures > 1000);
        assert_int_equal(peers->found.truncated, 0);
        assert_true(peers->found.shared > peers->found.captures);
        end_without_difference();
    }
}

#ifdef HAVE_LIBUNWIND
static void every_shape_as_libunwind(void **state)
{
    for (unsigned i = 0; i < SHAPES; i++) {
        begin(PEERS_MOST_FRAMES);
        peers->with_libunwind = true;
        for (uint64_t n = 0; n < 6; n++)
            all_shapes[i]->all(n);
        end_without_difference();
    }
}
#endif

static void callback_of_libc(void **state)
{
    begin(PEERS_MOST_FRAMES);
    for (unsigned i = 0; i < SHAPES; i++)
        all_shapes[i]->sorts(i);
    assert_true(peers->found.captures > 20);
    end_without_difference();
}

#ifdef HAVE_EXCEPTIONS
static void exceptions(void **state)
{
    begin(PEERS_MOST_FRAMES);
    for (int depth = 0; depth < 8; depth++)
        throw_and_catch(depth);
    assert_int_equal(peers->found.captures, 8 * 2 + 2 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8));
    end_without_difference();
}
#endif

/* ---- Depth ----------------------------------------------------------------------------------- */

static volatile uint64_t deep_sink;

static __attribute__((noinline)) void visit_deep(uint64_t n)
{
    if (n > 0)
        visit_deep(n - 1);
    if (n % 9973 < 3)
        visit();
    deep_sink = n;
}

static void deep_recursion_is_cut(void **state)
{
    const uint32_t limits[] = {1, 2, 128, 4096};
    for (unsigned i = 0; i < 4; i++) {
        begin(limits[i]);
        visit_deep(100000);
        assert_true(visits > 30);
        assert_int_equal(peers->found.truncated,
                         peers->found.captures - (limits[i] == 4096 ? 3 : 0));
        end_without_difference();
    }
}

static uint32_t deep_length;
static bool deep_truncated;

static __attribute__((noinline)) void take_deep(struct unwind_thread *thread)
{
    struct unwind_start start = unwind_start_at_caller();
    struct unwind_stack stack;
    unwind_capture(thread, &start, &stack);
    deep_length = stack.length;
    deep_truncated = stack.truncated;
}

static __attribute__((noinline)) void go_deep(struct unwind_thread *thread, uint64_t n)
{
    if (n == 0)
        take_deep(thread);
    else
        go_deep(thread, n - 1);
    deep_sink = n;
}

static void deep_recursion_is_whole(void **state)
{
    struct unwind_thread *thread = aligned_alloc(64, (unwind_thread_size(200000) + 63) & ~63ul);
    unwind_thread_init(thread, 200000);
    go_deep(thread, 0);
    uint32_t shallow = deep_length;
    assert_false(deep_truncated);
    go_deep(thread, 100000);
    assert_false(deep_truncated);
    assert_int_equal(deep_length, shallow + 100000);
    unwind_thread_init(thread, shallow + 7);
    go_deep(thread, 7);
    assert_false(deep_truncated);
    go_deep(thread, 8);
    assert_true(deep_truncated);
    assert_int_equal(deep_length, shallow + 7);
    free(thread);
}

/* ---- The previous stack ---------------------------------------------------------------------- */

static uint64_t random_state = 12345;

static uint64_t next_random(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

static void wander(unsigned depth);

/* Four ways on, of which two have frames of the same size. */
static __attribute__((noinline)) void way_a(unsigned depth)
{
    wander(depth);
    deep_sink = depth;
}

static __attribute__((noinline)) void way_b(unsigned depth)
{
    wander(depth);
    deep_sink = depth + 1;
}

static __attribute__((noinline)) void way_c(unsigned depth)
{
    volatile uint64_t room[9];
    room[depth % 9] = depth;
    wander(depth);
    deep_sink = room[depth % 9];
}

static __attribute__((noinline)) void way_d(unsigned depth)
{
    volatile uint64_t room[3 + next_random(30)];
    room[0] = depth;
    wander(depth);
    deep_sink = room[0];
}

static void wander(unsigned depth)
{
    static void (*const ways[])(unsigned) = {way_a, way_b, way_c, way_d};
    if (depth > 0)
        for (uint64_t i = next_random(3); i > 0; i--)
            ways[next_random(4)](depth - 1);
    if (next_random(3) == 0)
        visit();
}

/* Frames are left and entered anew at the same places, in random order. */
static void shares_are_true(void **state)
{
    const uint32_t limits[] = {PEERS_MOST_FRAMES, 12, 17};
    for (unsigned i = 0; i < 3; i++) {
        begin(limits[i]);
        while (visits < 20000)
            wander(14);
        if (i == 0)
            assert_true(peers->found.shared > 8 * peers->found.captures);
        end_without_difference();
    }
}

static __attribute__((noinline)) void visit_twice(void)
{
    visit();
    uint32_t length = peers->stack.length;
    visit();
    assert_int_equal(peers->stack.length, length);
    assert_int_equal(peers->stack.shared, length - 1);
    volatile uint32_t shares[3], count = 0;
    while (count < 3) {
        visit();
        shares[count++] = peers->stack.shared;
    }
    assert_int_equal(shares[0], length - 1);
    assert_int_equal(shares[1], length);
    assert_int_equal(shares[2], length);
}

static void share_is_as_long_as_can_be(void **state)
{
    begin(PEERS_MOST_FRAMES);
    visit_twice();
    unwind_thread_forget(peers->thread);
    visit();
    assert_int_equal(peers->stack.shared, 0);
    uint64_t copy[3];
    assert_int_equal(unwind_stack_site_first(&peers->stack, copy, 3), 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(copy[i], peers->stack.addresses[peers->stack.length - 1 - i]);
    end_without_difference();
}

/* ---- Signals --------------------------------------------------------------------------------- */

static void visit_on_signal(int number)
{
    visit();
    visit();
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    assert_int_equal(sigaction(number, &action, NULL), 0);
}

static void signal_handler(void **state)
{
    begin(PEERS_MOST_FRAMES);
    handle(SIGUSR1, visit_on_signal, 0);
    raise(SIGUSR1);
    visit();
    assert_int_equal(peers->found.truncated, 0);
    assert_int_equal(peers->found.captures, 3);
    end_without_difference();
}

static void alternate_signal_stack(void **state)
{
    stack_t stack = {.ss_size = 1 << 18, .ss_sp = malloc(1 << 18)};
    stack_t none = {.ss_flags = SS_DISABLE};
    begin(PEERS_MOST_FRAMES);
    visit();
    assert_int_equal(sigaltstack(&stack, NULL), 0);
    handle(SIGUSR1, visit_on_signal, SA_ONSTACK);
    raise(SIGUSR1);
    visit();
    sigaltstack(&none, NULL);
    free(stack.ss_sp);
    assert_int_equal(peers->found.truncated, 0);
    end_without_difference();
}

/* Every instruction of every shape, of the calls into libc, of lazy binding and of the vdso,
 * interrupted.  The shapes' own visits do nothing meanwhile. */
static struct peers *stepping;

static __attribute__((noinline)) void visit_step(void)
{
    struct unwind_start start = unwind_start_at_caller();
    peers_compare(stepping, &start);
}

static void on_step(int number, siginfo_t *info, void *context)
{
    if (stepping)
        visit_step();
    else
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
}

static void trap_flag_on(void)
{
    __asm__ volatile(
        "sub $128, %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::
            : "cc", "memory");
}

static void every_instruction(void **state)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
    for (unsigned i = 0; i < SHAPES; i++) {
        struct peers *own = stepping = peers_new(PEERS_MOST_FRAMES);
        trap_flag_on();
        all_shapes[i]->all(4 + i);
        stepping = NULL;
        peers = own;
        assert_true(peers->found.captures > 1000);
        end_without_difference();
    }
}

/* A signal in the middle of a capture, at each of its instructions, that wants a stack of the same
 * thread. */
static struct unwind_thread *interrupted;
static unsigned refused, granted;

static void on_inner_step(int number, siginfo_t *info, void *context)
{
    struct unwind_start start = unwind_start_at_caller();
    struct unwind_stack stack;
    if (!interrupted) {
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
        return;
    }
    unwind_capture(interrupted, &start, &stack);
    refused += stack.length == 0 && stack.truncated;
    granted += stack.length > 1 && !stack.truncated;
}

static void capture_in_a_capture(void **state)
{
    struct sigaction action = {.sa_sigaction = on_inner_step, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
    struct unwind_thread *thread = aligned_alloc(64, (unwind_thread_size(64) + 63) & ~63ul);
    unwind_thread_init(thread, 64);
    go_deep(thread, 20);
    uint32_t length = deep_length;
    for (unsigned i = 0; i < 3; i++) {
        deep_length = 0;
        interrupted = thread;
        trap_flag_on();
        go_deep(thread, 20);
        interrupted = NULL;
        assert_int_equal(deep_length, length);
        assert_false(deep_truncated);
    }
    assert_true(refused > 100);
    assert_true(granted > 30);
    free(thread);
}

/* ---- Modules that come and go ---------------------------------------------------------------- */

static void *plugin_open(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unwind_modules_changed();
    assert_non_null(handle);
    return handle;
}

static void plugin_close(void *handle)
{
    unwind_modules_closing();
    dlclose(handle);
    unwind_modules_changed();
}

/* Stands for a malloc whose blocks are watched: a link map's word changes with each dlclose.  That
 * of a library which has gone may be asked for. */
static uint64_t blocks_freed = 1;
static unsigned words_wanted;

static const uint64_t *word_of(const void *block)
{
    struct link_map *map = _r_debug.r_map;
    while (map && map != block)
        map = map->l_next;
    words_wanted += map != NULL;
    return map ? &blocks_freed : NULL;
}

/* Two libraries in turn, mostly at the same place.  With `quiet`, nobody says that anything
 * changed. */
static void plugins(bool quiet)
{
    static const char *const paths[] = {PLUGIN_ONE, PLUGIN_TWO};
    unsigned same_place = 0;
    void *last_place = NULL;
    begin(PEERS_MOST_FRAMES);
    for (unsigned i = 0; i < 40; i++) {
        void *handle = quiet ? dlopen(paths[i & 1], RTLD_NOW) : plugin_open(paths[i & 1]);
        uint64_t (*run)(void (*)(void), uint64_t) =
            (uint64_t(*)(void (*)(void), uint64_t))(uintptr_t)dlsym(handle, "plugin_run");
        same_place += last_place == (void *)(uintptr_t)run;
        last_place = (void *)(uintptr_t)run;
        for (unsigned j = 0; j < 3; j++)
            run(visit, j);
        if (quiet)
            dlclose(handle);
        else
            plugin_close(handle);
        blocks_freed++;
    }
    assert_true(same_place > 20);
    assert_int_equal(peers->found.captures, 120);
    assert_int_equal(peers->found.truncated, 0);
    end_without_difference();
}

static void plugins_in_turn(void **state)
{
    plugins(false);
}

static void plugins_in_turn_unnoticed(void **state)
{
    plugins(true);
}

/* Once a library is known its word alone is looked at. */
static void plugins_in_turn_watched(void **state)
{
    words_wanted = 0;
    unwind_modules_watch(word_of);
    plugins(true);
    unwind_modules_watch(NULL);
    assert_in_range(words_wanted, 40, 80);
}

static void lazy_binding(void **state)
{
    void *handle = dlopen(LAZY, RTLD_LAZY | RTLD_LOCAL);
    assert_non_null(handle);
    unwind_modules_changed();
    void (**hook)(void) = (void (**)(void))dlsym(handle, "lazy_visit");
    int (*run)(void) = (int (*)(void))(uintptr_t)dlsym(handle, "lazy_run");
    begin(PEERS_MOST_FRAMES);
    *hook = visit;
    assert_int_equal(run(), 3);
    assert_int_equal(peers->found.captures, 1);
    assert_int_equal(peers->found.truncated, 0);
    end_without_difference();
    plugin_close(handle);
}

/* ---- Threads and other stacks ---------------------------------------------------------------- */

static void *visit_in_thread(void *argument)
{
    struct comparison *found = argument;
    begin(PEERS_MOST_FRAMES);
    for (uint64_t n = 0; n < 10; n++)
        for (unsigned i = 0; i < SHAPES; i++)
            all_shapes[i]->all(n);
    *found = peers->found;
    peers_free(peers);
    return NULL;
}

static void threads(void **state)
{
    pthread_t ids[4];
    struct comparison found[4];
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, visit_in_thread, &found[i]), 0);
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(ids[i], NULL);
        assert_true(found[i].captures > 1000);
        assert_int_equal(found[i].differing, 0);
        assert_int_equal(found[i].truncated, 0);
        assert_int_equal(found[i].wrong_shares, 0);
    }
}

static ucontext_t main_context, other_context;

static void on_other_stack(void)
{
    for (uint64_t n = 0; n < 4; n++) {
        shapes_optimised.all(n);
        swapcontext(&other_context, &main_context);
        shapes_plain.sorts(n);
    }
}

static void made_context(void **state)
{
    size_t size = 1 << 18;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin(PEERS_MOST_FRAMES);
    visit();
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = memory;
    other_context.uc_stack.ss_size = size;
    other_context.uc_link = &main_context;
    makecontext(&other_context, on_other_stack, 0);
    peers->open_end = true; /* glibc's first function on such a stack has no tables */
    for (unsigned i = 0; i < 5; i++) {
        swapcontext(&main_context, &other_context);
        visit();
    }
    munmap(memory, size);
    assert_true(peers->found.captures > 100);
    end_without_difference();
}

/* ---- Where there is nothing to find ---------------------------------------------------------- */

static void no_code_no_stack(void **state)
{
    void *memory = aligned_alloc(64, (unwind_thread_size(16) + 63) & ~63ul);
    struct unwind_thread *thread = unwind_thread_init(memory, 16);
    char *hole = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t here[64] = {0};
    uint64_t code = (uint64_t)(uintptr_t)every_shape + 1;
    const struct unwind_start starts[] = {
        {.pc = 0x1000, .sp = (uint64_t)here, .fp = 0},
        {.pc = code, .sp = (uint64_t)hole + 4096, .fp = (uint64_t)hole},
        {.pc = code, .sp = 16, .fp = UINT64_MAX - 8},
        {.pc = (uint64_t)hole, .sp = (uint64_t)here, .fp = (uint64_t)here},
        {.pc = UINT64_MAX, .sp = UINT64_MAX - 7, .fp = UINT64_MAX},
    };
    for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++) {
        struct unwind_stack stack;
        unwind_capture(thread, &starts[i], &stack);
        assert_int_equal(stack.length, 1);
        assert_true(stack.truncated);
        assert_int_equal(stack.addresses[0], starts[i].pc - 1);
    }
    munmap(hole, 8192);
    free(memory);
}

/* Machine code without unwinding tables, as a just-in-time compiler makes it. */
static void code_without_tables(void **state)
{
    static const uint8_t code[] = {0x48, 0x83, 0xec, 0x08, /* sub $8, %rsp */
                                   0xff, 0xd7,             /* call *%rdi */
                                   0x48, 0x83, 0xc4, 0x08, /* add $8, %rsp */
                                   0xc3};
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_EXEC), 0);
    begin(PEERS_MOST_FRAMES);
    peers->open_end = true;
    ((void (*)(void (*)(void)))(uintptr_t)page)(visit);
    assert_true(peers->stack.truncated);
    assert_int_equal(peers->stack.length, 1);
    assert_int_equal(peers->stack.addresses[0], (uint64_t)(page + 5));
    peers_free(peers);
    peers = NULL;
    munmap(page, 4096);
}

int main(int count, char **arguments)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape),
#ifdef HAVE_LIBUNWIND
        cmocka_unit_test(every_shape_as_libunwind),
#endif
        cmocka_unit_test(callback_of_libc),
#ifdef HAVE_EXCEPTIONS
        cmocka_unit_test(exceptions),
#endif
        cmocka_unit_test(deep_recursion_is_cut),
        cmocka_unit_test(deep_recursion_is_whole),
        cmocka_unit_test(shares_are_true),
        cmocka_unit_test(share_is_as_long_as_can_be),
        cmocka_unit_test(signal_handler),
        cmocka_unit_test(alternate_signal_stack),
        cmocka_unit_test(every_instruction),
        cmocka_unit_test(capture_in_a_capture),
        cmocka_unit_test(plugins_in_turn),
        cmocka_unit_test(lazy_binding),
        cmocka_unit_test(threads),
        cmocka_unit_test(made_context),
        cmocka_unit_test(no_code_no_stack),
        cmocka_unit_test(code_without_tables),
    };
    static const struct CMUnitTest unnoticed[] = {cmocka_unit_test(plugins_in_turn_unnoticed),
                                                  cmocka_unit_test(plugins_in_turn_watched)};
    bool snapshot = count > 1 && strcmp(arguments[1], "snapshot") == 0;
    if (snapshot)
        module_without_find_object();
    unwind_modules_init();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    if (count > 1 && strcmp(arguments[1], "unnoticed") == 0)
        return cmocka_run_group_tests(unnoticed, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
