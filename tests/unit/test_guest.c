/* The embedding API from within: what each hook does to the rows of the report, and what it writes
 * into a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_tests.h"
#include "heaptap/guest.h"
#include "heaptap/trace.h"
#include "helpers/sanitized.h"
#include "format/import/guest_report.h"

struct fixture {
    struct heaptap_guest heap;
    struct heaptap_guest_thread calls;
    uint32_t list, text; /* types */
    uint32_t line[10];
    uint32_t asked;
    const void *hint;
    char folder[64], trace[80];
};

static uint32_t locate(void *context, struct heaptap_guest *guest,
                       struct heaptap_guest_thread *self, const void *hint)
{
    struct fixture *f = context;
    f->asked++;
    f->hint = hint;
    return f->line[9];
}

/* ---- A heap that is watched ------------------------------------------------------------------ */

static struct heaptap_guest_request request_of(struct fixture *f)
{
    static unsigned folders;
    memset(f, 0, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "/tmp/heaptap-test-guest-%d-%u", (int)getpid(),
             folders++);
    snprintf(f->trace, sizeof f->trace, "%s/t.ctf", f->folder);
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", f->folder, f->folder);
    assert_int_equal(system(command), 0);
    return (struct heaptap_guest_request){.directory = f->folder, .rate = 1};
}

static void begin(struct fixture *f, const struct heaptap_guest_request *request)
{
    struct heaptap_error error;
    struct heaptap_guest_options options = {.locate = locate, .context = f, .script = "test.x"};
    assert_int_equal(heaptap_guest_start(&f->heap, "Test", &options, request, &error), HEAPTAP_OK);
    f->list = heaptap_guest_type(&f->heap, "list");
    f->text = heaptap_guest_type(&f->heap, "text");
    for (uint32_t i = 0; i < 10; i++)
        f->line[i] = heaptap_guest_location(&f->heap, "test.x", i < 5 ? "low" : "high", i);
}

static void setup(struct fixture *f)
{
    struct heaptap_guest_request request = request_of(f);
    begin(f, &request);
}

static void teardown(struct fixture *f)
{
    char command[96];
    heaptap_guest_stop(&f->heap);
    heaptap_guest_thread_release(&f->calls);
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
    static struct fixture f;
    setup(&f);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    teardown(*state);
    return 0;
}

static void *at(uintptr_t address)
{
    return (void *)address;
}

static void allocate(struct fixture *f, uintptr_t address, uint64_t bytes, uint32_t line)
{
    heaptap_guest_alloc(&f->heap, &f->calls, at(address), bytes, f->list, f->line[line]);
}

static void free_at(struct fixture *f, uintptr_t address)
{
    heaptap_guest_free(&f->heap, at(address));
}

/* ---- What the report says ------------------------------------------------------------------- */

static void read_report(struct fixture *f, struct guest_profile *profile)
{
    char path[128];
    struct heaptap_error error;
    snprintf(path, sizeof path, "%s/%d-%u.guest", f->folder, (int)getpid(), (unsigned)0);
    assert_true(guest_profile_init(profile));
    /* Heaps are numbered through: this fixture's is the only one in its folder. */
    for (unsigned heap = 0; access(path, F_OK) != 0 && heap < 1000; heap++)
        snprintf(path, sizeof path, "%s/%d-%u.guest", f->folder, (int)getpid(), heap);
    assert_int_equal(guest_report_read(profile, path, &error), HEAPTAP_OK);
}

static uint32_t line_of(const struct guest_profile *profile, uint32_t node)
{
    return guest_profile_place(profile, guest_profile_site_at(profile, node)).line;
}

/* The rows, in the order in which they came to be: "line type allocated+resized bytes; -freed
 * -left; live blocks/bytes, peak[; promoted ...][; temporary ...]". */
static void assert_rows(struct fixture *f, const char *wanted)
{
    struct guest_profile profile = {0};
    char text[2048] = "";
    size_t used = 0;
    read_report(f, &profile);
    for (size_t i = 0; i < guest_profile_rows(&profile); i++) {
        struct guest_profile_row row = guest_profile_row(&profile, i);
        const double *of = row.tally.of;
        const char *type = guest_profile_type_name(&profile, row.type);
        if (!of[GUEST_COUNT] && !of[GUEST_RESIZED] && !of[GUEST_BYTES])
            continue;
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%u %s %.0f+%.0f %.0f; -%.0f -%.0f; %.0f/%.0f, %.0f",
            line_of(&profile, row.node), type ? type : "?", of[GUEST_COUNT], of[GUEST_RESIZED],
            of[GUEST_BYTES], of[GUEST_FREED], of[GUEST_LEFT], of[GUEST_LIVE], of[GUEST_LIVE_BYTES],
            of[GUEST_PEAK_BYTES]);
        if (of[GUEST_PROMOTED])
            used += (size_t)snprintf(text + used, sizeof text - used, "; promoted %.0f/%.0f",
                                     of[GUEST_PROMOTED], of[GUEST_PROMOTED_BYTES]);
        if (of[GUEST_TEMPORARY])
            used += (size_t)snprintf(text + used, sizeof text - used, "; temporary %.0f",
                                     of[GUEST_TEMPORARY]);
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
        assert_true(of[GUEST_COUNT] + of[GUEST_RESIZED] ==
                    of[GUEST_FREED] + of[GUEST_LEFT] + of[GUEST_LIVE]);
    }
    assert_string_equal(text, wanted);
    guest_profile_release(&profile);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static void blocks_are_booked_by_line_and_type(void **state)
{
    struct fixture *f = *state;
    allocate(f, 0x1000, 100, 1);
    allocate(f, 0x2000, 50, 1);
    heaptap_guest_alloc(&f->heap, NULL, at(0x3000), 10, f->text, f->line[1]);
    allocate(f, 0x4000, 0, 2);
    free_at(f, 0x1000);
    free_at(f, 0x1000); /* not known any more */
    free_at(f, 0x9000); /* never known */
    heaptap_guest_free(&f->heap, NULL);
    heaptap_guest_alloc(&f->heap, NULL, NULL, 77, f->list, f->line[3]); /* failed */
    assert_rows(f, "1 list 2+0 150; -1 -0; 1/50, 150; temporary 1\n"
                   "1 text 1+0 10; -0 -0; 1/10, 10\n"
                   "2 list 1+0 0; -0 -0; 1/0, 0\n");
    struct guest_profile profile = {0};
    read_report(f, &profile);
    assert_true(profile.heaps[0].unknown_frees == 2 && profile.heaps[0].allocated == 4 &&
                profile.heaps[0].live_bytes == 60 && profile.heaps[0].peak_bytes == 160);
    guest_profile_release(&profile);
}

static void a_block_ends_the_one_at_its_address(void **state)
{
    struct fixture *f = *state;
    allocate(f, 0x1000, 5000, 1);
    allocate(f, 0x2000, 5000, 3);
    allocate(f, 0x1000, 20, 2);
    assert_rows(f, "1 list 1+0 5000; -1 -0; 0/0, 5000\n"
                   "3 list 1+0 5000; -0 -0; 1/5000, 5000\n"
                   "2 list 1+0 20; -0 -0; 1/20, 20\n");
}

static void what_ends_soon_is_temporary(void **state)
{
    struct fixture *f = *state;
    allocate(f, 0x1000, 8, 1);
    allocate(f, 0x2000, 4095, 2);
    free_at(f, 0x1000);
    allocate(f, 0x1000, 8, 3);
    allocate(f, 0x3000, 4096, 2);
    free_at(f, 0x1000);
    assert_rows(f, "1 list 1+0 8; -1 -0; 0/0, 8; temporary 1\n"
                   "2 list 2+0 8191; -0 -0; 2/8191, 8191\n"
                   "3 list 1+0 8; -1 -0; 0/0, 8\n");
}

static void the_place_is_asked_for(void **state)
{
    struct fixture *f = *state;
    if (heaptap_guest_tick(&f->heap, 10)) {
        struct heaptap_guest_block block = {.address = 0x1000,
                                            .bytes = 10,
                                            .type = f->text,
                                            .location = HEAPTAP_GUEST_ASK,
                                            .hint = f};
        heaptap_guest_allocated(&f->heap, NULL, &block);
    }
    assert_int_equal(f->asked, 1);
    assert_ptr_equal(f->hint, f);
    assert_rows(f, "9 text 1+0 10; -0 -0; 1/10, 10\n");
}

/* ---- Resizing -------------------------------------------------------------------------------- */

static void a_resized_block_comes_to_the_row_of_the_resize(void **state)
{
    struct fixture *f = *state;
    struct heaptap_guest_resize resize;
    allocate(f, 0x1000, 100, 1);
    heaptap_guest_resize_begin(&f->heap, NULL, &resize, at(0x1000), 300, HEAPTAP_GUEST_SAME,
                               f->line[2], NULL);
    allocate(f, 0x1000, 8, 3); /* somebody else has the address by now */
    heaptap_guest_resize_commit(&f->heap, &resize, at(0x5000));
    free_at(f, 0x1000);
    assert_rows(f, "1 list 1+0 100; -0 -1; 0/0, 100\n"
                   "2 list 0+1 300; -0 -0; 1/300, 300\n"
                   "3 list 1+0 8; -1 -0; 0/0, 8; temporary 1\n");
}

static void a_resize_that_fails_changes_nothing(void **state)
{
    struct fixture *f = *state;
    struct heaptap_guest_resize resize;
    allocate(f, 0x1000, 100, 1);
    heaptap_guest_resize_begin(&f->heap, NULL, &resize, at(0x1000), 300, f->text, f->line[2], NULL);
    heaptap_guest_resize_undo(&f->heap, &resize);
    assert_rows(f, "1 list 1+0 100; -0 -0; 1/100, 100\n");
    free_at(f, 0x1000);
    assert_rows(f, "1 list 1+0 100; -1 -0; 0/0, 100; temporary 1\n");
}

static void resizing_nothing_is_an_allocation(void **state)
{
    struct fixture *f = *state;
    struct heaptap_guest_resize resize;
    heaptap_guest_resize_begin(&f->heap, NULL, &resize, NULL, 30, f->text, f->line[2], NULL);
    heaptap_guest_resize_commit(&f->heap, &resize, at(0x1000));
    heaptap_guest_resize_begin(&f->heap, NULL, &resize, at(0x7000), 40, f->list, f->line[3], NULL);
    heaptap_guest_resize_commit(&f->heap, &resize, at(0x7000)); /* of one that is not known */
    assert_rows(f, "2 text 1+0 30; -0 -0; 1/30, 30\n"
                   "3 list 0+1 40; -0 -0; 1/40, 40\n");
}

/* ---- Types ----------------------------------------------------------------------------------- */

static void a_type_that_comes_later_is_booked_as_if_it_had_been_known(void **state)
{
    struct fixture *f = *state;
    heaptap_guest_alloc(&f->heap, NULL, at(0x1000), 10, HEAPTAP_GUEST_UNKNOWN, f->line[1]);
    heaptap_guest_alloc(&f->heap, NULL, at(0x2000), 30, HEAPTAP_GUEST_UNKNOWN, f->line[1]);
    heaptap_guest_settype(&f->heap, at(0x1000), f->text);
    heaptap_guest_settype(&f->heap, at(0x8000), f->text);
    assert_rows(f, "1 ? 1+0 30; -0 -0; 1/30, 30\n"
                   "1 text 1+0 10; -0 -0; 1/10, 10\n");
    free_at(f, 0x1000);
    free_at(f, 0x2000);
    assert_rows(f, "1 ? 1+0 30; -1 -0; 0/0, 30; temporary 1\n"
                   "1 text 1+0 10; -1 -0; 0/0, 10; temporary 1\n");
}

/* ---- Collectors ------------------------------------------------------------------- */

static void young(struct fixture *f, uintptr_t address, uint64_t bytes, uint32_t line)
{
    heaptap_guest_alloc_minor(&f->heap, NULL, at(address), bytes, f->list, f->line[line]);
}

static void a_nursery_is_emptied(void **state)
{
    struct fixture *f = *state;
    young(f, 0x10000, 16, 1);
    young(f, 0x10010, 32, 2);
    young(f, 0x1fff0, 64, 3);
    allocate(f, 0x20000, 8, 4); /* just beyond */
    heaptap_guest_gc_begin(&f->heap);
    heaptap_guest_move(&f->heap, at(0x10010), at(0x50000), true);
    heaptap_guest_gc_end(&f->heap);
    heaptap_guest_region_reset(&f->heap, at(0x10000), at(0x20000));
    heaptap_guest_move(&f->heap, at(0x50000), at(0x50000), true); /* promoted already */
    assert_rows(f, "1 list 1+0 16; -1 -0; 0/0, 16; temporary 1\n"
                   "2 list 1+0 32; -0 -0; 1/32, 32; promoted 1/32\n"
                   "3 list 1+0 64; -1 -0; 0/0, 64; temporary 1\n"
                   "4 list 1+0 8; -0 -0; 1/8, 8\n");
    free_at(f, 0x50000);
    assert_rows(f, "1 list 1+0 16; -1 -0; 0/0, 16; temporary 1\n"
                   "2 list 1+0 32; -1 -0; 0/0, 32; promoted 1/32; temporary 1\n"
                   "3 list 1+0 64; -1 -0; 0/0, 64; temporary 1\n"
                   "4 list 1+0 8; -0 -0; 1/8, 8\n");
}

/* A collector can't find sooner what is dead: what its first collection finds is temporary, however much was
 * allocated meanwhile; what lived through one is not. */
static void what_the_first_collection_finds_is_temporary(void **state)
{
    struct fixture *f = *state;
    allocate(f, 0x100000, 50000, 1);
    allocate(f, 0x200000, 50000, 2);
    allocate(f, 0x300000, 50000, 3);
    free_at(f, 0x300000); /* by no collector; the row's age is 0 */
    allocate(f, 0x300000, 50000, 4);
    allocate(f, 0x400000, 50000, 5);
    free_at(f, 0x300000); /* likewise, but old */
    heaptap_guest_gc_begin(&f->heap);
    free_at(f, 0x100000);
    heaptap_guest_gc_end(&f->heap);
    allocate(f, 0x500000, 50000, 6);
    allocate(f, 0x600000, 50000, 7);
    heaptap_guest_gc_begin(&f->heap);
    free_at(f, 0x200000);
    free_at(f, 0x500000);
    heaptap_guest_gc_end(&f->heap);
    assert_rows(f, "1 list 1+0 50000; -1 -0; 0/0, 50000; temporary 1\n"
                   "2 list 1+0 50000; -1 -0; 0/0, 50000\n"
                   "3 list 1+0 50000; -1 -0; 0/0, 50000; temporary 1\n"
                   "4 list 1+0 50000; -1 -0; 0/0, 50000\n"
                   "5 list 1+0 50000; -0 -0; 1/50000, 50000\n"
                   "6 list 1+0 50000; -1 -0; 0/0, 50000; temporary 1\n"
                   "7 list 1+0 50000; -0 -0; 1/50000, 50000\n");
}

static void blocks_move_to_where_others_are_yet_to_leave(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 3; i++)
        allocate(f, 0x1000 + 0x100 * i, 10 + i, 1 + i);
    heaptap_guest_gc_begin(&f->heap); /* each to where the next one is */
    for (uint32_t i = 0; i < 3; i++)
        heaptap_guest_move(&f->heap, at(0x1000 + 0x100 * i), at(0x1100 + 0x100 * i), false);
    heaptap_guest_gc_end(&f->heap);
    free_at(f, 0x1200); /* was the second */
    assert_rows(f, "1 list 1+0 10; -0 -0; 1/10, 10\n"
                   "2 list 1+0 11; -1 -0; 0/0, 11; temporary 1\n"
                   "3 list 1+0 12; -0 -0; 1/12, 12\n");
}

/* ---- Stacks ----------------------------------------------------------------------- */

static size_t callers_of(const struct guest_profile *profile, size_t row, uint32_t *lines)
{
    size_t depth = 0;
    for (uint32_t node = guest_profile_row(profile, row).node; node;
         node = guest_profile_caller(profile, node))
        lines[depth++] = line_of(profile, node);
    return depth;
}

static void each_coroutine_has_its_stack(void **state)
{
    struct fixture f;
    struct heaptap_guest_thread other = {0};
    struct guest_profile profile = {0};
    uint32_t lines[8];
    struct heaptap_guest_request request = request_of(&f);
    request.stacks = true;
    begin(&f, &request);
    assert_true(heaptap_guest_wants_stacks(&f.heap));
    heaptap_guest_push(&f.calls, f.line[1]);
    heaptap_guest_push(&f.calls, f.line[2]);
    allocate(&f, 0x1000, 10, 3);
    heaptap_guest_push(&other, f.line[7]);
    heaptap_guest_alloc(&f.heap, &other, at(0x2000), 20, f.list, f.line[3]);
    heaptap_guest_pop(&f.calls);
    heaptap_guest_push(&f.calls, f.line[2]); /* the same again */
    allocate(&f, 0x3000, 30, 3);
    heaptap_guest_cut(&f.calls, 0);
    heaptap_guest_pop(&f.calls); /* of none */
    allocate(&f, 0x4000, 40, 3);
    read_report(&f, &profile);
    assert_int_equal(guest_profile_rows(&profile), 3);
    static const struct {
        double bytes;
        size_t depth;
        uint32_t lines[3];
    } wanted[] = {{40, 3, {3, 2, 1}}, {20, 2, {3, 7}}, {40, 1, {3}}};
    for (size_t row = 0; row < 3; row++) {
        assert_true(guest_profile_row(&profile, row).tally.of[GUEST_BYTES] == wanted[row].bytes);
        assert_int_equal(callers_of(&profile, row, lines), wanted[row].depth);
        assert_memory_equal(lines, wanted[row].lines, wanted[row].depth * sizeof *lines);
    }
    guest_profile_release(&profile);
    heaptap_guest_thread_release(&other);
    teardown(&f);
}

static void calls_beyond_memory_are_counted(void **state)
{
    struct fixture *f = *state;
    const uint32_t most = 1 << 20;
    for (uint32_t i = 0; i < most + 5; i++)
        heaptap_guest_push(&f->calls, f->line[i % 3]);
    assert_int_equal(f->calls.depth, most);
    for (uint32_t i = 0; i < 6; i++)
        heaptap_guest_pop(&f->calls);
    assert_int_equal(f->calls.depth, most - 1);
}

/* ---- The trace -------------------------------------------------------------------- */

/* "a0:100 e0": allocations with length, promotions and ends, by id. */
static void assert_trace(struct fixture *f, const char *wanted)
{
    static const char letters[] = {'a', 'p', 'e'};
    struct heaptap_reader *reader;
    struct heaptap_error error;
    struct heaptap_event event;
    char text[512] = "";
    size_t used = 0;
    assert_int_equal(heaptap_reader_open(&reader, f->trace, NULL, &error), HEAPTAP_OK);
    while (heaptap_reader_next(reader, &event, &error) == HEAPTAP_OK) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%c%u", letters[event.kind],
                                 (unsigned)event.id);
        if (event.kind == HEAPTAP_ALLOC)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, ":%u%s", (unsigned)event.length,
                                 event.source == HEAPTAP_MINOR ? "m" : "");
        used += (size_t)snprintf(text + used, sizeof text - used, " ");
    }
    assert_string_equal(text, wanted);
    heaptap_reader_close(reader);
}

static void a_trace_has_the_same_events(void **state)
{
    struct fixture f;
    struct heaptap_guest_resize resize;
    struct heaptap_guest_request request = request_of(&f);
    request.trace = f.trace;
    begin(&f, &request);
    allocate(&f, 0x1000, 100, 1);
    young(&f, 0x10000, 16, 2);
    young(&f, 0x10010, 32, 2);
    heaptap_guest_resize_begin(&f.heap, NULL, &resize, at(0x1000), 300, HEAPTAP_GUEST_SAME,
                               f.line[2], NULL);
    heaptap_guest_resize_commit(&f.heap, &resize, at(0x2000));
    heaptap_guest_resize_begin(&f.heap, NULL, &resize, at(0x2000), 1, HEAPTAP_GUEST_SAME, f.line[2],
                               NULL);
    heaptap_guest_resize_undo(&f.heap, &resize);
    heaptap_guest_gc_begin(&f.heap);
    heaptap_guest_move(&f.heap, at(0x10010), at(0x2000), true);
    heaptap_guest_move(&f.heap, at(0x2000), at(0x3000), false);
    heaptap_guest_gc_end(&f.heap);
    heaptap_guest_region_reset(&f.heap, at(0x10000), at(0x20000));
    heaptap_guest_settype(&f.heap, at(0x3000), f.text);
    free_at(&f, 0x3000);
    allocate(&f, 0x2000, 7, 1); /* ends the one that was promoted to there */
    assert_rows(&f, "1 list 2+0 107; -0 -1; 1/7, 100\n"
                    "2 list 2+0 48; -2 -0; 0/0, 348; promoted 1/32; temporary 2\n"
                    "2 text 0+1 300; -1 -0; 0/0, 300; temporary 1\n");
    heaptap_guest_stop(&f.heap);
    assert_trace(&f, "a0:100 a1:16m a2:32m e0 a3:300 p2 e1 e3 e2 a4:7 ");
    teardown(&f);
}

/* So few bytes hold its beginning; then it says why it ends. */
static void a_trace_without_room_says_so(void **state)
{
    enum { LIMIT_BYTES = 300000, BLOCKS = 100000 };
    struct fixture f;
    struct rlimit before;
    struct heaptap_reader *reader;
    struct heaptap_event event;
    size_t count, allocated = 0, stops = 0;
    struct heaptap_guest_request request = request_of(&f);
    request.trace = f.trace;
    begin(&f, &request);
    getrlimit(RLIMIT_FSIZE, &before);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){LIMIT_BYTES, before.rlim_max});
    for (uint64_t i = 1; i <= BLOCKS; i++)
        allocate(&f, 0x100000 + i * 64, 64, 1);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(heaptap_reader_open(&reader, f.trace, NULL, NULL), HEAPTAP_OK);
    while (heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK)
        allocated += event.kind == HEAPTAP_ALLOC;
    assert_true(allocated > 1000 && allocated < BLOCKS);
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_STOPPED) {
            stops++;
            assert_string_equal(records[i].name, "File too large");
        }
    assert_int_equal(stops, 1);
    heaptap_reader_close(reader);
    teardown(&f);
}

/* ---- Samples ---------------------------------------------------------------------- */

static void samples_add_up_and_come_near(void **state)
{
    struct fixture f;
    struct guest_profile profile = {0};
    struct heaptap_guest_request request = request_of(&f);
    request.rate = 0.1;
    request.seed = 5;
    begin(&f, &request);
    assert_false(heaptap_guest_is_exact(&f.heap));
    for (uintptr_t i = 0; i < 100000; i++)
        allocate(&f, 0x100000 + i * 64, 64, i % 2 ? 1 : 2);
    for (uintptr_t i = 0; i < 100000; i += 2)
        free_at(&f, 0x100000 + i * 64);
    read_report(&f, &profile);
    double allocated[3] = {0}, live[3] = {0};
    for (size_t i = 0; i < guest_profile_rows(&profile); i++) {
        struct guest_profile_row row = guest_profile_row(&profile, i);
        const double *of = row.tally.of;
        allocated[line_of(&profile, row.node)] += of[GUEST_COUNT];
        live[line_of(&profile, row.node)] += of[GUEST_LIVE];
    }
    assert_true(allocated[1] > 49000 && allocated[1] < 51000 && live[1] == allocated[1]);
    assert_true(allocated[2] > 49000 && allocated[2] < 51000 && live[2] == 0);
    guest_profile_release(&profile);
    teardown(&f);
}

/* What has no room is counted, and that is told. */
static void a_full_report_says_so(void **state)
{
    struct fixture *f = *state;
    enum { LINES = 50000, LIMIT_BYTES = 8 << 20 };
    struct guest_profile profile = {0};
    struct rlimit before, small;
    if (IS_ADDRESS_SANITIZED) /* its own memory would be missing, too */
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        getrlimit(RLIMIT_AS, &before);
        small = (struct rlimit){LIMIT_BYTES, before.rlim_max};
        setrlimit(RLIMIT_AS, &small);
        for (uint32_t i = 1; i <= LINES; i++)
            heaptap_guest_alloc(&f->heap, &f->calls, at(0x100000 + i * UINT64_C(64)), 64, f->list,
                                heaptap_guest_location(&f->heap, "many.lox", "f", i));
        setrlimit(RLIMIT_AS, &before);
        read_report(f, &profile);
        double allocated = 0;
        for (size_t i = 0; i < guest_profile_rows(&profile); i++)
            allocated += guest_profile_row(&profile, i).tally.of[GUEST_COUNT];
        _exit(allocated == LINES && guest_profile_rows(&profile) < LINES &&
                      profile.note_count == 1 && strstr(profile.notes[0], "no room for all lines")
                  ? 0
                  : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* ---- Life ------------------------------------------------------------------------- */

static void a_child_begins_anew(void **state)
{
    struct fixture *f = *state;
    allocate(f, 0x1000, 100, 1);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct guest_profile profile = {0};
        free_at(f, 0x1000);
        allocate(f, 0x2000, 20, 2);
        read_report(f, &profile);
        struct guest_profile_row row =
            guest_profile_row(&profile, guest_profile_rows(&profile) - 1);
        const double *of = row.tally.of;
        _exit(of[GUEST_COUNT] == 1 && of[GUEST_BYTES] == 20 && profile.heaps[0].allocated == 1 &&
                      profile.heaps[0].unknown_frees == 1
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_rows(f, "1 list 1+0 100; -0 -0; 1/100, 100\n");
}

static void a_heap_that_is_not_watched_does_nothing(void **state)
{
    struct fixture f = {0};
    struct heaptap_guest_resize resize;
    allocate(&f, 0x1000, 100, 1);
    young(&f, 0x1000, 100, 1);
    free_at(&f, 0x1000);
    heaptap_guest_settype(&f.heap, at(0x1000), 1);
    heaptap_guest_resize_begin(&f.heap, NULL, &resize, at(0x1000), 1, 0, 0, NULL);
    heaptap_guest_resize_commit(&f.heap, &resize, at(0x1000));
    heaptap_guest_move(&f.heap, at(0x1000), at(0x2000), true);
    heaptap_guest_gc_begin(&f.heap);
    heaptap_guest_gc_end(&f.heap);
    heaptap_guest_region_reset(&f.heap, at(0), at(0x10000));
    heaptap_guest_note(&f.heap, "nothing");
    assert_int_equal(heaptap_guest_type(&f.heap, "list"), HEAPTAP_GUEST_UNKNOWN);
    assert_int_equal(heaptap_guest_location(&f.heap, "a", "b", 1), HEAPTAP_GUEST_UNKNOWN);
    heaptap_guest_stop(&f.heap);
    assert_false(heaptap_guest_is_watched(&f.heap));
}

static void wrong_requests_are_refused(void **state)
{
    struct fixture f;
    struct heaptap_error error;
    struct heaptap_guest_request request = request_of(&f);
    request.rate = 1.5;
    assert_int_equal(heaptap_guest_start(&f.heap, "Test", NULL, &request, &error),
                     HEAPTAP_BAD_ARGUMENT);
    request.rate = 1;
    request.directory = "/nowhere/at/all";
    assert_int_equal(heaptap_guest_start(&f.heap, "Test", NULL, &request, &error), HEAPTAP_SYSTEM);
    request.directory = f.folder;
    begin(&f, &request);
    assert_int_equal(heaptap_guest_start(&f.heap, "Test", NULL, &request, &error),
                     HEAPTAP_BAD_STATE);
    assert_int_equal(heaptap_guest_type(&f.heap, "list"), f.list);
    assert_int_equal(heaptap_guest_location(&f.heap, "test.x", "low", 3), f.line[3]);
    assert_int_not_equal(heaptap_guest_location(&f.heap, "test.x", NULL, 3), f.line[3]);
    teardown(&f);
}

int main(void)
{
    return RUN_EACH_WITHIN(
        set_up, tear_down, blocks_are_booked_by_line_and_type, a_block_ends_the_one_at_its_address,
        what_ends_soon_is_temporary, the_place_is_asked_for,
        a_resized_block_comes_to_the_row_of_the_resize, a_resize_that_fails_changes_nothing,
        resizing_nothing_is_an_allocation,
        a_type_that_comes_later_is_booked_as_if_it_had_been_known, a_nursery_is_emptied,
        what_the_first_collection_finds_is_temporary, blocks_move_to_where_others_are_yet_to_leave,
        each_coroutine_has_its_stack, calls_beyond_memory_are_counted, a_trace_has_the_same_events,
        a_trace_without_room_says_so, a_full_report_says_so, samples_add_up_and_come_near,
        a_child_begins_anew, a_heap_that_is_not_watched_does_nothing, wrong_requests_are_refused);
}
