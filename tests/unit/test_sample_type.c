/* Sample types by what people type. */
#include "unit.h"

#include "profile/sample_type.h"

static const char *const heap[] = {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"};
static const char *const old[] = {"objects", "space"};
static const char *const odd[] = {"wall_time", "wall_count", "cpu_time", "lock_cycles", "7", "0"};

static void test_whole_names(void **state)
{
    assert_int_equal(sample_type_find(NULL, heap, 4, 3), 3);
    assert_int_equal(sample_type_find("alloc_space", heap, 4, 3), 1);
    assert_int_equal(sample_type_find("alloc_spac", heap, 4, 3), SAMPLE_TYPE_UNKNOWN);
    assert_int_equal(sample_type_find("", heap, 4, 3), SAMPLE_TYPE_UNKNOWN);
}

static void test_numbers(void **state)
{
    assert_int_equal(sample_type_find("0", heap, 4, 3), 0);
    assert_int_equal(sample_type_find("3", heap, 4, 3), 3);
    assert_int_equal(sample_type_find("4", heap, 4, 3), SAMPLE_TYPE_UNKNOWN);
    assert_int_equal(sample_type_find("-1", heap, 4, 3), SAMPLE_TYPE_UNKNOWN);
    assert_int_equal(sample_type_find("99999999999999999999", heap, 4, 3), SAMPLE_TYPE_UNKNOWN);
    assert_int_equal(sample_type_find("7", odd, 6, 0), 4);
    assert_int_equal(sample_type_find("0", odd, 6, 0), 5);
}

static void test_inuse_of_old_profiles(void **state)
{
    assert_int_equal(sample_type_find("inuse_space", old, 2, 0), 1);
    assert_int_equal(sample_type_find("inuse_objects", old, 2, 1), 0);
    assert_int_equal(sample_type_find("alloc_space", old, 2, 0), SAMPLE_TYPE_UNKNOWN);
}

static void test_parts(void **state)
{
    assert_int_equal(sample_type_find("objects", heap, 4, 3), 2);
    assert_int_equal(sample_type_find("objects", heap, 4, 1), 0);
    assert_int_equal(sample_type_find("alloc", heap, 4, 3), 1);
    assert_int_equal(sample_type_find("inuse", heap, 4, 0), 2);
    assert_int_equal(sample_type_find("cpu", odd, 6, 3), 2);
    assert_int_equal(sample_type_find("cycles", odd, 6, 0), 3);
    assert_int_equal(sample_type_find("wall", odd, 6, 3), SAMPLE_TYPE_AMBIGUOUS);
    assert_int_equal(sample_type_find("time", odd, 6, 3), SAMPLE_TYPE_AMBIGUOUS);
    assert_int_equal(sample_type_find("wal", odd, 6, 0), SAMPLE_TYPE_UNKNOWN);
}

int main(void)
{
    return RUN_TESTS(test_whole_names, test_numbers, test_inuse_of_old_profiles, test_parts);
}
