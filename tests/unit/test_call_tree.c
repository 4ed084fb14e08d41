/* Call trees of profiles made by hand, as folded text and node by node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_tests.h"
#include "report/tree/branches.h"
#include "report/tree/call_walk.h"
#include "unit/stacks.h"

/* The rest of a walk as text: for each branch, callers first, its depth, name, own and all samples. */
static char *text_of(struct call_walk *walk)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    while (call_walk_next(walk))
        fprintf(file, "%zu %s %d %d\n", walk->depth, symbol_name(call_walk_symbol(walk)),
                (int)walk->self.samples, (int)walk->total.samples);
    fclose(file);
    return text;
}

/* A walk, and the same once more. */
static void check(const struct stack_profile *profile, struct branch_options options,
                  const char *wanted)
{
    struct call_walk walk;
    assert_true(call_walk_init(&walk, profile, &source, &options));
    for (int i = 0; i < 2; i++) {
        assert_null(call_walk_symbol(&walk));
        assert_int_equal(walk.total.samples, profile->total.samples);
        assert_int_equal(walk.self.samples, 0);
        char *text = text_of(&walk);
        assert_string_equal(text, wanted);
        free(text);
        call_walk_rewind(&walk);
    }
    call_walk_release(&walk);
}

static void make(struct stack_profile *profile)
{
    profile_begin(profile);
    profile_stack(profile, 1, "125");
    profile_stack(profile, 2, "1336");
    profile_stack(profile, 4, "12");
    profile_stack(profile, 8, "14250");
    profile_stack(profile, 16, "");
    stack_profile_finish(profile);
}

static void by_function(void **state)
{
    struct stack_profile profile;
    make(&profile);
    check(&profile, (struct branch_options){.grain = GRAIN_FUNCTION},
          "1 <no stack> 16 16\n"
          "1 main 0 15\n"
          "2 f 4 7\n"
          "3 f 0 2\n"
          "4 h 2 2\n"
          "3 g 0 1\n"
          "4 h 1 1\n"
          "2 g 0 8\n"
          "3 f 0 8\n"
          "4 g 0 8\n"
          "5 h 0 8\n"
          "6 0x1000 8 8\n");
    stack_profile_release(&profile);
}

static void by_line(void **state)
{
    struct stack_profile profile;
    profile_begin(&profile);
    profile_stack(&profile, 1, "12");
    profile_stack(&profile, 2, "13");
    stack_profile_finish(&profile);
    check(&profile, (struct branch_options){.grain = GRAIN_LINE}, "1 main 0 3\n2 f 1 1\n2 f 2 2\n");
    check(&profile, (struct branch_options){.grain = GRAIN_FILE}, "1 a.c 0 3\n2 a.c 3 3\n");
    stack_profile_release(&profile);
}

static void recursion_merged(void **state)
{
    struct stack_profile profile;
    make(&profile);
    check(
        &profile,
        (struct branch_options){.grain = GRAIN_NAME, .merge_recursion = true, .skip_unknown = true},
        "1 main 0 15\n"
        "2 f 4 7\n"
        "3 g 0 1\n"
        "4 h 1 1\n"
        "3 h 2 2\n"
        "2 g 0 8\n"
        "3 f 0 8\n"
        "4 h 8 8\n");
    stack_profile_release(&profile);
}

static void reversed(void **state)
{
    struct stack_profile profile;
    profile_begin(&profile);
    profile_stack(&profile, 1, "125");
    profile_stack(&profile, 2, "15");
    profile_stack(&profile, 4, "2");
    stack_profile_finish(&profile);
    check(&profile, (struct branch_options){.grain = GRAIN_FUNCTION, .outward = true},
          "1 f 4 4\n"
          "1 h 0 3\n"
          "2 g 0 3\n"
          "3 f 0 1\n"
          "4 main 1 1\n"
          "3 main 2 2\n");
    stack_profile_release(&profile);
}

/* The same of branches, whose tree is of one weight: of samples. */
static char *text_of_branches(const struct branches *branches)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    for (size_t i = 1; i < branches->count; i++) {
        const struct branch *branch = &branches->items[i];
        fprintf(file, "%d %s %g %g\n", (int)branch->depth, branches->names[branch->symbol],
                branch->self, branch->total);
        assert_true(branch->parent < i);
        assert_int_equal(branches->items[branch->parent].depth + 1, branch->depth);
    }
    fclose(file);
    return text;
}

/* Either way round, as far as it is among the heaviest: `limit` branches, and how many are left. */
static void check_branches(const struct stack_profile *profile, const struct stack_profile *base,
                           struct branch_options options, const char *wanted, uint64_t hidden)
{
    struct branches branches;
    options.weight = WEIGHT_SAMPLES;
    options.has_marks = true;
    assert_true(branches_init(&branches, profile, base, &source, &options));
    char *text = text_of_branches(&branches);
    assert_string_equal(text, wanted);
    assert_int_equal(branches.hidden, hidden);
    free(text);
    branches_release(&branches);
}

static bool is_f(void *context, const char *name)
{
    return strcmp(name, "f") == 0;
}

/* What make() made, as far as it is below the outermost f, or above it. */
static void make_from_f(struct stack_profile *profile, bool outward)
{
    profile_begin(profile);
    profile_stack(profile, 1, outward ? "12" : "25");
    profile_stack(profile, 2, outward ? "13" : "336");
    profile_stack(profile, 4, outward ? "12" : "2");
    profile_stack(profile, 8, outward ? "142" : "250");
    stack_profile_finish(profile);
}

static void all_branches_as_a_walk(void **state)
{
    struct stack_profile profile, from_f[2];
    struct call_walk walk;
    make(&profile);
    make_from_f(&from_f[false], false);
    make_from_f(&from_f[true], true);
    for (int i = 0; i < 32; i++) {
        struct branch_options options = {.grain = i & 1 ? GRAIN_LINE : GRAIN_FUNCTION,
                                         .outward = i & 8,
                                         .merge_recursion = i & 2,
                                         .max_depth = i & 16 ? 2 : 100};
        assert_true(
            call_walk_init(&walk, i & 4 ? &from_f[options.outward] : &profile, &source, &options));
        char *text = text_of(&walk);
        options.is_root = i & 4 ? is_f : NULL;
        options.least = 1;
        options.limit = 1000;
        check_branches(&profile, NULL, options, text, 0);
        free(text);
        call_walk_release(&walk);
    }
    stack_profile_release(&from_f[true]);
    stack_profile_release(&from_f[false]);
    stack_profile_release(&profile);
}

/* Of a profile, and of what it is compared with. */
static void make_two(struct stack_profile *profile, struct stack_profile *base)
{
    profile_begin(profile);
    profile_stack(profile, 1, "125");
    profile_stack(profile, 2, "15");
    profile_stack(profile, 4, "2");
    stack_profile_finish(profile);
    profile_begin(base);
    profile_stack(base, 10, "125");
    profile_stack(base, 1, "15");
    profile_stack(base, 1, "2");
    stack_profile_finish(base);
}

static void the_heaviest_callees(void **state)
{
    struct stack_profile profile, base;
    struct branches branches;
    struct branch_options options = {.grain = GRAIN_FUNCTION, .least = 1, .limit = 4};
    make_two(&profile, &base);
    check_branches(&profile, NULL, options, "1 f 4 4\n1 main 0 3\n2 g 0 2\n", 2);
    check_branches(&profile, &base, options, "1 main 0 3\n2 f 0 1\n3 g 0 1\n", 3);
    assert_true(branches_init(&branches, &profile, &base, &source, &options));
    assert_int_equal(branches.items[0].total, 7);
    assert_int_equal(branches.items[0].base, 12);
    assert_int_equal(branches.items[1].base, 11);
    branches_release(&branches);
    stack_profile_release(&base);
    stack_profile_release(&profile);
}

static void the_heaviest_callers(void **state)
{
    struct stack_profile profile, base;
    struct branch_options options = {
        .grain = GRAIN_FUNCTION, .outward = true, .least = 1, .limit = 5};
    make_two(&profile, &base);
    check_branches(&profile, NULL, options,
                   "1 f 4 4\n"
                   "1 h 0 3\n"
                   "2 g 0 3\n"
                   "3 main 2 2\n",
                   1);
    options.max_depth = 1;
    check_branches(&profile, NULL, options, "1 f 4 4\n1 h 0 3\n2 <deeper> 3 3\n", 0);
    options.max_depth = 0;
    options.limit = 3;
    check_branches(&profile, &base, options, "1 h 0 3\n2 g 0 3\n", 3);
    stack_profile_release(&base);
    stack_profile_release(&profile);
}

/* Without a limit: the heaviest of siblings first, and the least weight decides. */
static void branches_of_some_weight(void **state)
{
    struct stack_profile profile, base;
    struct branch_options options = {.grain = GRAIN_FUNCTION, .least = 2};
    make_two(&profile, &base);
    check_branches(&profile, NULL, options, "1 f 4 4\n1 main 0 3\n2 g 0 2\n3 h 2 2\n", 0);
    options.outward = true;
    check_branches(&profile, NULL, options, "1 f 4 4\n1 h 0 3\n2 g 0 3\n3 main 2 2\n", 0);
    options.is_root = is_f;
    options.outward = false;
    check_branches(&profile, NULL, options, "1 f 4 5\n", 0);
    stack_profile_release(&base);
    stack_profile_release(&profile);
}

/* What is too deep or too light is told where it is left out. */
static void pruned_branches(void **state)
{
    struct stack_profile profile;
    struct branches branches;
    struct branch_options options = {
        .grain = GRAIN_FUNCTION, .weight = WEIGHT_SAMPLES, .least = 5, .max_depth = 2};
    make(&profile);
    assert_true(branches_init(&branches, &profile, NULL, &source, &options));
    char *text = text_of_branches(&branches);
    assert_string_equal(text, "1 main 0 15\n2 g 0 8\n2 f 4 7\n");
    assert_int_equal(branches.items[0].total, 15);
    assert_int_equal(branches.items[0].children, 1);
    assert_int_equal(branches.items[1].children, 2);
    assert_int_equal(branches.items[2].pruned, 8);
    assert_int_equal(branches.items[3].pruned, 3);
    free(text);
    branches_release(&branches);
    stack_profile_release(&profile);
}

static void cut_at_a_depth(void **state)
{
    struct stack_profile profile;
    struct call_walk walk;
    struct branch_options options = {.grain = GRAIN_FUNCTION, .max_depth = 2};
    const char *wanted = "1 <no stack> 16 16\n"
                         "1 main 0 15\n"
                         "2 f 4 7\n"
                         "3 <deeper> 3 3\n"
                         "2 g 0 8\n"
                         "3 <deeper> 8 8\n";
    make(&profile);
    check(&profile, options, wanted);
    assert_true(call_walk_init(&walk, &profile, &source, &options));
    while (call_walk_next(&walk))
        ;
    assert_int_equal(walk.cut_events, 3);
    assert_int_equal(walk.all.samples, 31);
    call_walk_release(&walk);
    options.merge_recursion = true;
    check(&profile, options, wanted);
    stack_profile_release(&profile);
}

static void a_walk_can_skip(void **state)
{
    struct stack_profile profile;
    struct branch_options options = {.grain = GRAIN_FUNCTION};
    struct call_walk walk;
    char text[64] = "";
    make(&profile);
    assert_true(call_walk_init(&walk, &profile, &source, &options));
    while (call_walk_next(&walk)) {
        const char *name = symbol_name(call_walk_symbol(&walk));
        strcat(strcat(text, name), " ");
        walk.skip = strcmp(name, "f") == 0;
    }
    assert_string_equal(text, "<no stack> main f g f ");
    call_walk_release(&walk);
    stack_profile_release(&profile);
}

static void nothing_at_all(void **state)
{
    struct stack_profile profile;
    profile_begin(&profile);
    stack_profile_finish(&profile);
    check(&profile, (struct branch_options){.grain = GRAIN_FUNCTION}, "");
    stack_profile_release(&profile);
}

int main(void)
{
    return RUN_TESTS(by_function, by_line, recursion_merged, reversed, cut_at_a_depth,
                     a_walk_can_skip, all_branches_as_a_walk, the_heaviest_callees,
                     the_heaviest_callers, branches_of_some_weight, pruned_branches,
                     nothing_at_all);
}
