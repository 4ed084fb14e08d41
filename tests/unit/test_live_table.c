/* The table of tracked blocks: exact at all fillings, and under threads. */
#include <pthread.h>
#include <string.h>

#include "run_tests.h"
#include "tap/engine/live_table.h"

static struct heaptap_tracked *value_of(uint64_t address)
{
    return (struct heaptap_tracked *)(uintptr_t)(address * 2 + 1);
}

static bool take(struct live_table *table, uint64_t address)
{
    struct slot slot;
    struct heaptap_tracked *value;
    if (!live_table_claim(table, address, &slot, &value))
        return false;
    assert_ptr_equal(value, value_of(address));
    live_table_release(table, &slot);
    return true;
}

static void what_is_in_is_found_and_nothing_else(void **state)
{
    struct live_table table = {0};
    enum { N = 100000 };
    for (uint64_t i = 1; i <= N; i++)
        assert_true(live_table_insert(&table, i * 64, value_of(i * 64)));
    assert_int_equal(live_table_count(&table), N);
    for (uint64_t i = 1; i <= N; i++)
        assert_false(take(&table, i * 64 + 16));
    for (uint64_t i = N; i >= 1; i--) {
        assert_true(take(&table, i * 64));
        assert_false(take(&table, i * 64));
    }
    assert_int_equal(live_table_count(&table), 0);
    live_table_unmap(&table);
}

/* Nothing is left behind that would make later searches longer. */
static void an_emptied_table_is_like_new(void **state)
{
    struct live_table table = {0};
    for (uint64_t round = 0; round < 20; round++) {
        for (uint64_t i = 1; i <= 5000; i++)
            assert_true(live_table_insert(&table, (round * 7919 + i) * 16,
                                          value_of((round * 7919 + i) * 16)));
        for (uint64_t i = 1; i <= 5000; i++)
            assert_true(take(&table, (round * 7919 + i) * 16));
    }
    for (int level = 0; level < TABLE_LEVELS; level++) {
        uint64_t buckets =
            table.levels[level] ? (uint64_t)1 << (TABLE_FIRST_BITS + TABLE_GROWTH_BITS * level) : 0;
        for (uint64_t i = 0; i < buckets; i++)
            assert_int_equal(table.levels[level][i].overflow, 0);
    }
    assert_null(table.levels[2]); /* 7 * (256 + 4096) slots are enough for 5000 */
    live_table_unmap(&table);
}

static void a_claim_hides_and_can_be_undone(void **state)
{
    struct live_table table = {0};
    struct slot slot, again;
    struct heaptap_tracked *value;
    for (uint64_t i = 1; i <= 3000; i++)
        assert_true(live_table_insert(&table, i * 16, value_of(i * 16)));
    for (uint64_t i = 1; i <= 3000; i++) {
        assert_true(live_table_claim(&table, i * 16, &slot, &value));
        assert_false(take(&table, i * 16));
        again = live_table_slot(&table, slot.key, i * 16);
        assert_ptr_equal(again.value, slot.value);
        assert_int_equal(again.level, slot.level);
        live_table_restore(&again, i * 16, value);
        assert_true(take(&table, i * 16));
    }
    live_table_unmap(&table);
}

static void a_vacated_slot_keeps_its_key(void **state)
{
    struct live_table table = {0};
    struct slot slot;
    struct heaptap_tracked *value;
    assert_true(live_table_insert(&table, 64, value_of(64)));
    assert_false(live_table_vacate(&table, 64, value_of(65)));
    assert_false(live_table_vacate(&table, 80, value_of(64)));
    assert_true(live_table_vacate(&table, 64, value_of(64)));
    assert_false(live_table_vacate(&table, 64, value_of(64)));
    assert_true(live_table_claim(&table, 64, &slot, &value));
    assert_null(value);
    live_table_release(&table, &slot);
    live_table_unmap(&table);
}

static void a_walk_claims_each_of_a_range_once(void **state)
{
    struct live_table table = {0};
    struct live_table_walk walk = {.low = 1000 * 16, .high = 3000 * 16};
    struct slot slot;
    uint64_t address, seen = 0, sum = 0;
    struct heaptap_tracked *value;
    for (uint64_t i = 1; i <= 5000; i++)
        assert_true(live_table_insert(&table, i * 16, value_of(i * 16)));
    while (live_table_claim_next(&table, &walk, &slot, &address, &value)) {
        assert_in_range(address, 1000 * 16, 2999 * 16);
        assert_ptr_equal(value, value_of(address));
        live_table_release(&table, &slot);
        seen++;
        sum += address / 16;
    }
    assert_int_equal(seen, 2000);
    assert_int_equal(sum, (1000 + 2999) * 1000);
    assert_int_equal(live_table_count(&table), 3000);
    live_table_unmap(&table);
}

/* Each thread inserts and takes its own addresses; levels are mapped under their hands. */
struct worker {
    struct live_table *table;
    uint64_t first;
    int lost;
};

static void *insert_and_take(void *argument)
{
    struct worker *worker = argument;
    for (int round = 0; round < 30; round++) {
        for (uint64_t i = 0; i < 2000; i++)
            if (!live_table_insert(worker->table, worker->first + i * 16,
                                   value_of(worker->first + i * 16)))
                worker->lost++;
        for (uint64_t i = 0; i < 2000; i++) {
            struct slot slot;
            struct heaptap_tracked *value;
            if (!live_table_claim(worker->table, worker->first + i * 16, &slot, &value) ||
                value != value_of(worker->first + i * 16)) {
                worker->lost++;
                continue;
            }
            live_table_release(worker->table, &slot);
        }
    }
    return NULL;
}

static void threads_lose_nothing(void **state)
{
    enum { THREADS = 8 };
    struct live_table table = {0};
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (uint64_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){&table, 0x10000 + i * 0x100000, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, insert_and_take, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].lost, 0);
    }
    assert_int_equal(live_table_count(&table), 0);
    live_table_unmap(&table);
}

int main(void)
{
    return RUN_TESTS(what_is_in_is_found_and_nothing_else, an_emptied_table_is_like_new,
                     a_claim_hides_and_can_be_undone, a_vacated_slot_keeps_its_key,
                     a_walk_claims_each_of_a_range_once, threads_lose_nothing);
}
