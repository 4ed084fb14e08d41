/* heaptap/profile.h on the story (helpers/story.h), whose figures are known by hand. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run_tests.h"
#include "heaptap/profile.h"
#include "helpers/story.h"

static int file_of(const void *bytes, size_t size)
{
    int fd = memfd_create("file", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (int)size);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static struct heaptap_profile *open_story(size_t cut, enum heaptap_status wanted)
{
    struct bytes bytes = {0};
    struct heaptap_profile *profile;
    struct heaptap_error error;
    story_write(&bytes);
    int fd = file_of(bytes.items, bytes.size - cut);
    bytes_release(&bytes);
    assert_int_equal(heaptap_profile_open_fd(&profile, fd, &error), wanted);
    return profile;
}

static struct heaptap_selection *ask(const struct heaptap_profile *profile, const char *filter,
                                     const char *type)
{
    struct heaptap_selection *selection;
    struct heaptap_error error;
    if (heaptap_profile_select(&selection, profile, filter, type, &error) != HEAPTAP_OK)
        fail_msg("%s: %s", filter, error.message);
    return selection;
}

static void test_profile(void **state)
{
    struct heaptap_profile *profile = open_story(0, HEAPTAP_OK);
    struct heaptap_sample_type type;
    assert_int_equal(heaptap_profile_info(profile)->start_us, STORY_START_US);
    assert_int_equal(heaptap_profile_end_us(profile), 100000);
    assert_int_equal(heaptap_profile_peak_us(profile), 70000);
    assert_true(heaptap_profile_type(profile, 2, &type));
    assert_string_equal(type.name, "inuse_space");
    assert_string_equal(type.unit, "bytes");
    assert_true(heaptap_profile_type(profile, 7, &type));
    assert_false(heaptap_profile_type(profile, 8, &type));
    heaptap_profile_close(profile);
    heaptap_profile_close(NULL);
}

static void test_totals(void **state)
{
    static const struct {
        const char *filter, *type;
        double total, whole;
    } rows[] = {
        {NULL, NULL, 8 * 127, 8 * 127},
        {"size>=4w", NULL, 8 * (C | D | E | F | G), 8 * 127},
        {"live-at=peak", "alloc_space", 8 * (B | C | E | F | G), 8 * 127},
        {"", "inuse_objects", 4.0 / 5 + 16.0 / 17 + 32.0 / 33, 4.0 / 5 + 16.0 / 17 + 32.0 / 33},
        {"focus=helper", "collected_space", 8 * G, 8 * (A | B | D | G)},
        {"source=major", "promoted_objects", 2.0 / 3 + 4.0 / 5, 2.0 / 3 + 4.0 / 5},
    };
    struct heaptap_profile *profile = open_story(0, HEAPTAP_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct heaptap_selection *selection = ask(profile, rows[i].filter, rows[i].type);
        double total = heaptap_selection_total(selection);
        double whole = heaptap_selection_whole(selection);
        if (fabs(total - rows[i].total) > 1e-9 || fabs(whole - rows[i].whole) > 1e-9)
            fail_msg("%s: %g of %g", rows[i].filter, total, whole);
        heaptap_selection_free(selection);
    }
    heaptap_profile_close(profile);
}

static void test_rows(void **state)
{
    struct heaptap_profile *profile = open_story(0, HEAPTAP_OK);
    struct heaptap_selection *selection = ask(profile, "hide=main", NULL);
    const struct heaptap_row *rows;
    size_t count;
    assert_int_equal(heaptap_selection_rows(selection, HEAPTAP_FUNCTIONS, &rows, &count, NULL),
                     HEAPTAP_OK);
    assert_int_equal(count, 5);
    assert_string_equal(rows[0].name, "helper");
    assert_string_equal(rows[0].file, "");
    assert_true(rows[0].flat == 8 * G && rows[0].cum == 8 * (C | G));
    assert_string_equal(rows[1].function, "map");
    assert_int_equal(heaptap_selection_rows(selection, HEAPTAP_FILES, &rows, &count, NULL),
                     HEAPTAP_OK);
    assert_string_equal(rows[0].file, "helper.ml");
    assert_string_equal(rows[0].function, "");
    assert_true(rows[1].flat == 8 * (A | B | C | F)); /* list.ml */
    assert_int_equal(
        heaptap_selection_rows(selection, (enum heaptap_granularity)5, &rows, &count, NULL),
        HEAPTAP_BAD_ARGUMENT);
    heaptap_selection_free(selection);
    heaptap_profile_close(profile);
}

static void test_bounds_of_exact(void **state)
{
    static const char *const types[] = {"alloc_space", "inuse_objects"};
    struct heaptap_profile *profile = open_story(0, HEAPTAP_OK);
    for (size_t i = 0; i < 2; i++) {
        struct heaptap_selection *selection = ask(profile, "", types[i]);
        const struct heaptap_row *rows;
        size_t count;
        double low, high;
        uint64_t samples;
        assert_int_equal(heaptap_selection_rows(selection, HEAPTAP_LINES, &rows, &count, NULL),
                         HEAPTAP_OK);
        assert_true(count > 0);
        for (size_t row = 0; row < count; row++) {
            assert_true(rows[row].flat_low == rows[row].flat);
            assert_true(rows[row].flat_high == rows[row].flat);
            assert_true(rows[row].cum_low == rows[row].cum);
            assert_true(rows[row].cum_high == rows[row].cum);
        }
        heaptap_selection_bounds(selection, &low, &high, &samples);
        assert_true(low == heaptap_selection_total(selection) && high == low);
        heaptap_selection_bounds(selection, NULL, NULL, NULL);
        heaptap_selection_free(selection);
    }
    struct heaptap_selection *selection = ask(profile, "hide=main", NULL);
    const struct heaptap_row *rows;
    size_t count;
    uint64_t samples;
    assert_int_equal(heaptap_selection_rows(selection, HEAPTAP_FUNCTIONS, &rows, &count, NULL),
                     HEAPTAP_OK);
    assert_int_equal(rows[0].flat_samples, G); /* helper */
    assert_int_equal(rows[0].cum_samples, C | G);
    heaptap_selection_bounds(selection, NULL, NULL, &samples);
    assert_int_equal(samples, 127 - D); /* main alone */
    heaptap_selection_free(selection);
    heaptap_profile_close(profile);
}

static void assert_near(double figure, double wanted)
{
    if (!(fabs(figure - wanted) <= 1e-12 * wanted))
        fail_msg("%.15g, not %.15g", figure, wanted);
}

/* As `heaptap leaks --json` has them (test_estimate.c holds those bounds to what is true). */
static void test_bounds_of_samples(void **state)
{
    static const struct {
        const char *type;
        double total, total_low, total_high, flat, low, high;
    } wanted[] = {
        {"inuse_space", 44000000, 36335169.1265453, 52822896.0267223, 4400000, 2313774.84211251,
         7647587.02314961},
        {"inuse_objects", 1545416.66666667, 1256849.16394334, 1890873.963377, 183333.333333333,
         97442.4080723161, 328300.170424069},
    };
    struct heaptap_profile *profile;
    assert_int_equal(
        heaptap_profile_open(&profile, GOLDEN_DIR "/valid/ocamlopt-small-v3.ctf", NULL),
        HEAPTAP_OK);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct heaptap_selection *selection = ask(profile, "", wanted[i].type);
        const struct heaptap_row *rows;
        size_t count, row = 0;
        double low, high;
        uint64_t samples;
        assert_int_equal(heaptap_selection_rows(selection, HEAPTAP_LINES, &rows, &count, NULL),
                         HEAPTAP_OK);
        while (row < count &&
               strcmp(rows[row].name, "Interf.build_graph.add_interf asmcomp/interf.ml:52") != 0)
            row++;
        assert_true(row < count);
        assert_near(rows[row].flat, wanted[i].flat);
        assert_near(rows[row].flat_low, wanted[i].low);
        assert_near(rows[row].flat_high, wanted[i].high);
        assert_near(rows[row].cum_low, wanted[i].low);
        assert_near(rows[row].cum_high, wanted[i].high);
        assert_int_equal(rows[row].flat_samples, 11);
        assert_int_equal(rows[row].cum_samples, 11);
        heaptap_selection_bounds(selection, &low, &high, &samples);
        assert_near(heaptap_selection_total(selection), wanted[i].total);
        assert_near(low, wanted[i].total_low);
        assert_near(high, wanted[i].total_high);
        assert_int_equal(samples, 110);
        heaptap_selection_free(selection);
    }
    heaptap_profile_close(profile);
}

struct heard {
    char stacks[512];
    double sum;
};

static bool hear(void *context, const struct heaptap_location *locations, size_t count,
                 double value)
{
    struct heard *heard = context;
    for (size_t i = 0; i < count; i++) {
        strcat(heard->stacks, locations[i].function);
        strcat(heard->stacks, i + 1 < count ? ";" : " ");
    }
    heard->sum += value;
    return heard->sum < 8 * 100;
}

static void test_stacks(void **state)
{
    struct heaptap_profile *profile = open_story(0, HEAPTAP_OK);
    struct heaptap_selection *selection = ask(profile, "source=external", NULL);
    struct heard heard = {0};
    assert_int_equal(heaptap_selection_stacks(selection, hear, &heard, NULL), HEAPTAP_OK);
    assert_string_equal(heard.stacks, "main;wrap;ext_alloc ");
    assert_true(heard.sum == 8 * E);
    heaptap_selection_free(selection);
    heaptap_profile_close(profile);
}

static void test_wrong_filters(void **state)
{
    struct heaptap_profile *profile = open_story(0, HEAPTAP_OK);
    struct heaptap_selection *selection;
    struct heaptap_error error;
    size_t length;
    assert_int_equal(heaptap_filter_check("size>=1k live-at=peak", &length, &error), HEAPTAP_OK);
    assert_int_equal(heaptap_filter_check("size>=1k liv-at=peak", &length, &error),
                     HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(error.offset, 9);
    assert_int_equal(length, 6);
    assert_int_equal(heaptap_profile_select(&selection, profile, "size>x", NULL, &error),
                     HEAPTAP_BAD_ARGUMENT);
    assert_null(selection);
    assert_int_equal(heaptap_profile_select(&selection, profile, "", "alloc_spice", &error),
                     HEAPTAP_BAD_ARGUMENT);
    assert_string_equal(error.message, "there is no sample type 'alloc_spice'");
    heaptap_selection_free(selection);
    heaptap_profile_close(profile);
}

static void test_values(void **state)
{
    static const char jemalloc[] = "heap_v2/1\n@ 0x1 0x2\n  t*: 1: 8 [0: 0]\n";
    struct heaptap_profile *profile;
    struct heaptap_selection *selection;
    struct heaptap_error error;
    struct heaptap_sample_type type;
    int fd = file_of(jemalloc, sizeof jemalloc - 1);
    assert_int_equal(heaptap_profile_open_fd(&profile, fd, &error), HEAPTAP_OK);
    assert_null(heaptap_profile_info(profile));
    assert_true(heaptap_profile_type(profile, 0, &type));
    assert_string_equal(type.name, "inuse_objects");
    assert_int_equal(heaptap_profile_select(&selection, profile, "live-at=peak", NULL, &error),
                     HEAPTAP_BAD_ARGUMENT);
    selection = ask(profile, "", "inuse_space");
    assert_true(heaptap_selection_total(selection) == 8);
    const struct heaptap_row *rows;
    size_t count;
    assert_int_equal(heaptap_selection_rows(selection, HEAPTAP_ADDRESSES, &rows, &count, &error),
                     HEAPTAP_OK);
    assert_int_equal(count, 2);
    assert_true(rows[0].flat == 8 && rows[0].flat_low == 8 && rows[0].flat_high == 8);
    assert_int_equal(rows[0].flat_samples, 1);
    assert_true(rows[1].flat == 0 && rows[1].flat_low == 0 && rows[1].flat_high == 0);
    assert_true(rows[1].cum == 8 && rows[1].cum_low == 8 && rows[1].cum_high == 8);
    heaptap_selection_free(selection);
    heaptap_profile_close(profile);
}

static void test_heaptrack(void **state)
{
    static const char text[] = "v 10400 3\nX ./p\ns 4 main\ns 3 t.c\ni 10 0 1 2 1\nt 1 0\n"
                               "a 64 1\n+ 0\nc a\n";
    struct heaptap_profile *profile;
    struct heaptap_error error;
    int fd = file_of(text, sizeof text - 1);
    assert_int_equal(heaptap_profile_open_fd(&profile, fd, &error), HEAPTAP_OK);
    struct heaptap_selection *selection = ask(profile, "focus=main", NULL);
    assert_true(heaptap_selection_total(selection) == 100);
    heaptap_selection_free(selection);
    heaptap_profile_close(profile);
}

static void test_damage(void **state)
{
    struct heaptap_profile *profile = open_story(1, HEAPTAP_BAD_INPUT);
    assert_non_null(profile);
    assert_non_null(heaptap_profile_info(profile));
    heaptap_profile_close(profile);
    struct heaptap_error error;
    assert_int_equal(heaptap_profile_open_fd(&profile, file_of("nothing", 7), &error),
                     HEAPTAP_BAD_INPUT);
    assert_null(profile);
    assert_int_equal(heaptap_profile_open(&profile, "no/such/file", &error), HEAPTAP_SYSTEM);
    assert_null(profile);
}

static void test_nothing_given(void **state)
{
    struct heaptap_sample_type type;
    struct heaptap_selection *selection = (struct heaptap_selection *)&type;
    size_t length;
    assert_int_equal(heaptap_filter_check(NULL, &length, NULL), HEAPTAP_OK);
    assert_null(heaptap_profile_info(NULL));
    assert_int_equal(heaptap_profile_end_us(NULL), 0);
    assert_int_equal(heaptap_profile_peak_us(NULL), 0);
    assert_false(heaptap_profile_type(NULL, 0, &type));
    assert_int_equal(heaptap_profile_select(&selection, NULL, NULL, NULL, NULL),
                     HEAPTAP_BAD_ARGUMENT);
    assert_null(selection);
    heaptap_profile_close(NULL);
    heaptap_selection_free(NULL);
}

int main(void)
{
    return RUN_TESTS(test_profile, test_totals, test_rows, test_bounds_of_exact,
                     test_bounds_of_samples, test_stacks, test_wrong_filters, test_values,
                     test_nothing_given, test_heaptrack, test_damage);
}
