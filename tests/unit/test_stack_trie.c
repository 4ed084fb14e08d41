/* Stacks as a trie, and what a profile sums up on it. */
#include <string.h>

#include "run_tests.h"
#include "profile/stack_profile.h"
#include "profile/stack_trie.h"

static struct heaptap_event alloc(uint16_t domain, uint32_t shared, const uint32_t *stack,
                                  uint32_t length)
{
    return (struct heaptap_event){.kind = HEAPTAP_ALLOC,
                                  .domain = domain,
                                  .length = 3,
                                  .samples = 1,
                                  .stack = stack,
                                  .stack_length = length,
                                  .stack_shared = shared};
}

static void children_and_stacks_are_numbered_as_they_come(void **state)
{
    struct stack_trie trie;
    assert_true(stack_trie_init(&trie));
    assert_int_equal(trie.count, 1);
    assert_int_equal(stack_trie_find(&trie, STACK_ROOT, 7), STACK_NONE);
    assert_int_equal(stack_trie_child(&trie, STACK_ROOT, 7), 1);
    assert_int_equal(stack_trie_child(&trie, 1, 7), 2);
    assert_int_equal(stack_trie_child(&trie, STACK_ROOT, 8), 3);
    assert_int_equal(stack_trie_child(&trie, STACK_ROOT, 7), 1);
    assert_int_equal(stack_trie_child(&trie, STACK_ROOT, 0), 4);
    assert_int_equal(stack_trie_child(&trie, STACK_ROOT, 0), 4);
    assert_int_equal(stack_trie_find(&trie, 1, 7), 2);
    assert_int_equal(stack_trie_find(&trie, 3, 7), STACK_NONE);
    assert_int_equal(trie.nodes[2].parent, 1);
    assert_int_equal(trie.nodes[2].frame, 7);
    assert_int_equal(stack_trie_stack(&trie, 2), 0);
    assert_int_equal(stack_trie_stack(&trie, STACK_ROOT), 1);
    assert_int_equal(stack_trie_stack(&trie, 2), 0);
    assert_int_equal(trie.stack_count, 2);
    assert_int_equal(trie.ends[0], 2);
    assert_int_equal(trie.ends[1], STACK_ROOT);
    stack_trie_release(&trie);
}

/* More children than a chain holds, found again in any order. */
static void many_children(void **state)
{
    enum { CHILDREN = 5000 };
    struct stack_trie trie;
    assert_true(stack_trie_init(&trie));
    uint32_t parent = stack_trie_child(&trie, STACK_ROOT, 1);
    uint32_t other = stack_trie_child(&trie, STACK_ROOT, 2);
    for (uint32_t i = 0; i < CHILDREN; i++) {
        assert_int_equal(stack_trie_child(&trie, parent, i * 3), 3 + 2 * i);
        assert_int_equal(stack_trie_child(&trie, other, i * 3), 4 + 2 * i);
    }
    for (uint32_t step = 0, i = 0; step < CHILDREN; step++, i = (i + 1999) % CHILDREN) {
        assert_int_equal(stack_trie_child(&trie, parent, i * 3), 3 + 2 * i);
        assert_int_equal(stack_trie_find(&trie, other, i * 3), 4 + 2 * i);
        assert_int_equal(stack_trie_find(&trie, parent, i * 3 + 1), STACK_NONE);
    }
    assert_int_equal(trie.count, 3 + 2 * CHILDREN);
    stack_trie_release(&trie);
}

static void paths_keep_what_a_domain_shares(void **state)
{
    struct stack_trie trie;
    struct stack_paths paths = {0};
    uint32_t a[] = {1, 2, 3}, b[] = {1, 2, 4}, c[] = {9, 2};
    assert_true(stack_trie_init(&trie));
    struct heaptap_event event = alloc(0, 0, a, 3);
    assert_int_equal(stack_paths_follow(&paths, &trie, &event), 3);
    event = alloc(5, 0, c, 2);
    assert_int_equal(stack_paths_follow(&paths, &trie, &event), 5);
    event = alloc(0, 2, b, 3); /* shares with domain 0's last, not with domain 5's */
    assert_int_equal(stack_paths_follow(&paths, &trie, &event), 6);
    assert_int_equal(trie.nodes[6].parent, 2);
    event = alloc(0, 3, b, 3);
    assert_int_equal(stack_paths_follow(&paths, &trie, &event), 6);
    event = alloc(0, 2, b, 2);
    assert_int_equal(stack_paths_follow(&paths, &trie, &event), 2);
    event = alloc(5, 0, NULL, 0);
    assert_int_equal(stack_paths_follow(&paths, &trie, &event), STACK_ROOT);
    assert_int_equal(trie.count, 7);
    stack_paths_release(&paths);
    stack_trie_release(&trie);
}

static void profiles_sum_by_stack(void **state)
{
    struct heaptap_trace_info info = {.sample_rate = 0.25, .word_bits = 64};
    struct stack_profile profile;
    uint32_t a[] = {1, 2};
    assert_true(stack_profile_init(&profile, &info));
    struct heaptap_event event = alloc(0, 0, a, 2); /* 3 words and a header, 1 sample */
    assert_true(stack_profile_add(&profile, &event));
    event = alloc(0, 1, a, 1);
    event.samples = 2;
    event.length = 0;
    assert_true(stack_profile_add(&profile, &event));
    event = alloc(0, 1, a, 2);
    event.length = 7;
    event.samples = 4;
    assert_true(stack_profile_add(&profile, &event));
    stack_profile_finish(&profile);
    assert_int_equal(profile.trie.stack_count, 2);
    assert_int_equal(profile.tallies[0].events, 2);
    assert_int_equal(profile.tallies[0].samples, 5);
    assert_true(stack_tally_bytes(&profile.tallies[0], &profile.estimate) == 5 / 0.25 * 8);
    assert_true(stack_tally_objects(&profile.tallies[0], &profile.estimate) == 0.75 / 0.25);
    assert_int_equal(profile.tallies[1].samples, 2);
    assert_true(profile.tallies[1].density == 2.0);
    assert_int_equal(profile.total.events, 3);
    assert_int_equal(profile.total.samples, 7);
    stack_profile_release(&profile);
}

/* Lengths in bytes have no header; a block of none stands for its samples. */
static void profiles_of_bytes_have_no_header(void **state)
{
    struct heaptap_trace_info info = {.sample_rate = 0.5, .word_bits = 8};
    struct stack_profile profile;
    uint32_t a[] = {1};
    assert_true(stack_profile_init(&profile, &info));
    struct heaptap_event event = alloc(0, 0, a, 1);
    event.length = 4;
    assert_true(stack_profile_add(&profile, &event));
    event = alloc(0, 1, a, 1);
    event.length = 0;
    assert_true(stack_profile_add(&profile, &event));
    stack_profile_finish(&profile);
    assert_true(stack_tally_bytes(&profile.total, &profile.estimate) == 4);
    assert_true(profile.total.density == 1.25);
    stack_profile_release(&profile);
}

/* What stands in a finished trie is what stood there. */
static void finished_tries_keep_nodes_and_stacks(void **state)
{
    struct stack_trie trie;
    assert_true(stack_trie_init(&trie));
    stack_trie_finish(&trie); /* without stacks */
    stack_trie_release(&trie);
    assert_true(stack_trie_init(&trie));
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(stack_trie_stack(&trie, stack_trie_child(&trie, i / 3, i)), i);
    stack_trie_finish(&trie);
    assert_null(trie.links);
    assert_false(trie.is_in_order);
    assert_int_equal(trie.count, 1001);
    assert_int_equal(trie.stack_count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(trie.ends[i], i + 1);
        assert_int_equal(trie.nodes[i + 1].parent, i / 3);
        assert_int_equal(trie.nodes[i + 1].frame, i);
    }
    stack_trie_release(&trie);
}

/* What is appended stands in the trie in the order in which it came. */
static void appended_stacks_are_numbered_as_they_come(void **state)
{
    struct stack_trie trie;
    assert_true(stack_trie_init_appended(&trie));
    assert_int_equal(stack_trie_append_stack(&trie, STACK_ROOT), 0);
    uint32_t outer = stack_trie_append(&trie, STACK_ROOT, 7);
    uint32_t inner = stack_trie_append(&trie, outer, 9);
    assert_int_equal(outer, 1);
    assert_int_equal(inner, 2);
    assert_int_equal(stack_trie_append_stack(&trie, inner), 1);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(stack_trie_append(&trie, inner, i), 3 + i);
    assert_int_equal(trie.count, 1003);
    assert_int_equal(trie.nodes[1002].parent, inner);
    assert_int_equal(trie.nodes[1002].frame, 999);
    assert_int_equal(trie.ends[0], STACK_ROOT);
    assert_int_equal(trie.ends[1], inner);
    stack_trie_release(&trie);
}

int main(void)
{
    return RUN_TESTS(children_and_stacks_are_numbered_as_they_come, many_children,
                     finished_tries_keep_nodes_and_stacks,
                     appended_stacks_are_numbered_as_they_come, paths_keep_what_a_domain_shares,
                     profiles_sum_by_stack, profiles_of_bytes_have_no_header);
}
