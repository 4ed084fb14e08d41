/* Which functions are wrappers of allocators by their shape, and which are not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_tests.h"
#include "profile/selection.h"
#include "profile/wrappers.h"
#include "stack_value.h"

enum { CALLERS = 40, PLACES = 4, F = 1 + CALLERS, INNER = F + PLACES, OUTER, FRAMES };

/* A program in which `callers` functions call one, from which blocks of `sizes` sizes come: the first, and each `times` the one
 * before. */
struct shape {
    const char *what;
    const char *function, *file; /* of the one that is called */
    const char *inner;           /* what that calls; NULL for malloc, which no stack shows */
    uint32_t callers, places, sizes;
    double first, times;
    uint32_t indirect; /* further blocks that come through it, from something else */
    bool is_inlined;   /* into its callers */
    bool is_nameless_runtime;
};

static const struct shape *now;
static struct heaptap_location at[FRAMES][2];
static size_t counts[FRAMES];
static char names[CALLERS][16];

static void put(uint32_t frame, const char *function, const char *file, uint32_t line)
{
    at[frame][counts[frame]++] =
        (struct heaptap_location){.function = function, .file = file, .line = line};
}

static const struct heaptap_location *locations_of(void *context, uint32_t frame, size_t *count)
{
    *count = counts[frame];
    return at[frame];
}

static uint64_t code_of(void *context, uint32_t frame)
{
    return 0x1000 + frame;
}

static void make_frames(void)
{
    memset(counts, 0, sizeof counts);
    put(0, "main", "main.c", 1);
    bool has_line = !strstr(now->function, "+0x");
    for (uint32_t i = 0; i < CALLERS; i++) {
        snprintf(names[i], sizeof names[i], "caller%u", i);
        put(1 + i, names[i], "app.c", 10 + i);
        if (now->is_inlined)
            put(1 + i, now->function, now->file, 7);
    }
    for (uint32_t i = 0; i < PLACES; i++)
        put(F + i, now->function, now->file, has_line ? 100 + i : 0);
    put(INNER, now->inner ? now->inner : "malloc", "inner.c", 3);
    put(OUTER, "parse", "parse.c", 4);
}

static void add(struct stack_profile *profile, uint64_t size, const uint32_t *stack,
                uint32_t length)
{
    struct heaptap_event event = {.kind = HEAPTAP_ALLOC,
                                  .length = size,
                                  .samples = size,
                                  .stack = stack,
                                  .stack_length = length};
    assert_true(stack_profile_add(profile, &event));
}

static void add_blocks(struct stack_profile *profile)
{
    uint32_t most = now->callers > now->sizes ? now->callers : now->sizes;
    double size = now->first;
    for (uint32_t i = 0; i < most; i++) {
        uint32_t caller = 1 + i % now->callers, place = F + i % now->places;
        uint32_t stack[] = {0, caller, place, INNER};
        if (now->is_inlined)
            stack[2] = INNER;
        add(profile, (uint64_t)size, stack, 3 + (now->inner && !now->is_inlined));
        size = (i + 1) % now->sizes == 0 ? now->first : size * now->times;
    }
    for (uint32_t i = 0; i < now->indirect; i++)
        add(profile, 16, (uint32_t[]){0, 1, F, OUTER}, 4);
}

/* Begins a profile of such a program, with its blocks. */
static void profile_begin(struct stack_profile *profile, const struct shape *shape)
{
    struct heaptap_trace_info info = {.sample_rate = 1, .word_bits = 8};
    now = shape;
    make_frames();
    assert_true(stack_profile_init(profile, &info));
    add_blocks(profile);
}

/* Of a profile that has all its blocks. */
static void find_in(struct wrappers *wrappers, struct stack_profile *profile)
{
    struct frame_source source = {.locations = locations_of,
                                  .code = code_of,
                                  .frame_count = FRAMES,
                                  .program = "/usr/bin/app",
                                  .is_nameless_runtime = now->is_nameless_runtime};
    stack_profile_finish(profile);
    size_t count = profile->trie.stack_count;
    struct wrapper_use *uses = calloc(count + 1, sizeof *uses);
    for (size_t i = 0; i < count; i++) {
        const struct stack_tally *tally = &profile->tallies[i];
        uses[i] = (struct wrapper_use){tally->density, (double)tally->samples / tally->density};
    }
    assert_true(wrappers_find(wrappers, &profile->trie, uses, &source));
    free(uses);
}

static bool finds(const struct shape *shape)
{
    struct stack_profile profile;
    struct wrappers wrappers = {0};
    struct heaptap_location function = {.function = shape->function, .file = shape->file};
    profile_begin(&profile, shape);
    find_in(&wrappers, &profile);
    bool found = wrappers_have(&wrappers, &function);
    if (found)
        assert_int_equal(wrappers.by_name.count, 1); /* and nothing else */
    wrappers_release(&wrappers);
    stack_profile_release(&profile);
    return found;
}

static void test_wrappers(void **state)
{
    static const struct shape shapes[] = {
        {"the least", "grab", "app.c", NULL, 8, 1, 6, 16, 2},
        {"many callers", "grab", "app.c", NULL, 40, 1, 12, 8, 2},
        {"two places", "grab", "app.c", NULL, 12, 2, 9, 24, 2},
        {"without a name", "app+0xd8460", "/usr/bin/app", NULL, 12, 1, 9, 24, 2},
        {"from a symbol table", "grab", "/usr/bin/app", NULL, 12, 1, 9, 24, 2},
        {"in a library", "grab", "/usr/lib/libgrab.so.1", NULL, 12, 1, 9, 24, 2},
        {"of xmalloc", "grab", "app.c", "xmalloc", 12, 1, 9, 24, 2},
        {"of operator new", "Pool::grab", "pool.cc", "operator new", 12, 1, 9, 24, 2},
        {"in Rust", "app::grab", "src/grab.rs", NULL, 12, 1, 9, 24, 2},
        {"in a header", "buffer_grow", "buffer.h", NULL, 12, 1, 9, 24, 2},
        {"inlined", "grab", "app.h", NULL, 12, 1, 9, 24, 2, 0, true},
        {"hardly anything else", "grab", "app.c", NULL, 30, 1, 10, 24, 2, 3},
        {"uneven sizes", "grab", "app.c", NULL, 30, 1, 30, 5, 1.37},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!finds(&shapes[i]))
            fail_msg("%s: not found", shapes[i].what);
}

static void test_others(void **state)
{
    static const struct shape shapes[] = {
        {"few callers", "grab", "app.c", NULL, 7, 1, 12, 16, 2},
        {"one caller", "grab", "app.c", NULL, 1, 1, 12, 16, 2},
        {"three places", "parse_json", "app.c", NULL, 12, 3, 12, 16, 2},
        {"a constructor", "node_new", "app.c", NULL, 40, 1, 1, 64, 1},
        {"a constructor of four sizes", "node_new", "app.c", NULL, 40, 1, 4, 32, 3},
        {"five sizes", "grab", "app.c", NULL, 40, 1, 5, 16, 4},
        {"sizes alike", "node_new", "app.c", NULL, 40, 1, 7, 64, 1.5},
        {"much comes from elsewhere", "build", "app.c", NULL, 12, 1, 9, 24, 2, 4},
        {"a container's caller", "collect", "app.cc", "std::vector::push_back", 12, 1, 9, 24, 2},
        {"Python", "grab", "app.py", NULL, 12, 1, 9, 24, 2},
        {"OCaml", "App.grab", "app.ml", NULL, 12, 1, 9, 24, 2},
        {"Go", "main.grab", "/src/app.go", NULL, 12, 1, 9, 24, 2},
        {"JavaScript", "grab", "app.js", NULL, 12, 1, 9, 24, 2},
        {"nobody knows where", "grab", "", NULL, 12, 1, 9, 24, 2},
        {"a type", "str", "<type>", NULL, 12, 1, 9, 24, 2},
        {"OCaml's runtime", "grab", "app.c", NULL, 12, 1, 9, 24, 2, 0, false, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (finds(&shapes[i]))
            fail_msg("%s: found", shapes[i].what);
}

static const struct shape layers = {"layers", "grow", "buffer.c", NULL, 10, 1, 8, 16, 2};

/* Wrappers of wrappers: main calls 10 functions, which call append, which calls grow or is by itself. */
static void test_layers(void **state)
{
    struct stack_profile profile;
    struct wrappers wrappers = {0}, more = {0};
    profile_begin(&profile, &layers);
    for (uint32_t i = 0; i < 10; i++)
        add(&profile, 16 << i, (uint32_t[]){0, 1 + i, OUTER, F}, 4);
    find_in(&wrappers, &profile);
    assert_int_equal(wrappers.by_name.count, 2);
    assert_true(wrappers_have(&wrappers, &at[F][0]));
    assert_true(wrappers_have(&wrappers, &at[OUTER][0]));
    assert_false(wrappers_have(&wrappers, &at[1][0]));
    assert_true(wrappers_join(&more, &wrappers));
    assert_true(wrappers_have(&more, &at[OUTER][0]));
    assert_false(wrappers_have(NULL, &at[F][0]));

    wrappers_release(&wrappers);
    wrappers_release(&more);
    stack_profile_release(&profile);
}

/* They are left out of stacks, and counted, as those known by name. */
static void test_left_out(void **state)
{
    struct model *model = model_new(MODEL_SAMPLES);
    struct filter filter;
    struct matcher matcher;
    struct selection selection;
    struct selection_options what = {.value_type = 1};
    now = &layers;
    make_frames();
    assert_true(model_add_value_type(model, "alloc_objects", "count"));
    assert_true(model_add_value_type(model, "alloc_space", "bytes"));
    for (uint32_t i = 0; i < FRAMES; i++)
        assert_int_equal(model_add_frame(model, 0, MODEL_NONE, at[i], counts[i]), i);
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t stack[] = {0, 1 + i % 10, i < 10 ? F : OUTER, F};
        uint32_t number = model_stack(model, stack, i < 10 ? 3 : 4, HEAPTAP_CALLER_FIRST);
        assert_true(model_add_sample(model, number, 0, (int64_t[]){1, 16 << i % 10}));
    }
    assert_true(model_samples_end(model));
    assert_int_equal(filter_parse(&filter, "", NULL, NULL), HEAPTAP_OK);
    filter.hides_libraries = true;
    assert_int_equal(matcher_init(&matcher, model, &filter, NULL, NULL), HEAPTAP_OK);
    assert_true(selection_init(&selection, &matcher, &filter, &what, NULL));
    assert_int_equal(selection.hidden.functions, 2);
    assert_int_equal(stack_value(&selection.profile, (uint32_t[]){0, 3}, 2), 64 + 64);
    selection_release(&selection);
    matcher_release(&matcher);
    filter_release(&filter);
    model_free(model);
}

int main(void)
{
    return RUN_TESTS(test_wrappers, test_others, test_left_out, test_layers);
}
