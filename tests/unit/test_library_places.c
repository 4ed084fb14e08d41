/* Functions of libraries taken off the ends of stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/library_ends.h"

static void test_names(void **state)
{
    static const char *const machinery[] = {
        "malloc",
        "xmalloc",
        "g_malloc0",
        "PyMem_Realloc",
        "_PyObject_Malloc",
        "strdup",
        "__strndup",
        "palloc",
        "AllocSetAlloc",
        "operator new",
        "operator new[]",
        "_Znwm",
        "std::vector::push_back",
        "_ZNSt6vectorIiE9push_backEi",
        "my_reallocarray",
        "Stdlib.List.map",
        "Stdlib__Bytes.sub",
        "camlStdlib__Buffer__resize_123",
        "av_mallocz",
        "sqlite3DbMallocRawNN",
        "caml_alloc_small_dispatch",
        "__rust_alloc",
        "libjemalloc.so.2+0x1234",
        "tcmalloc::allocate_full_malloc_oom",
        "QArrayData::allocate",
        "__gnu_cxx::new_allocator::allocate",
        "core::ops::call",
        "alloc::vec::Vec::push",
        "void std::vector<int, std::allocator<int> >::emplace_back<int>(int&&)",
        "std::unique_ptr<Doc> std::make_unique<Doc>()",
        "void* operator new(unsigned long)",
    };
    static const char *const others[] = {
        "main",
        "f",
        "operator+",
        "standard::f",
        "app::allocators::Pool::grow",
        "+0x1a110c",
        "newton",
        "node_alloc",
        "alloc_node",
        "app::Pool::allocate",
        "Buffer::reallocate",
        "file_preallocate",
        "file_prealloc",
        "app::palloc",
        "dealloc_all",
        "f<malloc>",
        "std::string app::name_of<int>(int)",
    };
    for (size_t i = 0; i < sizeof machinery / sizeof *machinery; i++)
        if (!allocator_is_name(machinery[i]))
            fail_msg("%s is machinery", machinery[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (allocator_is_name(others[i]))
            fail_msg("%s is none", others[i]);
}

static void test_places(void **state)
{
    struct heaptap_location rust = {.file = "/rustc/5980/library/alloc/src/slice.rs",
                                    .function = "<[u8]>::to_vec"};
    struct heaptap_location crate = {.file = "/rust/deps/hashbrown-0.16.1/src/raw/mod.rs",
                                     .function = "hashbrown::raw::RawTableInner::prepare_resize"};
    struct heaptap_location own = {.file = "src/rustc/main.rs", .function = "<[u8]>::to_vec"};
    struct heaptap_location bare = {.function = "std::vector::push_back"};
    assert_true(library_is_place(&rust));
    assert_true(library_is_place(&crate));
    assert_false(library_is_place(&own));
    assert_true(library_is_place(&bare));
}

/* Frames 0: unknown; 1: main; 2: malloc; 3: xmalloc; 4: f with std::a and malloc inlined. */
static const struct {
    size_t count;
    struct heaptap_location locations[3];
} frames[] = {
    {0, {{0}}},
    {1, {{.file = "a.c", .function = "main", .line = 1}}},
    {1, {{.file = "m.c", .function = "malloc", .line = 2}}},
    {1, {{.file = "x.c", .function = "xmalloc", .line = 3}}},
    {3,
     {{.file = "f.c", .function = "f", .line = 4},
      {.file = "s.h", .function = "std::a"},
      {.file = "m.h", .function = "malloc"}}},
};

static const struct heaptap_location *locations_of(void *context, uint32_t frame, size_t *count)
{
    *count = frames[frame].count;
    return frames[frame].locations;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    return 0x1000 + frame;
}

static const struct frame_source source = {locations_of, code_of, 5, NULL};

static void add(struct stack_profile *profile, uint64_t samples, const uint32_t *stack,
                uint32_t length)
{
    struct heaptap_event event = {.kind = HEAPTAP_ALLOC,
                                  .length = samples,
                                  .samples = samples,
                                  .stack = stack,
                                  .stack_length = length};
    assert_true(stack_profile_add(profile, &event));
}

/* The samples of the stack of these frames. */
static uint64_t samples_of(const struct stack_profile *profile, const uint32_t *stack,
                           uint32_t length)
{
    uint32_t node = STACK_ROOT;
    for (uint32_t i = 0; i < length; i++) {
        node = stack_trie_find(&profile->trie, node, stack[i]);
        assert_int_not_equal(node, STACK_NONE);
    }
    uint32_t number = profile->trie.links[node].stack;
    return number == STACK_NONE ? 0 : profile->tallies[number].samples;
}

static void test_take_off(void **state)
{
    struct stack_profile profile;
    struct library_hidden hidden;
    struct heaptap_trace_info info = {.sample_rate = 1, .word_bits = 8};
    assert_true(stack_profile_init(&profile, &info));
    add(&profile, 1, (uint32_t[]){1, 3, 2}, 3);   /* main: new, as no stack ended there */
    add(&profile, 10, (uint32_t[]){1, 4, 2}, 3);  /* f, in which machinery is inlined */
    add(&profile, 100, (uint32_t[]){1, 0, 2}, 3); /* an unknown function is no machinery */
    add(&profile, 1000, (uint32_t[]){3, 2}, 2);   /* nothing else: stays */
    add(&profile, 10000, (uint32_t[]){1, 3}, 2);  /* main again */
    add(&profile, 100000, (uint32_t[]){2, 4}, 2); /* machinery further out doesn't matter */
    stack_profile_finish(&profile);
    assert_true(library_take_off(&profile, &source, &hidden));
    assert_int_equal(samples_of(&profile, (uint32_t[]){1}, 1), 10001);
    assert_int_equal(samples_of(&profile, (uint32_t[]){1, 3, 2}, 3), 0);
    assert_int_equal(samples_of(&profile, (uint32_t[]){1, 3}, 2), 0);
    assert_int_equal(samples_of(&profile, (uint32_t[]){1, 4}, 2), 10);
    assert_int_equal(samples_of(&profile, (uint32_t[]){1, 0}, 2), 100);
    assert_int_equal(samples_of(&profile, (uint32_t[]){3, 2}, 2), 1000);
    assert_int_equal(samples_of(&profile, (uint32_t[]){2, 4}, 2), 100000);
    stack_profile_finish(&profile);
    assert_int_equal(profile.total.samples, 111111);
    assert_int_equal(hidden.functions, 3); /* malloc, xmalloc, std::a */
    assert_int_equal(hidden.tally.samples, 110111);
    stack_profile_release(&profile);
}

static void test_hidden(void **state)
{
    struct frame_source hidden = library_hidden_frames(&source);
    static const size_t counts[] = {0, 1, 1, 1, 1};
    for (uint32_t frame = 0; frame < 5; frame++) {
        size_t count;
        const struct heaptap_location *locations = hidden.locations(hidden.context, frame, &count);
        assert_int_equal(count, counts[frame]);
        assert_ptr_equal(locations, frames[frame].locations);
        assert_int_equal(hidden.code(hidden.context, frame), 0x1000 + frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_take_off),
        cmocka_unit_test(test_hidden),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
