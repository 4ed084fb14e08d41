/* Stacks by frame records (src/tap/unwind/walk_aarch64.c) against libgcc's _Unwind_Backtrace, which
 * goes by .eh_frame: the same addresses, frame by frame. */
#include "run_tests.h"

#include <pthread.h>
#include <stdlib.h>

#include "peers.h"
#include "shapes.h"
#include "tap/unwind/unwind.h"

static __thread struct peers *peers;

__attribute__((noinline)) void visit(void)
{
    struct unwind_start start = unwind_start_at_caller();
    if (peers)
        peers_compare(peers, &start);
}

static const struct shapes *const all_shapes[] = {&shapes_optimised, &shapes_plain, &shapes_framed};
enum { SHAPES = sizeof all_shapes / sizeof *all_shapes };

/* Ends a comparison in which nothing may have differed; returns how many stacks were compared. */
static uint64_t end_without_difference(uint64_t truncated)
{
    struct comparison found = peers->found;
    peers_free(peers);
    peers = NULL;
    assert_int_equal(found.differing, 0);
    assert_int_equal(found.wrong_shares, 0);
    assert_int_equal(found.truncated, truncated);
    return found.captures;
}

static void every_shape(void **state)
{
    for (unsigned i = 0; i < SHAPES; i++) {
        peers = peers_new(PEERS_MOST_FRAMES);
        for (uint64_t n = 0; n < 25; n++)
            all_shapes[i]->all(n);
        assert_true(end_without_difference(0) > 1000);
    }
}

static void callback_of_libc(void **state)
{
    peers = peers_new(PEERS_MOST_FRAMES);
    for (unsigned i = 0; i < SHAPES; i++)
        all_shapes[i]->sorts(i);
    assert_true(end_without_difference(0) > 20);
}

static volatile uint64_t sink;

static __attribute__((noinline)) void visit_deep(uint64_t n)
{
    if (n > 0)
        visit_deep(n - 1);
    if (n % 97 == 0)
        visit();
    sink = n;
}

static void deep_recursion_is_cut(void **state)
{
    peers = peers_new(128);
    visit_deep(970);
    /* Of the eleven stacks those of n = 970 and 873 have fewer than 128 frames. */
    assert_int_equal(end_without_difference(9), 11);
}

static void *in_thread(void *argument)
{
    peers = peers_new(PEERS_MOST_FRAMES);
    for (uint64_t n = 0; n < 5; n++)
        shapes_framed.all(n);
    return (void *)(end_without_difference(0) > 100 ? 1UL : 0UL);
}

static void threads(void **state)
{
    pthread_t thread;
    void *result;
    assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, (void *)1UL);
}

int main(void)
{
    return RUN_TESTS(every_shape, callback_of_libc, deep_recursion_is_cut, threads);
}
