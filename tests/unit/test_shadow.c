/* The shadow memory of exact recording: where a block's id stands, and what comes of blocks that
 * have to share a word. */
#include "run_tests.h"
#include "tap/record/shadow.h"

enum { BLOCK = 0x10000, HALF = 16 };
static const uint64_t high = (uint64_t)1 << 50;

static void put(uint64_t address, uint64_t word)
{
    if (!shadow_is_odd(address) && !shadow_place(address))
        assert_non_null(shadow_make_place(address));
    shadow_put(address, word);
}

static void is_taken_once(uint64_t address, uint64_t word)
{
    assert_int_equal(shadow_take(address), word);
    assert_int_equal(shadow_take(address), 0);
}

static void two_blocks(void)
{
    put(BLOCK, 7);
    put(BLOCK + HALF, 8);
    put(BLOCK + 2 * HALF, 9);
    is_taken_once(BLOCK, 7);
    put(BLOCK, 10); /* its neighbour is still there */
    is_taken_once(BLOCK + HALF, 8);
    is_taken_once(BLOCK, 10);
    is_taken_once(BLOCK + 2 * HALF, 9);
}

static void a_word_each(void **state)
{
    assert_true(shadow_init(false));
    two_blocks();
    assert_false(shadow.has_odd);
    assert_ptr_not_equal(shadow_place(BLOCK), shadow_place(BLOCK + HALF));
}

static void a_word_for_two(void **state)
{
    assert_true(shadow_init(true));
    put(BLOCK, 1);
    put(BLOCK + 2 * HALF, 2);
    is_taken_once(BLOCK, 1);
    is_taken_once(BLOCK + 2 * HALF, 2);
    assert_false(shadow.has_odd);
    assert_ptr_equal(shadow_place(BLOCK), shadow_place(BLOCK + HALF));
    two_blocks();
    assert_true(shadow.has_odd);
}

static void no_word_at_all(void **state)
{
    assert_true(shadow_init(true));
    put(BLOCK + 8, 3);
    put(high, 4);
    is_taken_once(BLOCK + 8, 3);
    is_taken_once(high, 4);
    assert_int_equal(shadow_take(BLOCK), 0);
}

static int forget(void **state)
{
    shadow_clear();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_word_each, forget),
        cmocka_unit_test_teardown(a_word_for_two, forget),
        cmocka_unit_test_teardown(no_word_at_all, forget),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
