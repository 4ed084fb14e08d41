#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_tests.h"
#include "helpers/story.h"
#include "profile/model_trace.h"
#include "profile/selection.h"
#include "profile/series.h"

static struct model *story;

static int read_story(void **state)
{
    struct bytes bytes = {0};
    struct heaptap_reader *reader;
    struct heaptap_reader_options options = {.order = HEAPTAP_TRUE_ORDER};
    story_write(&bytes);
    if (heaptap_reader_open_memory(&reader, bytes.items, bytes.size, &options, NULL) !=
            HEAPTAP_OK ||
        model_read(&story, reader, NULL) != HEAPTAP_OK)
        return -1;
    heaptap_reader_close(reader);
    bytes_release(&bytes);
    return 0;
}

static int free_story(void **state)
{
    model_free(story);
    return 0;
}

static void parse(struct filter *filter, const char *text)
{
    struct heaptap_error error;
    if (filter_parse(filter, text, NULL, &error) != HEAPTAP_OK)
        fail_msg("%s: %s", text, error.message);
}

static void init_matcher(struct matcher *matcher, struct filter *filter, const char *text)
{
    struct heaptap_error error;
    parse(filter, text);
    if (matcher_init(matcher, story, filter, NULL, &error) != HEAPTAP_OK)
        fail_msg("%s: %s", text, error.message);
}

/* The blocks that a matcher lets pass, for reports that look at no stacks. */
static unsigned blocks_that_pass(const struct matcher *matcher)
{
    struct matcher_life life;
    unsigned blocks = 0;
    for (size_t row = 0; row < story->objects.count; row++)
        if (matcher_object(matcher, row, &life))
            blocks |= (unsigned)model_object(story, row).shape->samples;
    return blocks;
}

/* The blocks that a filter leaves. */
static unsigned blocks_of(const char *text, enum selection_quantity quantity)
{
    struct filter filter;
    struct matcher matcher;
    struct selection selection;
    init_matcher(&matcher, &filter, text);
    assert_true(selection_init(&selection, &matcher, &filter,
                               &(struct selection_options){.quantity = quantity}, NULL));
    unsigned blocks = (unsigned)selection.profile.total.samples;
    assert_int_equal(selection.profile.total.events, __builtin_popcount(blocks));
    if (quantity == SELECT_ALLOCATED) {
        assert_int_equal(blocks_that_pass(&matcher), blocks);
        assert_true(matcher_decide(&matcher)); /* the verdicts say the same */
        assert_int_equal(blocks_that_pass(&matcher), blocks);
        assert_int_equal(matcher_leaves_nothing(&matcher), blocks == 0);
    }
    selection_release(&selection);
    matcher_release(&matcher);
    filter_release(&filter);
    return blocks;
}

struct expectation {
    const char *filter;
    unsigned blocks;
};

static void check(const struct expectation *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned blocks = blocks_of(rows[i].filter, SELECT_ALLOCATED);
        if (blocks != rows[i].blocks)
            fail_msg("%s: blocks %#x, not %#x", rows[i].filter, blocks, rows[i].blocks);
    }
}

#define CHECK(...)                                                                                 \
    do {                                                                                           \
        static const struct expectation rows[] = {__VA_ARGS__};                                    \
        check(rows, sizeof rows / sizeof rows[0]);                                                 \
    } while (0)

/* ---- One test a clause --------------------------------------------------------------- */

static void test_nothing(void **state)
{
    CHECK({"", ALL_BLOCKS}, {"  \t", ALL_BLOCKS});
}

static void test_allocated(void **state)
{
    CHECK({"allocated<=30ms", A | B | C}, {"allocated<30ms", A | B}, {"allocated>=60ms", F | G},
          {"allocated>60ms", G}, {"allocated=20ms..40ms", B | C | D}, {"allocated=..20ms", A | B},
          {"allocated=0.07..", G}, {"allocated=30ms", C}, {"allocated!=20ms..60ms", A | G},
          {"allocated=50%..", E | F | G}, {"allocated>=peak", G}, {"allocated>=end-40ms", F | G},
          {"allocated=start+10ms", A}, {"allocated=0", 0});
}

static void test_live_at(void **state)
{
    CHECK({"live-at=10ms", A}, {"live-at=20ms", B}, {"live-at=40ms", B | C | D},
          {"live-at=59999us", B | C | D | E}, {"live-at=60ms", B | C | E | F},
          {"live-at=peak", B | C | E | F | G}, {"live-at=end", C | E | F}, {"live-at=5ms", 0},
          {"live-at=10ms..20ms", A | B}, {"live-at=15ms..35ms", A | B | C},
          {"live-at=80ms..", C | E | F | G}, {"live-at=..10ms", A},
          {"live-at!=end", A | B | D | G});
}

static void test_collected(void **state)
{
    CHECK({"collected<=60ms", A | D}, {"collected=never", C | E | F},
          {"collected!=never", A | B | D | G}, {"collected=60ms..80ms", B | D},
          {"collected>80ms", C | E | F | G}, {"collected<100ms", A | B | D});
}

static void test_promoted(void **state)
{
    CHECK({"promoted=never", A | D | E | F | G}, {"promoted!=never", B | C}, {"promoted<=40ms", B},
          {"promoted=45ms..", C});
}

static void test_lifetime(void **state)
{
    /* a 10, b 60, c 70 and still there, d 20, e 50, f 40, g 30 */
    CHECK({"lifetime<=20ms", A | D}, {"lifetime>=50ms", B | C | E}, {"lifetime=30ms..40ms", F | G},
          {"lifetime>60ms", C}, {"lifetime!=0..50ms", B | C}, {"lifetime<10ms", 0});
}

static void test_size(void **state)
{
    CHECK({"size>=64", D | E | F | G}, {"size>64", E | F | G}, {"size=16..128", B | C | D | E},
          {"size<=2w", A | B}, {"size=8w", D}, {"size<0.25k", A | B | C | D | E},
          {"size!=1w..16w", F | G}, {"size>=1M", 0});
}

static void test_source(void **state)
{
    CHECK({"source=minor", A | B | C | F | G}, {"source=major", B | C | D}, {"source=external", E},
          {"source=minor,external", A | B | C | E | F | G}, {"source!=minor", B | C | D | E},
          {"source!=major,external", A | B | C | F | G}, {"source=minor,major", ALL_BLOCKS & ~E},
          {"source=major source=minor,major", B | C | D});
}

/* Born by promotion, dead by promotion: as memtrace_viewer has it. */
static void test_source_moves_lives(void **state)
{
    CHECK({"source=major allocated<40ms", 0}, {"source=major allocated<=40ms", B | D},
          {"source=major allocated=50ms", C}, {"source=major live-at=45ms", B | D},
          {"source=major lifetime=40ms", B}, {"source=minor live-at=45ms", C},
          {"source=minor collected=40ms", B}, {"source=minor lifetime=20ms", B | C},
          {"source=minor collected=never", F}, {"source=minor,external live-at=end", E | F},
          {"source=minor,major lifetime=60ms", B});
    assert_int_equal(blocks_of("source=minor", SELECT_LIVE), F);
    assert_int_equal(blocks_of("source=major", SELECT_LIVE), C);
}

static void test_domain(void **state)
{
    CHECK({"domain=0", ALL_BLOCKS & ~(E | F)}, {"domain=1", E | F}, {"domain!=0", E | F},
          {"domain=0,1", ALL_BLOCKS}, {"domain=7", 0});
}

static void test_thread(void **state)
{
    CHECK({"thread=work", E | F}, {"thread=^worker$", E | F}, {"thread=77", E | F},
          {"thread!=worker", ALL_BLOCKS & ~(E | F)}, {"thread=other", 0});
}

static void test_type(void **state)
{
    CHECK({"type=Node", C}, {"type=^N", C}, {"type!=Node", ALL_BLOCKS & ~C}, {"type=Leaf", 0});
}

static void test_depth(void **state)
{
    CHECK({"depth=1", D}, {"depth>=3", C | F}, {"depth=..2", A | B | D | E | G},
          {"depth!=2", C | D | F}, {"depth>2 focus=iter", C}, {"depth=4..", 0});
}

static void test_focus(void **state)
{
    CHECK({"focus=map", A | B | F}, {"focus=^m", ALL_BLOCKS}, {"focus=ext_alloc", E},
          {"focus=wrap", E}, {"focus=list", A | B | C | F}, {"focus:function=list", 0},
          {"focus:file=list", A | B | C | F}, {"focus:module=libext", E}, {"focus=libext", E},
          {"focus:file=libext", 0}, {"focus=helper focus=iter", C}, {"focus!=map", C | D | E | G},
          {"focus=\"map|iter\"", A | B | C | F}, {"focus='MAP'", 0}, {"focus=(?i)MAP", A | B | F},
          {"focus=helper and focus!=iter", G});
}

static void test_ignore(void **state)
{
    CHECK({"ignore=map", C | D | E | G}, {"ignore:file=list", D | E | G}, {"ignore=main", 0},
          {"ignore!=map", A | B | F}, {"ignore=map ignore=iter", D | E | G});
}

/* The stack of one block, "main>map", as the selection has it; with the address of what is bare. */
static void stack_text(const struct selection *selection, uint32_t stack, char *text, size_t size)
{
    const struct stack_trie *trie = &selection->profile.trie;
    uint32_t path[16];
    size_t depth = 0;
    for (uint32_t node = trie->ends[stack]; node != STACK_ROOT; node = trie->nodes[node].parent)
        path[depth++] = trie->nodes[node].frame;
    *text = 0;
    while (depth-- > 0) {
        size_t count;
        const struct heaptap_location *lines =
            selection->frames.locations(selection->frames.context, path[depth], &count);
        for (size_t i = 0; i < count; i++) {
            if (*text)
                strncat(text, ">", size - strlen(text) - 1);
            strncat(text, lines[i].function, size - strlen(text) - 1);
        }
    }
}

/* What the stacks of a filter look like, with their blocks: "main>map:35 main:8". */
static void check_stacks(const char *text, const char *expected)
{
    char all[512] = "", one[128];
    struct filter filter;
    struct matcher matcher;
    struct selection selection;
    init_matcher(&matcher, &filter, text);
    assert_true(
        selection_init(&selection, &matcher, &filter, &(struct selection_options){0}, NULL));
    for (uint32_t i = 0; i < selection.profile.trie.stack_count; i++) {
        if (selection.profile.tallies[i].events == 0)
            continue;
        stack_text(&selection, i, one, sizeof one);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s:%d", *all ? " " : "", one,
                 (int)selection.profile.tallies[i].samples);
    }
    assert_string_equal(all, expected);
    selection_release(&selection);
    matcher_release(&matcher);
    filter_release(&filter);
}

static void test_whole_stacks(void **state)
{
    check_stacks("", "main>map:3 main>helper>iter:4 main:8 main>wrap>ext_alloc:16 main>map>map:32 "
                     "main>helper:64");
}

static void test_hide(void **state)
{
    check_stacks("hide=map", "main:43 main>helper>iter:4 main>wrap>ext_alloc:16 main>helper:64");
    check_stacks("hide=ext_alloc size=16w", "main>wrap:16");
    check_stacks("hide=libext size=16w", "main:16");
    check_stacks("hide=main size=8w", "");
    check_stacks("hide:file=list hide=^helper$", "main:111 main>wrap>ext_alloc:16");
}

static void test_show(void **state)
{
    check_stacks("show=map|iter", "map:3 iter:4 map>map:32");
    check_stacks("show=wrap", "wrap:16");
    check_stacks("show:module=libext", "wrap>ext_alloc:16");
    check_stacks("show=main show=iter", "main:123 main>iter:4");
    check_stacks("hide!=main", "main:127");
}

static void test_show_from(void **state)
{
    const struct expectation blocks[] = {{"show-from=map", A | B | F},
                                         {"show=map|iter", A | B | C | F},
                                         {"hide=main|map|iter|helper", E},
                                         {"show-from=map hide=map lifetime>=0", 0}};
    check(blocks, sizeof blocks / sizeof blocks[0]);
    check_stacks("show-from=map", "map:3 map>map:32");
    check_stacks("show-from=ext_alloc", "ext_alloc:16");
    check_stacks("show-from=libext", "wrap>ext_alloc:16");
    check_stacks("show-from=helper hide=iter", "helper:68");
    check_stacks("show-from=nowhere", "");
}

/* The story's ext_alloc is a function of the program; by this name it is one of libc's. */
static void rename_function(const char *from, const char *to)
{
    for (size_t i = 0; i < story->line_count; i++)
        if (strcmp(story->lines[i].function, from) == 0)
            story->lines[i].function = to;
}

static void test_allocators(void **state)
{
    check_stacks("allocators=hide size=16w", "main>wrap>ext_alloc:16");
    rename_function("ext_alloc", "ex_malloc");
    check_stacks("allocators=hide size=16w", "main>wrap:16");
    check_stacks("allocators=hide hide=wrap size=16w", "main:16");
    check_stacks("allocators=hide show=ex_malloc size=16w",
                 "ex_malloc:16"); /* nothing else is left */
    check_stacks("allocators=show size=16w", "main>wrap>ex_malloc:16");
    check_stacks("allocators!=show size=16w", "main>wrap:16");
    rename_function("ex_malloc", "ext_alloc");
}

/* ---- What is wrong ------------------------------------------------------------------- */

static void check_error(const char *text, const char *word, const char *message)
{
    struct filter filter;
    struct heaptap_error error;
    size_t length = 0;
    assert_int_equal(filter_parse(&filter, text, &length, &error), HEAPTAP_BAD_ARGUMENT);
    assert_string_equal(error.message, message);
    if (strlen(word) != length || strncmp(text + error.offset, word, length) != 0)
        fail_msg("%s: points at '%.*s', not at '%s'", text, (int)length, text + error.offset, word);
}

static void check_ranges(const char *const *ranges, size_t count, bool is_taken)
{
    for (size_t i = 0; i < count; i++) {
        char text[64];
        size_t length;
        struct filter filter;
        struct heaptap_error error;
        snprintf(text, sizeof text, "allocated=%s", ranges[i]);
        bool taken = filter_parse(&filter, text, &length, &error) == HEAPTAP_OK;
        if (taken)
            filter_release(&filter);
        if (taken != is_taken)
            fail_msg("%s is %s", text, taken ? "taken" : error.message);
    }
}

/* Only where which is first is known without a file. */
static void test_backward_ranges(void **state)
{
    static const char *const backward[] = {"50%..20%",     "end..start",  "end..50%",
                                           "50%..start",   "end+1s..50%", "10s..5s",
                                           "end..start-1s"};
    static const char *const unknown[] = {"end-10s..start+10s",
                                          "peak..50%",
                                          "end..peak",
                                          "peak..start",
                                          "50%..5s",
                                          "5s..50%",
                                          "end..5s"};
    check_ranges(backward, sizeof backward / sizeof *backward, false);
    check_ranges(unknown, sizeof unknown / sizeof *unknown, true);
}

static void test_errors(void **state)
{
    check_error("size>=1k lifetme>1s", "lifetme",
                "no clause is called 'lifetme'; did you mean lifetime?");
    check_error("file=app.py", "file", "no clause is called 'file'; did you mean focus:file=?");
    check_error("functoin=f", "functoin",
                "no clause is called 'functoin'; did you mean focus:function=?");
    check_error("module!=libc", "module",
                "no clause is called 'module'; did you mean focus:module=?");
    check_error("fize=1", "fize", "no clause is called 'fize'; did you mean size?");
    check_error("quux=1", "quux", "no clause is called 'quux'; `heaptap help filters` lists them");
    check_error("size=abc", "abc",
                "size takes a size such as 100, 4k, 1.5MB or 8w (words), not 'abc'");
    check_error("focus=a  live-at=noon", "noon",
                "live-at takes a time such as 1.5s, 20ms, 50%, start, peak or end-10s, not 'noon'");
    check_error("lifetime", "lifetime", "'lifetime' must be followed by =, !=, <, <=, > or >=");
    check_error("size=", "size=", "size has no value");
    check_error("source=heap", "heap",
                "source takes minor, major or external, or some of them with commas, not 'heap'");
    check_error("domain=x", "x",
                "domain takes a number from 0 to 65535, or some of them with commas, not 'x'");
    check_error("domain=65536", "65536",
                "domain takes a number from 0 to 65535, or some of them with commas, not '65536'");
    check_error("source<minor", "source<", "source has no order: use = or !=");
    check_error("focus=\"a b", "\"a b", "the quote \" is not closed");
    check_error("focus=(", "(",
                "this is not a regular expression: missing closing parenthesis, after '('");
    check_error("focus:line=3", "line", "function, file or module must follow focus:");
    check_error("size:x=3", "x", "nothing can follow size:");
    check_error("size>1..2", "1..2", "a range must follow = or !=, not < or >");
    check_error("size=1w..1", "1w..1",
                "size takes a range whose second value is not below its first, not '1w..1'");
    check_error("size=100..1w", "100..1w",
                "size takes a range whose second value is not below its first, not '100..1w'");
    check_error("size=..", "..", "size takes a range with an end, such as 1..2, not '..'");
    check_error("=5", "=", "a clause begins with a word such as size or focus, not with '='");
    check_error("focus='a'b", "b", "a closing quote must be followed by a space, not 'b'");
    check_error("tag>3", "tag", "only tag:KEY has an order: name the label");
    check_error("libraries=no", "no", "libraries takes hide or show, not 'no'");
    check_error("libraries:file=hide", "file", "nothing can follow libraries:");
    check_error("show-from!=x", "show-from!=x", "show-from takes =, not !=");
}

/* A filter that adds clauses on lives to another passes what it passes by itself. */
static void test_narrowing(void **state)
{
    static const char *const of[] = {"",         "size>=2w",     "focus=map",  "lifetime>=1ms",
                                     "hide=map", "source=major", "live-at=5ms"};
    static const char *const added[] = {"", "live-at=peak", "collected=never",
                                        "collected!=never lifetime<=30ms"};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (size_t k = 0; k < sizeof added / sizeof *added; k++) {
            char text[128];
            struct filter outer, filter;
            struct matcher wide, narrow;
            snprintf(text, sizeof text, "%s %s", of[i], added[k]);
            init_matcher(&wide, &outer, of[i]);
            assert_true(matcher_decide(&wide));
            parse(&filter, text);
            assert_true(matcher_narrow(&narrow, &wide, &filter));
            assert_int_equal(blocks_that_pass(&narrow), blocks_of(text, SELECT_ALLOCATED));
            matcher_release(&narrow);
            filter_release(&filter);
            assert_int_equal(blocks_that_pass(&wide), blocks_of(of[i], SELECT_ALLOCATED));
            matcher_release(&wide);
            filter_release(&outer);
        }
}

static void test_tags_need_labels(void **state)
{
    struct filter filter;
    struct matcher matcher;
    struct heaptap_error error;
    size_t length;
    parse(&filter, "size>0 tag=x");
    assert_int_equal(matcher_init(&matcher, story, &filter, &length, &error), HEAPTAP_BAD_ARGUMENT);
    assert_string_equal(error.message, "tag: objects of a trace have no labels");
    assert_int_equal(error.offset, 7);
    assert_int_equal(length, 5);
    filter_release(&filter);
}

/* ---- The model and the series -------------------------------------------------------- */

static void test_quantities(void **state)
{
    assert_int_equal(blocks_of("", SELECT_ALLOCATED), ALL_BLOCKS);
    assert_int_equal(blocks_of("", SELECT_LIVE), C | E | F);
    assert_int_equal(blocks_of("", SELECT_PROMOTED), B | C);
    assert_int_equal(blocks_of("", SELECT_COLLECTED), A | B | D | G);
    for (int i = SELECT_ALLOCATED; i <= SELECT_COLLECTED; i++) {
        struct selection_options options = {.quantity = (enum selection_quantity)i};
        assert_int_equal(selection_whole(story, &options).samples,
                         blocks_of("", (enum selection_quantity)i));
    }
}

static void test_model(void **state)
{
    assert_int_equal(story->objects.count, 7);
    assert_int_equal(story->end_us, 100000);
    assert_int_equal(story->peak.time_us, 70000);
    assert_int_equal(story->peak.samples, B | C | E | F | G);
    struct model_object c = model_object(story, 2);
    assert_int_equal(c.born_us, 30000);
    assert_int_equal(c.promoted_us, 50000);
    assert_true(c.died_us == MODEL_NEVER);
    assert_int_equal(c.shape->words, 4);
    assert_string_equal(story->modules[1].path, "/opt/story/lib/libext.so.1");
    assert_string_equal(story->modules[1].build_id, "ab01");
    assert_string_equal(story->domains[1].name, "worker");
}

static void test_series(void **state)
{
    static const unsigned live[] = {0,
                                    A,
                                    B,
                                    B | C,
                                    B | C | D,
                                    B | C | D | E,
                                    B | C | E | F,
                                    B | C | E | F | G,
                                    C | E | F | G,
                                    C | E | F | G,
                                    C | E | F};
    struct filter filter;
    struct matcher matcher;
    struct series series;
    init_matcher(&matcher, &filter, "");
    assert_true(series_init(&series, &matcher, 0, 110000, 11));
    for (size_t i = 0; i < 11; i++)
        assert_true(series.steps[i].live.bytes == 8.0 * live[i]);
    assert_true(series.steps[6].allocated.bytes == 8.0 * F);
    assert_true(series.steps[6].collected.bytes == 8.0 * D);
    assert_true(series.peak.bytes == 8.0 * (B | C | E | F | G));
    assert_int_equal(series.peak_us, 70000);
    series_release(&series);
    assert_true(series_init(&series, &matcher, 45000, 65000, 1));
    assert_true(series.before.bytes == 8.0 * (B | C | D));
    assert_true(series.peak.bytes == 8.0 * (B | C | E | F));
    assert_int_equal(series.peak_us, 60000);
    series_release(&series);
    matcher_release(&matcher);
    filter_release(&filter);
}

/* A peak inside a step, which none of its ends shows. */
static void test_series_finds_peak_inside_step(void **state)
{
    struct filter filter;
    struct matcher matcher;
    struct series series;
    init_matcher(&matcher, &filter, "focus=map size<=2w");
    assert_true(series_init(&series, &matcher, 0, 100001, 1));
    assert_true(series.steps[0].live.bytes == 0);
    assert_true(series.peak.bytes == 8.0 * B);
    assert_int_equal(series.peak_us, 20000);
    series_release(&series);
    matcher_release(&matcher);
    filter_release(&filter);
}

int main(void)
{
    return RUN_TESTS_WITHIN(read_story, free_story, test_nothing, test_allocated, test_live_at,
                            test_collected, test_promoted, test_lifetime, test_size, test_source,
                            test_source_moves_lives, test_domain, test_thread, test_type,
                            test_depth, test_focus, test_ignore, test_whole_stacks, test_hide,
                            test_show, test_show_from, test_allocators, test_backward_ranges,
                            test_errors, test_narrowing, test_tags_need_labels, test_quantities,
                            test_model, test_series, test_series_finds_peak_inside_step);
}
