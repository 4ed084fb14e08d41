#include "report/change/check.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/plain.h"
#include "base/units.h"
#include "profile/range_text.h"
#include "report/change/check_parts.h"
#include "report/head.h"

/* ---- Options ------------------------------------------------------------------------- */

#define OWN(name) offsetof(struct check_question, name)

static const struct option_word forms[] = {
    {"text", 0, REPORT_TEXT},   {"json", 0, REPORT_JSON},         {"jsonl", 0, REPORT_JSON_LINES},
    {"csv", 0, REPORT_CSV},     {"markdown", 0, REPORT_MARKDOWN}, {"github", 0, REPORT_GITHUB},
    {"sarif", 0, REPORT_SARIF}, {"junit", 0, REPORT_JUNIT},       {NULL}};

const struct question_option check_options[] = {
    {"max-peak", 0, OPTION_TEXT, PART_OWN, "LIMIT",
     "The most bytes that may be alive at once: 100MB; or +5%, over the base",
     OWN(limits[BUDGET_PEAK])},
    {"max-allocated", 0, OPTION_TEXT, PART_OWN, "LIMIT", "The most bytes that may be allocated",
     OWN(limits[BUDGET_ALLOCATED])},
    {"max-live-at-end", 0, OPTION_TEXT, PART_OWN, "LIMIT",
     "The most bytes that may be left at the end", OWN(limits[BUDGET_LIVE_AT_END])},
    {"max-objects", 0, OPTION_TEXT, PART_OWN, "LIMIT", "The most objects that may be allocated",
     OWN(limits[BUDGET_OBJECTS])},
    {"expect", 0, OPTION_TEXT, PART_OWN, "N",
     "Exit with 1 unless the objects that are allocated are within a factor of ten of N (100k, 2M)",
     OWN(expected[BUDGET_OBJECTS])},
    {"expect-bytes", 0, OPTION_TEXT, PART_OWN, "BYTES",
     "The same for the bytes that are allocated (317kB, 2M)", OWN(expected[BUDGET_ALLOCATED])},
    {"expect-peak", 0, OPTION_TEXT, PART_OWN, "BYTES",
     "The same for the most bytes that are alive at once", OWN(expected[BUDGET_PEAK])},
    {"expect-live-at-end", 0, OPTION_TEXT, PART_OWN, "BYTES",
     "The same for the bytes that are left at the end", OWN(expected[BUDGET_LIVE_AT_END])},
    {"max-growth", 0, OPTION_TEXT, PART_OWN, "PART",
     "Each of these may be larger than the base's by this part: 5%", OWN(growth)},
    {"base", 0, OPTION_TEXT, PART_OWN, "FILE", "The file that growth is measured from", OWN(base)},
    {"budgets", 0, OPTION_TEXT, PART_OWN, "FILE",
     "Budgets, one per line: `allocated where focus=parse_json <= 20 MB`", OWN(budgets)},
    {"strict", 0, OPTION_FLAG, PART_OWN, NULL,
     "An estimate over its limit breaks the budget, however uncertain it is", OWN(is_strict)},
    {"tests", 0, OPTION_FLAG, PART_OWN, NULL,
     "Check each test that the program ran (heaptap/test.h), against its own limits and all of these",
     OWN(is_tests)},
    {"verbose", 'v', OPTION_FLAG, PART_OWN, NULL, "Also print the budgets that hold",
     OWN(is_verbose)},
    {"files-from", 0, OPTION_TEXT, 0, "FILE",
     "Also check the files whose names stand in FILE, one per line; - for standard input",
     offsetof(struct question, list)},
    {"format", 'f', OPTION_FORM, 0, "FORMAT",
     "text (the default), json, jsonl (a line of JSON as soon as a file is judged), csv, markdown, github (notes at the "
     "lines of a change), sarif, or junit",
     .words = forms},
    {NULL},
};

bool check_check(struct question *question, struct heaptap_error *error)
{
    const struct check_question *own = (const struct check_question *)question->own;
    bool has_limit = own->budgets || own->growth || own->is_tests;
    for (int i = 0; i < BUDGET_MEASURES; i++)
        has_limit |= own->limits[i] || own->expected[i];
    const char *wrong =
        !has_limit ? "no limit given: use --max-peak or the like, or a file with --budgets"
        : own->growth && !own->base ? "growth over what? Name the base with --base FILE"
                                    : NULL;
    return question_accept(wrong, error);
}

/* ---- Budgets ------------------------------------------------------------------------- */

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(get_##name, const struct outcome *outcome = row,                                    \
               const struct budget *budget = outcome->budget, expression)

static struct answer_value of_growth(const struct budget *budget, double value)
{
    return answer_number_if(budget->is_growth, value);
}

GETTER(measure, answer_text(budget_measure_name(budget->measure)))
GETTER(unit, answer_text(budget->measure == BUDGET_OBJECTS ? "count" : "bytes"))
GETTER(verdict, answer_text(verdict_name(outcome->verdict)))
GETTER(uncertainty, answer_number((outcome->over.high - outcome->over.low) / 2))
GETTER(base, of_growth(budget, outcome->base.value))
GETTER(growth, of_growth(budget, budget->limit))

#define OF_OUTCOME(member) ANSWER_FIELD(struct outcome, member)
#define OF_BUDGET(member) ANSWER_FIELD_OF(struct outcome, budget, member)
#define OF_TEST(member) ANSWER_FIELD(struct check_test, member)

static const struct answer_column budget_columns[] = {
    {"file", NULL, ANSWER_TEXT, OF_OUTCOME(file), "the file's name"},
    {"measure", NULL, ANSWER_TEXT, get_measure, "peak, allocated, live-at-end or objects"},
    {"unit", NULL, ANSWER_TEXT, get_unit, "of all values: bytes, or count of objects"},
    {"filter", NULL, ANSWER_TEXT, OF_BUDGET(filter.text), "the budget's filter; empty for none"},
    {"verdict", NULL, ANSWER_TEXT, get_verdict, "holds, uncertain or broken"},
    {"measured", NULL, ANSWER_AMOUNT, OF_OUTCOME(figure.value), "what the file has"},
    {"limit", NULL, ANSWER_AMOUNT, OF_OUTCOME(limit), "what it may have"},
    {"uncertainty", NULL, ANSWER_AMOUNT, get_uncertainty,
     "half the width of the bounds of its excess over the limit"},
    {"low", NULL, ANSWER_AMOUNT, OF_OUTCOME(figure.range.low),
     "bounds of 95 % of what the file has"},
    {"high", NULL, ANSWER_AMOUNT, OF_OUTCOME(figure.range.high), "the upper one"},
    {"samples", NULL, ANSWER_COUNT, OF_OUTCOME(figure.samples),
     "samples that it rests on; 0 for a profile"},
    {"base", NULL, ANSWER_AMOUNT, get_base, "for a growth: what the base has",
     .flags = ANSWER_OMIT},
    {"growth_allowed", NULL, ANSWER_SHARE, get_growth,
     "for a growth: the part of the base by which it may be larger", .flags = ANSWER_OMIT},
    {"expected", NULL, ANSWER_FLAG, OF_BUDGET(is_expected),
     "true if `limit` is not a limit but an expectation, within a factor of ten"},
    {"test", NULL, ANSWER_TEXT, OF_BUDGET(test), "with `--tests`, the test", .flags = ANSWER_OMIT},
    {"complete", NULL, ANSWER_FLAG, OF_OUTCOME(is_whole),
     "whether all that the program did is in the file; else nothing that may still change is said to hold or to be broken"},
};
static const struct answer_table budgets_table = ANSWER_TABLE(
    ANSWER_ROWS, "budgets", ANSWER_IN_JSON | ANSWER_IN_CSV, budget_columns, "a budget, of a file");

static const struct answer_column site_columns[] = {
    {"name", NULL, ANSWER_TEXT, ANSWER_FIELD(struct call_node, name),
     "the function as pprof names it"},
    {"value", NULL, ANSWER_AMOUNT, ANSWER_FIELD(struct call_node, flat),
     "its part of what the file has"},
};
static const struct answer_table sites_table =
    ANSWER_JSON(ANSWER_ROWS, "sites", site_columns,
                "a site that contributes most to a budget that is broken or uncertain");

/* ---- Tests --------------------------------------------------------------------------- */

enum { HAS_IMPORTS = 1, HAS_REFUSED = 2 }; /* some test has */

static const struct answer_column test_columns[] = {
    {"peak_bytes", "PEAK", ANSWER_BYTES, OF_TEST(figures[BUDGET_PEAK]),
     "the most that was alive at once, of what the test allocated"},
    {"allocated_bytes", "ALLOCATED", ANSWER_BYTES, OF_TEST(figures[BUDGET_ALLOCATED]),
     "allocated by the test"},
    {"objects", "OBJECTS", ANSWER_COUNT, OF_TEST(figures[BUDGET_OBJECTS]), "allocated by the test"},
    {"left_bytes", "LEFT", ANSWER_BYTES, OF_TEST(figures[BUDGET_LIVE_AT_END]),
     "alive when it ended"},
    {"limits", "LIMITS", ANSWER_WHOLE, OF_TEST(limits), "how many limits it has"},
    {"broken", "BROKEN", ANSWER_WHOLE, OF_TEST(broken), "how many of these are broken"},
    {"imported_bytes", "IMPORTS", ANSWER_BYTES, OF_TEST(imported),
     "allocated by Python's imports in the test, which are not counted in the others; left out where no test has any",
     HAS_IMPORTS},
    {"refused", "REFUSED", ANSWER_FLAG, OF_TEST(is_refused),
     "true if it isn't judged, as one of its limits is none; left out where all tests are judged",
     HAS_REFUSED},
    {"name", "TEST", ANSWER_TEXT, OF_TEST(name), "the test"},
    {"file", "FILE", ANSWER_TEXT, OF_TEST(file), "the file's name"},
};
static const struct answer_table tests_table = {
    .key = "tests",
    .shape = ANSWER_ROWS,
    .forms = ANSWER_IN_ALL & ~ANSWER_IN_CSV,
    ANSWER_COLUMNS(test_columns),
    .help = "with `--tests`, a test, the one with the highest peak first; as text only with `-v`"};

static int by_peak(const void *a, const void *b)
{
    const struct check_test *one = a, *other = b;
    double difference = other->figures[BUDGET_PEAK] - one->figures[BUDGET_PEAK];
    return difference > 0 ? 1 : difference < 0 ? -1 : strcmp(one->name, other->name);
}

static void put_tests(struct answer *answer, struct check_tests *tests)
{
    struct answer_section section = {.table = &tests_table};
    if (tests->count > 0)
        qsort(tests->items, tests->count, sizeof *tests->items, by_peak);
    for (size_t i = 0; i < tests->count; i++)
        section.has |= (tests->items[i].imported > 0 ? HAS_IMPORTS : 0) |
                       (tests->items[i].is_refused ? HAS_REFUSED : 0);
    ANSWER_ITEMS(answer, &section, tests->items, tests->count);
}

void check_tests_release(struct check_tests *tests)
{
    for (size_t i = 0; i < tests->count; i++) {
        free(tests->items[i].file);
        free(tests->items[i].name);
    }
    free(tests->items);
    *tests = (struct check_tests){0};
}

/* ---- The rest for programs ----------------------------------------------------------- */

static const struct answer_column suppressed_columns[] = {
    {"file", NULL, ANSWER_TEXT, ANSWER_FIELD(struct check_suppressed, file),
     "the file, as it was given"},
    {"patterns", NULL, ANSWER_WHOLE, ANSWER_FIELD(struct check_suppressed, patterns),
     "patterns in the file of suppressions"},
    {"value", NULL, ANSWER_AMOUNT, ANSWER_FIELD(struct check_suppressed, value),
     "allocated bytes, or values of a profile's own type, that they leave out; null where the file could not be read"},
};
static const struct answer_table suppressed_table =
    ANSWER_JSON(ANSWER_ROWS, "suppressed", suppressed_columns, "with `--suppressions`, a file");

static const struct answer_column sum_columns[] = {
    {"broken", NULL, ANSWER_WHOLE, ANSWER_FIELD(struct check_sum, broken),
     "how many budgets are broken"},
    {"complete", NULL, ANSWER_FLAG, ANSWER_FIELD(struct check_sum, is_whole),
     "whether all that the programs did is in the figures of all files, and of the base"},
};
static const struct answer_table sum_table = {
    .shape = ANSWER_RECORD, .forms = ANSWER_IN_JSON, ANSWER_COLUMNS(sum_columns)};

static const struct answer_column schema_columns[] = {
    SCHEMA_COLUMN,
};
static const struct answer_table schema_table = {
    .shape = ANSWER_RECORD, .forms = ANSWER_IN_JSON, ANSWER_COLUMNS(schema_columns)};

const struct answer_table *const check_tables[] = {
    &schema_table, &budgets_table, &sites_table, &tests_table, &suppressed_table, &sum_table, NULL};

/* ---- For people ---------------------------------------------------------------------- */

const char *check_amount(char *text, enum budget_measure measure, double value)
{
    return measure == BUDGET_OBJECTS ? units_count(text, value) : units_bytes(text, value);
}

/* Two amounts that differ: in digits enough to see that, or else whole. */
static void put_amounts(char *value, char *limit, const struct outcome *outcome)
{
    enum budget_measure measure = outcome->budget->measure;
    double figure = outcome->figure.value;
    const char *unit = measure == BUDGET_OBJECTS ? "" : " B";
    check_amount(value, measure, figure);
    check_amount(limit, measure, outcome->limit);
    if (strcmp(value, limit) != 0 || figure == outcome->limit)
        return;
    int decimals = round(figure) == round(outcome->limit) ? 3 : 0;
    snprintf(value, UNITS_TEXT_BYTES, "%.*f%s", decimals, figure, unit);
    snprintf(limit, UNITS_TEXT_BYTES, "%.*f%s", decimals, outcome->limit, unit);
}

/* "story.ctf: peak 1.2 kB (1.1 kB to 1.3 kB) is over 1 kB (base 0.9 kB, +5 %)" */
static void put_verdict(struct text *line, const struct outcome *outcome)
{
    static const char *const said[][2] = {
        {" keeps to ", " is within a factor of ten of what is expected, "},
        {" is perhaps over ", " is perhaps more than a factor of ten from what is expected, "},
        {" is over ", " is more than a factor of ten from what is expected, "},
        {" keeps so far to ", " is so far within a factor of ten of what is expected, "}};
    enum { SO_FAR = 3 };
    const struct budget *budget = outcome->budget;
    char value[UNITS_TEXT_BYTES], limit[UNITS_TEXT_BYTES], range[RANGE_TEXT_BYTES], part[32];
    put_amounts(value, limit, outcome);
    text_put_string(line, plain(outcome->file));
    text_put_string(line, ": ");
    if (budget->test) {
        text_put_string(line, plain(budget->test));
        text_put_string(line, ": ");
    }
    text_put_string(line, budget_measure_name(budget->measure));
    text_put_char(line, ' ');
    text_put_string(line, value);
    text_put_string(line,
                    range_text(range, &outcome->figure.range,
                               budget->measure == BUDGET_OBJECTS ? units_count : units_bytes));
    text_put_string(
        line, said[outcome->holds_so_far ? SO_FAR : (int)outcome->verdict][budget->is_expected]);
    text_put_string(line, limit);
    if (!budget->is_growth)
        return;
    snprintf(part, sizeof part, ", +%g %%)", 100 * budget->limit);
    text_put_string(line, " (base ");
    text_put_string(line, check_amount(value, budget->measure, outcome->base.value));
    text_put_string(line, part);
}

size_t check_telling_sites(const struct outcome *outcome)
{
    size_t count = 0;
    while (count < outcome->sites.count && outcome->sites.nodes[count].flat > 0)
        count++;
    return count;
}

static void put_sites(struct text *line, const struct outcome *outcome)
{
    char value[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < check_telling_sites(outcome); i++) {
        const struct call_node *node = &outcome->sites.nodes[i];
        text_put_string(line, i == 0 ? ": " : ", ");
        text_put_string(line, check_amount(value, outcome->budget->measure, node->flat));
        text_put_char(line, ' ');
        text_put_string(line, plain(node->name));
    }
}

static void put_line(struct text *line, const struct outcome *outcome)
{
    put_verdict(line, outcome);
    if (*outcome->budget->filter.text && !outcome->budget->test) {
        text_put_string(line, ", where ");
        text_put_string(line, plain(outcome->budget->filter.text));
    }
    if (outcome->is_open)
        text_put_string(line, outcome->is_open_by_base
                                  ? "; a part of what the base's program did is missing"
                                  : "; a part of what the program did is missing");
    put_sites(line, outcome);
    text_put_char(line, '\n');
}

/* ---- The answer ---------------------------------------------------------------------- */

void check_begin(struct answer *answer)
{
    static const struct answer_section schema = {.table = &schema_table},
                                       budgets = {.table = &budgets_table};
    answer_record(answer, &schema, NULL);
    answer_begin(answer, &budgets);
}

void check_outcome(struct answer *answer, const struct outcome *outcome, bool tells_all)
{
    static const struct answer_section sites = {.table = &sites_table};
    struct text line = {0};
    put_line(&line, outcome);
    if (outcome->verdict != VERDICT_HOLDS || tells_all)
        answer_say_lines(answer, &line);
    check_find(answer, outcome, &line);
    text_release(&line);
    answer_row(answer, outcome);
    ANSWER_ITEMS(answer, &sites, outcome->sites.nodes, check_telling_sites(outcome));
}

void check_end(struct answer *answer, struct check_tests *tests,
               const struct check_suppressed *suppressed, size_t count, const struct check_sum *sum)
{
    static const struct answer_section files = {.table = &suppressed_table},
                                       last = {.table = &sum_table};
    answer_end(answer);
    if (tests)
        put_tests(answer, tests);
    if (suppressed)
        ANSWER_ITEMS(answer, &files, suppressed, count);
    answer_record(answer, &last, sum);
}
