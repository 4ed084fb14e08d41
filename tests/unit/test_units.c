/* Quantities that are printed, and read again. */
#include "unit/unit.h"

#include <math.h>

#include "base/amount.h"
#include "base/measure.h"
#include "base/random.h"
#include "base/units.h"

static double bytes_of(const char *text)
{
    double value = -1;
    return amount_bytes(text, &value) ? value : -1;
}

static double count_of(const char *text)
{
    double value = -1;
    return amount_count(text, &value) ? value : -1;
}

static double us_of(const char *text)
{
    double value = -1;
    return amount_duration(text, &value) ? value : -1;
}

static void bytes_are_read_by_1024(void **state)
{
    static const struct {
        const char *text;
        double bytes;
    } cases[] = {
        {"0", 0},
        {"400", 400},
        {"1B", 1},
        {"1k", 1024},
        {"1K", 1024},
        {"1kB", 1024},
        {"1KB", 1024},
        {"1KiB", 1024},
        {"1 kB", 1024},
        {"2.5M", 2621440},
        {"1MiB", 1048576},
        {"317KB", 324608},
        {"2.01MB", 2107637.76},
        {".5k", 512},
        {"3G", 0x3p30},
        {"1 terabyte", 0x1p40},
        {"2 kilobytes", 2048},
        {"1PB", 0x1p50},
        {"1 EB", 0x1p60},
        {"1e3", 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(fabs(bytes_of(cases[i].text) - cases[i].bytes) < 1e-6);
    static const char *const wrong[] = {"",    "B",   "k",  "0x10", "0X1p3",  "nan",
                                        "inf", "-1",  "+1", "5q",   "1kBs x", "1 2",
                                        "5m",  "1k2", "5%", "1e999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_true(bytes_of(wrong[i]) == -1);
}

static void counts_are_read_by_1000(void **state)
{
    assert_true(count_of("5") == 5 && count_of("5k") == 5000 && count_of("5K") == 5000);
    assert_true(count_of("2.9 M") == 2900000 && count_of("1G") == 1e9 && count_of("1T") == 1e12);
    assert_true(count_of("5kB") == -1 && count_of("5MB") == -1 && count_of("0x10") == -1);
}

static void durations_are_read_in_parts(void **state)
{
    assert_true(us_of("20ms") == 20000 && us_of("1.5") == 1.5e6 && us_of("12 us") == 12);
    assert_true(us_of("4 min 10 s") == 250e6 && us_of("4min10s") == 250e6);
    assert_true(us_of("3 h 20 min") == 12000e6 && us_of("2.50hrs") == 9000e6);
    assert_true(us_of("\xc2\xb5s") == -1 && us_of("7\xc2\xb5s") == 7 && us_of("7\xce\xbcs") == 7);
    assert_true(us_of("4min 10") == -1 && us_of("4 parsecs") == -1 && us_of("1s,") == -1);
}

static void durations_are_rounded_before_they_are_split(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        {0, "0 us"},
        {1e-9, "0 us"},
        {12e-6, "12 us"},
        {999.4e-6, "999 us"},
        {999.7e-6, "1 ms"},
        {1e-3, "1 ms"},
        {3.4e-3, "3.4 ms"},
        {9.996e-3, "10 ms"},
        {0.9994, "999 ms"},
        {0.9997, "1 s"},
        {1.234, "1.23 s"},
        {59.6, "59.6 s"},
        {59.94, "59.9 s"},
        {59.97, "1 min 0 s"},
        {60, "1 min 0 s"},
        {119.4, "1 min 59 s"},
        {119.6, "2 min 0 s"},
        {419.7, "7 min 0 s"},
        {3599.4, "59 min 59 s"},
        {3599.7, "1 h 0 min"},
        {3600, "1 h 0 min"},
        {7169, "1 h 59 min"},
        {7171, "2 h 0 min"},
        {86393, "24 h 0 min"}, /* 23 h 59.9 min */
        {1e6, "277 h 47 min"},
        {-999.7e-6, "-1 ms"},
        {-70, "-1 min 10 s"},
        {-3599.7, "-1 h 0 min"},
    };
    char text[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(units_duration(text, cases[i].seconds), cases[i].text);
}

static void sizes_have_three_digits(void **state)
{
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {
        {0, "0B"},           {960, "960B"},       {1023, "1023B"},         {1023.6, "1kB"},
        {1024, "1kB"},       {1638.4, "1.6kB"},   {5600, "5.47kB"},        {10235, "10kB"},
        {56000, "54.7kB"},   {203776, "199kB"},   {1023 * 1024, "1023kB"}, {1048575, "1MB"},
        {2107637, "2.01MB"}, {0x1.8p60, "1.5EB"},
    };
    char text[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(units_size(text, cases[i].bytes), cases[i].text);
}

/* A size as it is printed, taken for the least size to be shown, shows what it was printed of, and
 * nothing that is printed as less. */
static void printed_sizes_select_what_they_were_printed_of(void **state)
{
    struct random random;
    char text[UNITS_TEXT_BYTES], below[UNITS_TEXT_BYTES];
    random_init(&random, 1);
    for (int i = 0; i < 200000; i++) {
        double bytes = floor(exp2(random_unit(&random) * 50));
        double printed = bytes_of(units_size(text, bytes)), least = units_size_least(printed);
        assert_true(bytes >= (printed >= 1024 ? least : printed));
        if (printed > 1024)
            assert_true(bytes_of(units_size(below, least * (1 - 1e-9))) < printed);
    }
}

/* What any printer of the program prints is read as the same, but for what it was rounded by. */
static void printed_values_are_read(void **state)
{
    struct random random;
    char text[MEASURE_TEXT_BYTES];
    random_init(&random, 2);
    for (int i = 0; i < 20000; i++) {
        double value = exp2(random_unit(&random) * 60);
        assert_true(fabs(bytes_of(units_bytes(text, value)) / value - 1) < 0.06 || value < 10);
        assert_true(fabs(bytes_of(measure_text(text, value, "bytes", "minimum")) / value - 1) <
                        0.006 ||
                    value < 10);
        assert_true(fabs(bytes_of(units_size(text, value)) / value - 1) < 0.006 || value < 100);
        assert_true(fabs(count_of(units_count(text, value)) / value - 1) < 0.06 || value < 10);
        assert_true(fabs(us_of(units_duration(text, value / 1e6)) / value - 1) < 0.02 ||
                    value < 100);
    }
}

static void counted_things_have_a_plural(void **state)
{
    char text[UNITS_TEXT_BYTES];
    assert_string_equal(units_counted(text, 1, "block"), "1 block");
    assert_string_equal(units_counted(text, 0, "block"), "0 blocks");
    assert_string_equal(units_counted(text, 2, "object"), "2 objects");
    assert_string_equal(units_counted(text, 1.2e6, "block"), "1.2 M blocks");
}

int main(void)
{
    return RUN_TESTS(counted_things_have_a_plural, bytes_are_read_by_1024, counts_are_read_by_1000,
                     durations_are_read_in_parts, durations_are_rounded_before_they_are_split,
                     sizes_have_three_digits, printed_sizes_select_what_they_were_printed_of,
                     printed_values_are_read);
}
