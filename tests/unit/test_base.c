/* The containers and errors of src/base. */
#include "unit/unit.h"

#include <errno.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"
#include "base/names.h"

static void test_map_empty(void **state)
{
    struct map map = {0};
    assert_null(map_find(&map, 0));
    assert_null(map_find(&map, 42));
    map_release(&map);
    map_release(&map);
}

static void test_map_put(void **state)
{
    struct map map = {0};
    bool fresh = false;
    uint32_t *value = map_put(&map, 0, 7, &fresh);
    assert_non_null(value);
    assert_true(fresh);
    assert_int_equal(*value, 7);
    value = map_put(&map, 0, 8, &fresh);
    assert_false(fresh);
    assert_int_equal(*value, 7);
    *value = 9;
    assert_int_equal(*map_find(&map, 0), 9);
    assert_null(map_find(&map, 1));
    assert_int_equal(map.count, 1);
    map_release(&map);
    assert_null(map_find(&map, 0));
}

/* Keys that differ in a few bits only, and many of them: growth loses none. */
static void test_map_grows(void **state)
{
    enum { COUNT = 100000 };
    struct map map = {0};
    bool fresh;
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_non_null(map_put(&map, (uint64_t)i << 32, i, &fresh));
        assert_true(fresh);
    }
    assert_int_equal(map.count, COUNT);
    assert_true(map.count * 2 <= map.mask + 1);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(*map_find(&map, (uint64_t)i << 32), i);
    assert_null(map_find(&map, 1));
    assert_null(map_find(&map, UINT64_MAX));
    map_release(&map);
}

static void test_names(void **state)
{
    struct names names = {0};
    const char *a = names_intern(&names, "list.ml", 7), *b = names_intern(&names, "list.mlx", 8);
    assert_string_equal(a, "list.ml");
    assert_string_equal(b, "list.mlx");
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(names_intern(&names, "list.mlx", 7), a);
    const char *empty = names_intern(&names, "", 0);
    assert_string_equal(empty, "");
    assert_ptr_equal(names_intern(&names, "zzz", 0), empty);
    names_release(&names);
}

/* Texts longer than a chunk, and many: those given out stay where they are. */
static void test_names_stay(void **state)
{
    enum { COUNT = 20000, LONG = 200000 };
    struct names names = {0};
    static const char *kept[COUNT];
    static char text[LONG + 1];
    memset(text, 'x', LONG);
    const char *first = names_intern(&names, text, LONG);
    for (int i = 0; i < COUNT; i++) {
        char small[32];
        int size = snprintf(small, sizeof small, "name %d", i);
        kept[i] = names_intern(&names, small, (size_t)size);
    }
    assert_ptr_equal(names_intern(&names, text, LONG), first);
    assert_int_equal(strlen(first), LONG);
    for (int i = 0; i < COUNT; i++) {
        char small[32];
        int size = snprintf(small, sizeof small, "name %d", i);
        assert_string_equal(kept[i], small);
        assert_ptr_equal(names_intern(&names, small, (size_t)size), kept[i]);
    }
    names_release(&names);
}

static void test_array(void **state)
{
    int *items = NULL;
    size_t capacity = 0;
    assert_true(ARRAY_RESERVE(&items, &capacity, 1));
    assert_true(capacity >= 1);
    items[0] = 5;
    size_t before = capacity;
    assert_true(ARRAY_RESERVE(&items, &capacity, before));
    assert_int_equal(capacity, before);
    assert_true(ARRAY_RESERVE(&items, &capacity, before + 1));
    assert_true(capacity >= 2 * before);
    assert_int_equal(items[0], 5);
    before = capacity;
    assert_false(ARRAY_RESERVE(&items, &capacity, SIZE_MAX / 4));
    assert_int_equal(capacity, before);
    assert_int_equal(items[0], 5);
    free(items);
}

static void test_errors(void **state)
{
    struct heaptap_error error;
    assert_int_equal(error_set(&error, HEAPTAP_BAD_ARGUMENT, "no %s", "way"), HEAPTAP_BAD_ARGUMENT);
    assert_int_equal(error.status, HEAPTAP_BAD_ARGUMENT);
    assert_string_equal(error.message, "no way");
    assert_int_equal(error.system_errno, 0);
    assert_int_equal(error_at(&error, 99, "bad %d", 3), HEAPTAP_BAD_INPUT);
    assert_int_equal(error.offset, 99);
    assert_string_equal(error.message, "bad 3");
    errno = ENOENT;
    assert_int_equal(error_system(&error, "opening"), HEAPTAP_SYSTEM);
    assert_int_equal(error.system_errno, ENOENT);
    assert_string_equal(error.message, "opening: No such file or directory");
    assert_int_equal(error_no_memory(&error), HEAPTAP_NO_MEMORY);
    assert_int_equal(error_no_memory(NULL), HEAPTAP_NO_MEMORY);
    assert_int_equal(error_at(NULL, 1, "x"), HEAPTAP_BAD_INPUT);
}

/* A message that is too long is cut, and ends. */
static void test_long_message(void **state)
{
    struct heaptap_error error;
    char text[1000];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = 0;
    error_set(&error, HEAPTAP_BAD_INPUT, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

static void test_status_names(void **state)
{
    for (int i = HEAPTAP_OK; i <= HEAPTAP_SYSTEM; i++)
        for (int j = HEAPTAP_OK; j < i; j++)
            assert_string_not_equal(heaptap_status_name((enum heaptap_status)i),
                                    heaptap_status_name((enum heaptap_status)j));
    assert_string_equal(heaptap_status_name(HEAPTAP_BAD_INPUT), "bad input");
    assert_string_equal(heaptap_status_name((enum heaptap_status)99), "unknown status");
}

int main(void)
{
    return RUN_TESTS(test_map_empty, test_map_put, test_map_grows, test_names, test_names_stay,
                     test_array, test_errors, test_long_message, test_status_names);
}
