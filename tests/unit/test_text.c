
#include "run_tests.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

static void check_int(int64_t value, unsigned digits, const char *wanted)
{
    struct text text = {0};
    text_put_int(&text, value, digits);
    assert_int_equal(text.size, strlen(wanted));
    assert_memory_equal(text.bytes, wanted, text.size);
    text_release(&text);
}

static void numbers(void **state)
{
    check_int(0, 1, "0");
    check_int(0, 0, "0");
    check_int(7, 3, "007");
    check_int(10, 1, "10");
    check_int(99, 1, "99");
    check_int(100, 1, "100");
    check_int(1234567890, 10, "1234567890");
    check_int(12345, 10, "0000012345");
    check_int(-1, 10, "-000000001");
    check_int(INT64_MIN, 1, "-9223372036854775808");
    check_int(INT64_MAX, 20, "09223372036854775807");
}

static void numbers_are_those_of_printf(void **state)
{
    struct text text = {0};
    for (uint64_t value = 1; value < UINT64_MAX / 7; value *= 7) {
        char wanted[32];
        int size = snprintf(wanted, sizeof wanted, "%" PRIu64, value - 1);
        text.size = 0;
        text_put_uint(&text, value - 1, 1);
        assert_int_equal(text.size, size);
        assert_memory_equal(text.bytes, wanted, text.size);
    }
    text.size = 0;
    text_put_uint(&text, UINT64_MAX, 1);
    assert_memory_equal(text.bytes, "18446744073709551615", 20);
    text_release(&text);
}

static void grows(void **state)
{
    struct text text = {0};
    for (int i = 0; i < 10000; i++) {
        text_put_string(&text, "ab");
        text_put_char(&text, 'c');
        text_put(&text, "", 0);
    }
    assert_int_equal(text.size, 30000);
    assert_memory_equal(text.bytes + 29997, "abc", 3);
    assert_false(text.failed);
    text_release(&text);
}

int main(void)
{
    return RUN_TESTS(numbers, numbers_are_those_of_printf, grows);
}
