
#include "run_tests.h"

#include <stdlib.h>
#include <string.h>

#include "base/id_table.h"

enum { IDS = 20000 };

static uint64_t seed = 1;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void fresh_records_are_zero(void **state)
{
    struct id_table table;
    bool fresh;
    id_table_init(&table, 3 * sizeof(uint64_t));
    uint64_t *record = id_table_put(&table, 7, &fresh);
    assert_true(fresh);
    assert_int_equal(record[0] | record[1] | record[2], 0);
    record[2] = 5;
    record = id_table_put(&table, 7, &fresh);
    assert_false(fresh);
    assert_int_equal(record[2], 5);
    assert_int_equal(table.count, 1);
    id_table_remove(&table, 7);
    assert_null(id_table_find(&table, 7));
    record = id_table_put(&table, 7, &fresh);
    assert_true(fresh);
    assert_int_equal(record[2], 0);
    id_table_release(&table);
}

static void empty_table_finds_nothing(void **state)
{
    struct id_table table;
    id_table_init(&table, 8);
    assert_null(id_table_find(&table, 0));
    id_table_remove(&table, 0);
    assert_int_equal(table.count, 0);
    id_table_release(&table);
}

static void count_visit(void *context, uint64_t id, void *record)
{
    uint64_t *sums = context;
    assert_int_equal(*(uint64_t *)record, id * 3);
    sums[0]++;
    sums[1] += id;
}

/* Against an array, with ids that come in order and go in any. */
static void behaves_like_an_array(void **state)
{
    static bool present[IDS];
    struct id_table table;
    uint64_t next = 0, live = 0, sum = 0, sums[2] = {0};
    id_table_init(&table, sizeof(uint64_t));
    for (int i = 0; i < 100000; i++) {
        bool fresh;
        uint64_t id = next_random() % (next + 1);
        if (next < IDS && next_random() % 4 == 0)
            id = next++;
        if (id >= IDS)
            continue;
        uint64_t *found = id_table_find(&table, id);
        assert_int_equal(found != NULL, present[id]);
        if (next_random() % 2) {
            *(uint64_t *)id_table_put(&table, id, &fresh) = id * 3;
            assert_int_equal(fresh, !present[id]);
            present[id] = true;
        } else {
            id_table_remove(&table, id);
            present[id] = false;
        }
    }
    for (uint64_t id = 0; id < IDS; id++) {
        live += present[id];
        sum += present[id] ? id : 0;
    }
    id_table_each(&table, count_visit, sums);
    assert_int_equal(table.count, live);
    assert_int_equal(sums[0], live);
    assert_int_equal(sums[1], sum);
    id_table_release(&table);
}

static void pages_go_with_their_records(void **state)
{
    struct id_table table;
    bool fresh;
    id_table_init(&table, 16);
    for (uint64_t id = 0; id < 64000; id++) {
        assert_non_null(id_table_put(&table, id << 20, &fresh));
        if (id >= 10)
            id_table_remove(&table, (id - 10) << 20);
    }
    assert_int_equal(table.count, 10);
    assert_int_equal(table.pages, 10);
    assert_true(table.mask < 128);
    id_table_release(&table);
}

int main(void)
{
    return RUN_TESTS(fresh_records_are_zero, empty_table_finds_nothing, behaves_like_an_array,
                     pages_go_with_their_records);
}
