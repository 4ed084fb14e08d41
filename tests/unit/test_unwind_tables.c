/* Call frame programs, expressions and compiled tables: src/tap/unwind/cfi.c, expression.c, table.c. */
#include "run_tests.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap/unwind/cfi.h"
#include "tap/unwind/module.h"
#include "tap/unwind/table.h"

/* ---- Expressions ----------------------------------------------------------------------------- */

static uint64_t memory[4] = {0x1122334455667788, 0x99aabbccddeeff00, 7, 8};

static bool read_memory(void *context, uint64_t address, uint64_t *word)
{
    uint64_t offset = address - (uint64_t)memory;
    if (offset >= sizeof memory)
        return false;
    memcpy(word, (char *)memory + offset, 8);
    return true;
}

static struct cfi_machine machine(void)
{
    struct cfi_machine it = {.read = read_memory, .known = 1u << 7 | 1u << 6 | 1u << 16};
    it.registers[6] = (uint64_t)memory;
    it.registers[7] = 1000;
    it.registers[16] = 0x40100b;
    return it;
}

#define EVALUATE(value, ...)                                                                       \
    evaluate((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), value)

static bool evaluate(const uint8_t *code, size_t size, uint64_t *value)
{
    struct cfi_machine it = machine();
    *value = 5;
    return cfi_evaluate((struct cfi_cursor){code, code + size, false}, &it, true, value);
}

static void expressions(void **state)
{
    uint64_t value;
    const struct {
        uint64_t expected;
        uint8_t size;
        uint8_t code[16];
    } cases[] = {
        /* the linker's PLT: rsp + 8 + ((rip & 15) >= 11) * 8 */
        {1016, 11, {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}},
        {1000 - 3, 2, {0x77, 0x7d}},
        {0x1122334455667788, 3, {0x76, 0, 0x06}},
        {7, 3, {0x76, 16, 0x06}},
        {0x33, 4, {0x76, 5, 0x94, 1}},
        {0x00112233, 4, {0x76, 5, 0x94, 4}},
        {0xeeff001122334455, 4, {0x76, 3, 0x94, 8}},
        {5, 0, {0}},
        {10, 2, {0x12, 0x22}},
        {5, 4, {0x08, 200, 0x13, 0x96}},
        {(uint64_t)-56, 2, {0x09, 200}},
        {0xfffe, 3, {0x0a, 0xfe, 0xff}},
        {(uint64_t)-2, 3, {0x0b, 0xfe, 0xff}},
        {(uint64_t)-2, 5, {0x0d, 0xfe, 0xff, 0xff, 0xff}},
        {300, 3, {0x10, 0xac, 2}},
        {(uint64_t)-128, 3, {0x11, 0x80, 0x7f}},
        {5, 3, {0x31, 0x14, 0x96}},    /* over */
        {5, 4, {0x31, 0x32, 0x15, 2}}, /* pick */
        {1, 4, {0x31, 0x16, 0x13, 0x96}},
        {3, 5, {0x31, 0x33, 0x17, 0x13, 0x13}}, /* rot: 5 1 3 becomes 3 5 1 */
        {2, 3, {0x09, 0xfe, 0x19}},
        {(uint64_t)-5, 1, {0x1f}},
        {~(uint64_t)5, 1, {0x20}},
        {2, 2, {0x32, 0x1b}},
        {1, 2, {0x32, 0x1d}},
        {15, 2, {0x33, 0x1e}},
        {20, 2, {0x32, 0x24}},
        {1, 2, {0x32, 0x25}},
        {(uint64_t)-1, 4, {0x09, 0xfc, 0x33, 0x26}},
        {6, 2, {0x33, 0x27}},
        {12, 2, {0x23, 7}},
        {0, 2, {0x34, 0x29}},
        {1, 2, {0x34, 0x2b}},
        {0, 2, {0x34, 0x2d}},
        {1, 2, {0x34, 0x2e}},
        {9, 6, {0x31, 0x28, 1, 0, 0x38, 0x39}},
        {8, 6, {0x30, 0x28, 1, 0, 0x96, 0x38}},
        {9, 5, {0x2f, 1, 0, 0x38, 0x39}},
        {1002, 3, {0x92, 7, 2}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(evaluate(cases[i].code, cases[i].size, &value));
        assert_int_equal(value, cases[i].expected);
    }
}

static void bad_expressions(void **state)
{
    uint64_t value;
    assert_false(EVALUATE(&value, 0x13, 0x13)); /* empty stack */
    assert_false(EVALUATE(&value, 0x73, 0));    /* rbx is not known */
    assert_false(EVALUATE(&value, 0x30, 0x06)); /* no memory at 0 */
    assert_false(EVALUATE(&value, 0x30, 0x1b)); /* division by 0 */
    assert_false(EVALUATE(&value, 0x30, 0x1d));
    assert_false(EVALUATE(&value, 0x2f, 0xfd, 0xff)); /* for ever */
    assert_false(EVALUATE(&value, 0x2f, 0xf0, 0xff)); /* out of the code, both ways */
    assert_false(EVALUATE(&value, 0x2f, 1, 0));
    assert_false(EVALUATE(&value, 0x0a, 1));                /* cut */
    assert_false(EVALUATE(&value, 0x12, 0x2f, 0xfc, 0xff)); /* the stack is full */
    assert_false(EVALUATE(&value, 0x94, 3));
    assert_false(EVALUATE(&value, 0xff));
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* Runs `program` for a function at [0x1000, 0x1100); the common program is CFA = rsp + 8, rip at
 * CFA - 8. */
static unsigned run(const uint8_t *program, size_t size, struct cfi_run *run, uint64_t ends[8],
                    struct cfi_row rows[8])
{
    static const uint8_t initial[] = {0x0c, 7, 8, 0x90, 1, 0, 0};
    static struct cfi_entry entry;
    entry = (struct cfi_entry){.start = 0x1000, .end = 0x1100, .code_align = 1, .data_align = -8};
    entry.initial = (struct cfi_cursor){initial, initial + sizeof initial, false};
    entry.program = (struct cfi_cursor){program, program + size, false};
    unsigned count = 0;
    assert_true(cfi_run_begin(run, &entry));
    while (count < 8 && cfi_run_next(run)) {
        ends[count] = run->end;
        rows[count++] = run->row;
    }
    return count;
}

static void programs(void **state)
{
    static const uint8_t program[] = {
        0x41, 0x0e, 16,   0x86, 2,          /* +1: CFA + 16, rbp at -16 */
        0x02, 3,    0x0d, 6,                /* +3: CFA by rbp */
        0x0a, 0x03, 0x20, 0,                /* remember; +32 */
        0x0c, 7,    8,    0xc6,             /* rsp + 8, rbp restored */
        0x04, 8,    0,    0,    0,    0x0b, /* +8: restored as it was */
        0x2e, 24,   0x08, 6,    0x07, 3,    /* args_size, rbp same, rbx undefined */
        0x50, 0x12, 7,    0x7e, 0x13, 0x7d, /* +16: rsp + 16, then offset 24 */
        0x05, 3,    4,    0x11, 12,   0x7f, 0x14, 13, 2,    0x15, 14,   0x7f, 0x2f,
        15,   1,    0x09, 5,    4,    0x41, 0x06, 3,  0x0f, 3,    0x76, 0x78, 0x06,
        0x10, 6,    2,    0x76, 0,    0x16, 3,    1,  0x30, 0,    0};
    struct cfi_run it;
    struct cfi_row rows[8];
    uint64_t ends[8];
    assert_int_equal(run(program, sizeof program, &it, ends, rows), 7);
    assert_false(it.cursor.bad);
    const uint64_t expected[] = {0x1001, 0x1004, 0x1024, 0x102c, 0x103c, 0x103d, 0x1100};
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(ends[i], expected[i]);
    assert_int_equal(rows[0].cfa_operand, 8);
    assert_int_equal(rows[0].operand[16], -8);
    assert_int_equal(rows[1].cfa_operand, 16);
    assert_int_equal(rows[1].operand[6], -16);
    assert_int_equal(rows[2].cfa_register, 6);
    assert_int_equal(rows[3].cfa_register, 7);
    assert_int_equal(rows[3].cfa_operand, 8);
    assert_int_equal(rows[3].how[6], CFI_SAME);
    assert_int_equal(rows[4].cfa_register, 6);
    assert_int_equal(rows[4].cfa_operand, 16);
    assert_int_equal(rows[4].how[3], CFI_UNDEFINED);
    assert_int_equal(rows[5].cfa_operand, 24);
    assert_int_equal(rows[5].operand[3], -32);
    assert_int_equal(rows[5].operand[12], 8);
    assert_int_equal(rows[5].how[13], CFI_IS);
    assert_int_equal(rows[5].operand[13], -16);
    assert_int_equal(rows[5].operand[14], 8);
    assert_int_equal(rows[5].operand[15], 8);
    assert_int_equal(rows[5].how[5], CFI_IN);
    assert_int_equal(rows[6].cfa_how, CFI_IS_EXPRESSION);
    assert_int_equal(rows[6].how[6], CFI_AT_EXPRESSION);
    assert_int_equal(rows[6].how[3], CFI_IS_EXPRESSION);
}

static void bad_programs(void **state)
{
    struct cfi_run it;
    struct cfi_row rows[8];
    uint64_t ends[8];
    static const uint8_t cases[][12] = {
        {0x0b},                                                 /* nothing remembered */
        {0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a}, /* too deep */
        {0x04, 0xff, 0xff, 0xff, 0x7f},                         /* beyond the function */
        {0x0f, 100},                                            /* expression beyond the entry */
        {0x3f},                                                 /* no such instruction */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(cases[i], sizeof cases[i], &it, ends, rows);
        assert_true(it.cursor.bad);
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static unsigned kinds[TABLE_STALE + 1], saved, functions;

/* Every row of every function of the module, from the program and from the compiled page. */
static void check_module(struct module *module)
{
    struct table *table = &module->table;
    struct table linear = *table;
    struct cfi_run run, scratch;
    struct cfi_cursor cursor = table->section;
    struct cfi_entry entry, found;
    enum cfi_read read;
    assert_non_null(table->search);
    linear.search = NULL;
    while ((read = cfi_entry_read(&entry, &cursor, &table->section)) != CFI_STOP) {
        if (read != CFI_FUNCTION)
            continue;
        functions++;
        assert_true(table_entry(table, entry.start, &found));
        assert_int_equal(found.start, entry.start);
        assert_true(cfi_run_begin(&run, &entry));
        while (cfi_run_next(&run)) {
            struct table_rule first = table_lookup(table, run.start, &scratch);
            struct table_rule last = table_lookup(table, run.end - 1, &scratch);
            assert_memory_equal(&first, &last, sizeof first);
            kinds[first.cfa]++;
            saved += first.fp == TABLE_SAVED;
            if (first.cfa == TABLE_SP || first.cfa == TABLE_FP) {
                assert_int_equal(run.row.cfa_how, CFI_IS);
                assert_int_equal(run.row.cfa_register, first.cfa == TABLE_SP ? CFI_RSP : CFI_RBP);
                assert_int_equal(run.row.cfa_operand, first.cfa_offset);
                assert_int_equal(run.row.operand[CFI_RIP], -8);
                assert_int_equal(run.row.how[CFI_RBP] == CFI_AT, first.fp == TABLE_SAVED);
                if (first.fp == TABLE_SAVED)
                    assert_int_equal(run.row.operand[CFI_RBP], first.fp_words * 8);
            }
            if (functions % 50 == 0) {
                struct table_rule slow = table_lookup(&linear, run.start, &scratch);
                assert_memory_equal(&first, &slow, sizeof first);
            }
        }
        assert_false(run.cursor.bad);
    }
}

static void tables_say_what_programs_say(void **state)
{
    const uint64_t places[] = {(uint64_t)(uintptr_t)tables_say_what_programs_say,
                               (uint64_t)(uintptr_t)qsort};
    for (unsigned i = 0; i < 2; i++) {
        struct module *module = module_find(places[i]);
        assert_non_null(module);
        assert_true(module_is_current(module, places[i]));
        assert_ptr_equal(module, module_find(places[i] + 1));
        check_module(module);
    }
    assert_true(functions > 1000);
    assert_true(kinds[TABLE_SP] > 10000);
    assert_true(kinds[TABLE_FP] > 100);
    assert_true(kinds[TABLE_HARD] > 0); /* at least __restore_rt */
    assert_true(kinds[TABLE_OUTERMOST] > 0);
    assert_true(saved > 1000);
    assert_int_equal(kinds[TABLE_NONE], 0);
}

static void gaps_have_no_rule(void **state)
{
    struct module *module = module_find((uint64_t)(uintptr_t)qsort);
    struct cfi_run scratch;
    unsigned none = 0;
    for (uint64_t address = module->start; address < module->start + 0x1000; address++)
        none += table_lookup(&module->table, address, &scratch).cfa == TABLE_NONE;
    assert_int_equal(none, 0x1000); /* headers, no code */
    assert_null(module_find(16));
    assert_null(module_find((uint64_t)module));
}

/* A copy of the tables of a small library, in which bytes are wrong: lookups stay inside it and
 * end. */
static void damaged_tables(void **state)
{
    struct module *module = module_find((uint64_t)(uintptr_t)cmocka_set_message_output);
    size_t size = (size_t)(module->high - module->low);
    int64_t moved;
    uint8_t *copy = malloc(size);
    struct cfi_run scratch;
    uint64_t random = 99;
    unsigned none = 0;
    moved = (int64_t)((uint64_t)copy - (uint64_t)module->low);
    for (unsigned round = 0; round < 3000; round++) {
        struct table table;
        memcpy(copy, module->low, size);
        const uint8_t *header = module->header + moved;
        for (unsigned i = 0; i < 1 + round % 40; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t from = (size_t)(header - copy), place = from + (random >> 33) % (size - from);
            if (round % 3 == 0)
                place = from + (random >> 33) % 64;
            copy[place] = (uint8_t)(random >> 24);
        }
        table_init(&table, header, copy, copy + size, module->start + (uint64_t)moved,
                   module->end + (uint64_t)moved);
        for (uint64_t at = module->start; at < module->end; at += 61)
            none += table_lookup(&table, at + (uint64_t)moved, &scratch).cfa == TABLE_NONE;
    }
    assert_true(none > 0);
    free(copy);
}

int main(void)
{
    return RUN_TESTS(expressions, bad_expressions, programs, bad_programs,
                     tables_say_what_programs_say, gaps_have_no_rule, damaged_tables);
}
