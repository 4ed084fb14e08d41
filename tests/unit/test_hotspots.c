/* Hot spots of profiles made by hand. */
#include <stdlib.h>
#include <string.h>

#include "run_tests.h"
#include "report/sites/hot_sites.h"
#include "report/sites/memtrace_hotspots.h"
#include "unit/stacks.h"

static void make(struct stack_profile *profile)
{
    profile_begin(profile);
    profile_stack(profile, 1, "125");   /* main f g>h */
    profile_stack(profile, 2, "1336");  /* main f f h' */
    profile_stack(profile, 4, "12");    /* main f */
    profile_stack(profile, 8, "14255"); /* main g f g>h g>h */
    profile_stack(profile, 3, "13");    /* main f, another line */
    profile_stack(profile, 16, "");
    profile_stack(profile, 32, "10"); /* main, unknown */
    stack_profile_finish(profile);
}

static void check_site(const struct hotspots *hotspots, size_t index, const char *name,
                       uint64_t samples, size_t places)
{
    assert_true(index < hotspots->count);
    assert_string_equal(symbol_name(&hotspots->sites[index].symbol), name);
    assert_int_equal(hotspots->sites[index].tally.samples, samples);
    assert_int_equal(hotspots->sites[index].place_count, places);
}

static void sites_by_function(void **state)
{
    struct stack_profile profile;
    struct hotspots hotspots;
    struct hotspots_options options = {GRAIN_FUNCTION, WEIGHT_BYTES};
    make(&profile);
    assert_true(hotspots_init(&hotspots, &profile, &source, &options));
    assert_int_equal(hotspots.count, 5);
    check_site(&hotspots, 0, "0x1000", 32, 1);
    check_site(&hotspots, 1, "<no stack>", 16, 1);
    check_site(&hotspots, 2, "h", 9, 1); /* of b.c; that of a.c is another function */
    check_site(&hotspots, 3, "f", 7, 2);
    check_site(&hotspots, 4, "h", 2, 1);
    assert_string_equal(hotspots.sites[4].symbol.file, "a.c");
    assert_int_equal(hotspots.sites[3].places[0].symbol.line, 2);
    assert_int_equal(hotspots.sites[3].places[0].tally.samples, 4);
    assert_int_equal(hotspots.sites[3].places[1].symbol.line, 3);
    assert_true(hotspots.weight == 66);
    assert_true(hotspots.sites[2].share == 9.0 / 66);
    hotspots_release(&hotspots);
    stack_profile_release(&profile);
}

static void sites_by_line_file_and_objects(void **state)
{
    struct stack_profile profile;
    struct hotspots hotspots;
    struct hotspots_options options = {GRAIN_LINE, WEIGHT_BYTES};
    make(&profile);
    assert_true(hotspots_init(&hotspots, &profile, &source, &options));
    assert_int_equal(hotspots.count, 6);
    check_site(&hotspots, 3, "f", 4, 1);
    assert_int_equal(hotspots.sites[3].symbol.line, 2);
    check_site(&hotspots, 4, "f", 3, 1);
    hotspots_release(&hotspots);

    options.grain = GRAIN_FILE;
    assert_true(hotspots_init(&hotspots, &profile, &source, &options));
    assert_int_equal(hotspots.count, 4);
    check_site(&hotspots, 2, "b.c", 9, 1); /* seen before a.c, of the same weight */
    check_site(&hotspots, 3, "a.c", 9, 3);
    hotspots_release(&hotspots);

    options = (struct hotspots_options){GRAIN_FUNCTION, WEIGHT_OBJECTS}; /* each block is one */
    assert_true(hotspots_init(&hotspots, &profile, &source, &options));
    assert_true(hotspots.weight == 7);
    check_site(&hotspots, 0, "h", 9, 1); /* two blocks, seen before f's two */
    check_site(&hotspots, 1, "f", 7, 2);
    assert_true(hotspots.sites[1].share == 2.0 / 7);
    hotspots_release(&hotspots);
    stack_profile_release(&profile);
}

static void check_caller(const struct hotspot_caller *caller, const char *name, uint64_t samples,
                         double own_share, double distance)
{
    assert_string_equal(symbol_name(&caller->symbol), name);
    assert_int_equal(caller->tally.samples, samples);
    assert_true(caller->own_share == own_share);
    assert_true(caller->distance == distance);
}

static void callers_count_once_a_stack(void **state)
{
    struct stack_profile profile;
    struct hotspots hotspots;
    struct hotspots_options options = {GRAIN_FUNCTION, WEIGHT_BYTES};
    struct hotspot_caller *callers;
    size_t count;
    make(&profile);
    assert_true(hotspots_init(&hotspots, &profile, &source, &options));

    /* h of b.c: main f g, and main g f h, where h calls itself. */
    assert_true(hotspots_callers(&hotspots, 2, &callers, &count));
    assert_int_equal(count, 4);
    check_caller(&callers[0], "f", 9, 9.0 / 18, (1 * 2 + 8 * 2) / 9.0);
    check_caller(&callers[1], "g", 9, 1, (1 * 1 + 8 * 3) / 9.0);
    check_caller(&callers[2], "main", 9, 9.0 / 50, (1 * 3 + 8 * 4) / 9.0);
    check_caller(&callers[3], "h", 8, 8.0 / 9, 1);
    assert_true(callers[3].share == 8.0 / 9);
    assert_true(hotspot_caller_is_telling(&hotspots.sites[2], &callers[0]));
    free(callers);

    /* The unknown site: main says little of it, as 32 of main's 50 are 1.32 of its share. */
    assert_true(hotspots_callers(&hotspots, 0, &callers, &count));
    assert_int_equal(count, 1);
    check_caller(&callers[0], "main", 32, 32.0 / 50, 1);
    assert_true(hotspot_caller_is_telling(&hotspots.sites[0], &callers[0]));
    callers[0].own_share = 1.2 * 32.0 / 66;
    assert_false(hotspot_caller_is_telling(&hotspots.sites[0], &callers[0]));
    free(callers);

    /* A site without a stack has none, and f none but main. */
    assert_true(hotspots_callers(&hotspots, 1, &callers, &count));
    assert_int_equal(count, 0);
    free(callers);
    assert_true(hotspots_callers(&hotspots, 3, &callers, &count));
    assert_int_equal(count, 1);
    check_caller(&callers[0], "main", 7, 7.0 / 50, 1);
    free(callers);
    hotspots_release(&hotspots);
    stack_profile_release(&profile);
}

static void memtrace_rules(void **state)
{
    struct stack_profile profile;
    struct memtrace_hotspots hotspots;
    make(&profile);
    assert_true(memtrace_hotspots_init(&hotspots, &profile, &source));
    assert_int_equal(hotspots.samples, 66);
    assert_int_equal(hotspots.count, 4);
    /* The unknown frame's first stack has it below main: it is main's. */
    assert_string_equal(hotspots.sites[0].function, "main");
    assert_int_equal(hotspots.sites[0].samples, 32);
    assert_string_equal(hotspots.sites[1].function, "h");
    assert_int_equal(hotspots.sites[1].samples, 9);
    assert_string_equal(hotspots.sites[1].file, "b.c");
    /* f, g and h, g before h as the hash tables have it; not main, 9 of whose 82 samples come
     * here. */
    assert_int_equal(hotspots.sites[1].caller_count, 3);
    assert_string_equal(hotspots.sites[1].callers[0].function, "f");
    assert_int_equal(hotspots.sites[1].callers[0].samples, 9);
    assert_int_equal(hotspots.sites[1].callers[0].total, 18);
    assert_string_equal(hotspots.sites[1].callers[1].function, "g");
    assert_int_equal(hotspots.sites[1].callers[1].samples, 8);
    assert_int_equal(hotspots.sites[1].callers[1].total, 8);
    assert_string_equal(hotspots.sites[2].function, "f");
    assert_int_equal(hotspots.sites[2].position_count, 2);
    assert_int_equal(hotspots.sites[2].positions[0].line, 2);
    assert_int_equal(hotspots.sites[2].positions[1].samples, 3);
    assert_string_equal(hotspots.sites[3].file, "a.c");
    memtrace_hotspots_release(&hotspots);
    stack_profile_release(&profile);
}

static void nothing_at_all(void **state)
{
    struct stack_profile profile;
    struct hotspots hotspots;
    struct memtrace_hotspots memtrace;
    struct hotspots_options options = {GRAIN_FUNCTION, WEIGHT_BYTES};
    profile_begin(&profile);
    stack_profile_finish(&profile);
    assert_true(hotspots_init(&hotspots, &profile, &source, &options));
    assert_int_equal(hotspots.count, 0);
    hotspots_release(&hotspots);
    assert_true(memtrace_hotspots_init(&memtrace, &profile, &source));
    assert_int_equal(memtrace.count, 0);
    memtrace_hotspots_release(&memtrace);
    stack_profile_release(&profile);
}

int main(void)
{
    return RUN_TESTS(sites_by_function, sites_by_line_file_and_objects, callers_count_once_a_stack,
                     memtrace_rules, nothing_at_all);
}
