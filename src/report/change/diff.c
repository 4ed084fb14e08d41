#include "report/change/diff.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/calls/call_graph.h"
#include "base/plain.h"
#include "base/units.h"
#include "profile/range_text.h"
#include "report/head.h"
#include "report/symbol_columns.h"

enum { ROWS_SHOWN = 40 };

struct row {
    struct symbol symbol;
    const struct difference_row *of;
    const struct function_verdict *judged; /* NULL where it isn't */
    const char *name;
};

/* ---- Options ------------------------------------------------------------------------- */

const struct diff_question diff_usual = {.smallest = 0.01};

const struct question_option diff_options[] = {
    {"normalize", 0, OPTION_FLAG, PART_OWN, NULL,
     "Scale NEW so that both have the same total: shares are compared, not amounts",
     offsetof(struct diff_question, normalize)},
    {"smallest", 0, OPTION_SHARE, PART_OWN, "PART",
     "The smallest change that matters, as part of the larger of both totals: 1% is the default, 0 for any",
     offsetof(struct diff_question, smallest)},
    {NULL},
};

/* ---- Columns ------------------------------------------------------------------------- */

enum { BASE_SAMPLED = 1, NEW_SAMPLED = 2, ANY_SAMPLED = 4, JUDGED = 8 };

static double share(const struct diff *diff, double value)
{
    return diff->table.base_total > 0 ? value / diff->table.base_total : 0;
}

static double flat_change(const struct difference_row *row)
{
    return row->new_flat - row->base_flat;
}

static double cum_change(const struct difference_row *row)
{
    return row->new_cum - row->base_cum;
}

/* "12, 40": of the base and of the new one; - for one that is exact. */
static struct answer_value both_samples(const struct diff *diff, const struct difference_row *row)
{
    char base[24] = "-", other[24] = "-";
    if (diff->base_is_sampled)
        snprintf(base, sizeof base, "%.0f", row->base_flat_samples);
    if (diff->other_is_sampled)
        snprintf(other, sizeof other, "%.0f", row->new_flat_samples);
    return answer_made(text_format("%s, %s", base, other));
}

/* How it changed, unless that may be chance, or is too little to matter. */
static struct answer_value certain_state(const struct row *row)
{
    enum change_verdict verdict = row->judged ? row->judged->verdict : CHANGE_LARGER;
    if (verdict == CHANGE_CHANCE || verdict == CHANGE_SMALL)
        return answer_text(change_verdict_name(verdict));
    return answer_text(difference_state_name(difference_state(row->of)));
}

ANSWER_GET(get_certain_state, const struct row *of = row, const void *all = context,
           certain_state(of))

ANSWER_GET(get_verdict, const struct function_verdict *judged = ((const struct row *)row)->judged,
           const void *all = context,
           answer_text(judged ? change_verdict_name(judged->verdict) : NULL))

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(name, const struct difference_row *of = ((const struct row *)row)->of,              \
               const struct diff *diff = context, expression)

GETTER(get_state, answer_text(difference_state_name(difference_state(of))))
GETTER(get_flat_change, answer_number(flat_change(of)))
GETTER(get_flat_share, answer_number(share(diff, flat_change(of))))
GETTER(get_cum_change, answer_number(cum_change(of)))
GETTER(get_cum_share, answer_number(share(diff, cum_change(of))))
GETTER(get_base_flat_samples, answer_number_if(diff->base_is_sampled, of->base_flat_samples))
GETTER(get_new_flat_samples, answer_number_if(diff->other_is_sampled, of->new_flat_samples))
GETTER(get_base_cum_samples, answer_number_if(diff->base_is_sampled, of->base_cum_samples))
GETTER(get_new_cum_samples, answer_number_if(diff->other_is_sampled, of->new_cum_samples))
GETTER(get_samples, both_samples(diff, of))

#define SAMPLES_COLUMN(key, get, help)                                                             \
    {                                                                                              \
        key, NULL, ANSWER_WHOLE, get, help, ANY_SAMPLED, ANSWER_OMIT                               \
    }

#define OF_FUNCTION(member) ANSWER_FIELD_OF(struct row, of, member)
#define OF_DIFF(member) ANSWER_FIELD(struct diff, member)
#define OF_FILTER(member) ANSWER_FIELD_OF(struct diff, filter, member)

static const struct answer_column row_columns[] = {
    {"name", "FUNCTION", ANSWER_NAME, ANSWER_FIELD(struct row, name),
     "the function as pprof names it"},
    SYMBOL_KEYS(ANSWER_NO_CSV),
    {"base_line", NULL, ANSWER_WHOLE, ANSWER_FILLED_OF(struct row, of, base_line),
     "of a line that has moved, its number in the base", .flags = ANSWER_OMIT | ANSWER_NO_CSV},
    {"state", NULL, ANSWER_TEXT, get_state, "added, gone, grown, shrunk or same, by cum"},
    {"flat_change", "CHANGE", ANSWER_CHANGE, get_flat_change,
     "what the function allocates itself: new less base"},
    {"flat_share", "OF BASE", ANSWER_SHIFT, get_flat_share, "its part of the base's total"},
    {"base_flat", "BASE", ANSWER_AMOUNT, OF_FUNCTION(base_flat), "in the base"},
    {"new_flat", "NEW", ANSWER_AMOUNT, OF_FUNCTION(new_flat), "in the new one"},
    {"cum_change", "CUM", ANSWER_CHANGE, get_cum_change,
     "what comes through the function: new less base"},
    {"base_cum", NULL, ANSWER_AMOUNT, OF_FUNCTION(base_cum), "in the base"},
    {"new_cum", NULL, ANSWER_AMOUNT, OF_FUNCTION(new_cum), "in the new one"},
    {"cum_share", NULL, ANSWER_SHIFT, get_cum_share,
     "the change of cum, as part of the base's total", .flags = ANSWER_NO_CSV},
    SAMPLES_COLUMN("base_flat_samples", get_base_flat_samples, "samples that `base_flat` rests on"),
    SAMPLES_COLUMN("new_flat_samples", get_new_flat_samples, "samples that `new_flat` rests on"),
    SAMPLES_COLUMN("base_cum_samples", get_base_cum_samples, "samples that `base_cum` rests on"),
    SAMPLES_COLUMN("new_cum_samples", get_new_cum_samples, "samples that `new_cum` rests on"),
    {NULL, "SAMPLES", ANSWER_TEXT, get_samples, NULL, ANY_SAMPLED},
    {NULL, "STATE", ANSWER_TEXT, get_certain_state},
    {"verdict", NULL, ANSWER_TEXT, get_verdict,
     "of cum: larger, smaller or same; chance: the samples may have made the change, with all functions counted; small: "
     "less than the smallest change that matters",
     JUDGED},
    {"p_of_all", NULL, ANSWER_DECIMAL, ANSWER_FIELD_OF(struct row, judged, p_of_all),
     "probability that chance alone makes such a change of any function", JUDGED | ANY_SAMPLED},
};
static const struct answer_table rows_table =
    ANSWER_TABLE(ANSWER_ROWS, "rows", ANSWER_IN_ALL, row_columns, "a function that differs");

/* ---- The head ------------------------------------------------------------------------ */

static const struct answer_column head_columns[] = {
    SCHEMA_COLUMN,
    {"base", NULL, ANSWER_TEXT, OF_DIFF(base_name), "the base's file"},
    {"new", NULL, ANSWER_TEXT, OF_DIFF(other_name), "the new one's file"},
    {"sample_type", NULL, ANSWER_TEXT, OF_DIFF(sample), "what is counted, by pprof's names"},
    {"unit", NULL, ANSWER_TEXT, OF_DIFF(unit), "the unit of all values"},
    {"filter", NULL, ANSWER_TEXT, OF_FILTER(text), "the filter; empty for none"},
    {"normalized", NULL, ANSWER_FLAG, OF_DIFF(normalize),
     "whether the new one is scaled to the base's total"},
    {"base_total", NULL, ANSWER_AMOUNT, OF_DIFF(table.base_total),
     "the total that shares are parts of"},
    {"new_total", NULL, ANSWER_AMOUNT, OF_DIFF(table.new_total), "the same for the new one"},
    {"base_low", NULL, ANSWER_AMOUNT, OF_DIFF(base_range.low), "bounds of 95 % of the base's total",
     BASE_SAMPLED},
    {"base_high", NULL, ANSWER_AMOUNT, OF_DIFF(base_range.high), "the upper one", BASE_SAMPLED},
    {"base_too_few_samples", NULL, ANSWER_FLAG, ANSWER_FILLED(struct diff, base_range.is_few),
     "these are too few to say more", BASE_SAMPLED, ANSWER_OMIT},
    {"new_low", NULL, ANSWER_AMOUNT, OF_DIFF(other_range.low), "the same for the new one",
     NEW_SAMPLED},
    {"new_high", NULL, ANSWER_AMOUNT, OF_DIFF(other_range.high), "the upper one", NEW_SAMPLED},
    {"new_too_few_samples", NULL, ANSWER_FLAG, ANSWER_FILLED(struct diff, other_range.is_few),
     "these are too few to say more", NEW_SAMPLED, ANSWER_OMIT},
    {"smallest", NULL, ANSWER_AMOUNT, OF_DIFF(rules.smallest), "the smallest change that matters",
     JUDGED},
    {"false_alarm_rate", NULL, ANSWER_SHARE, OF_DIFF(rules.rate),
     "the largest probability that any function is listed as changed that did not change", JUDGED},
    {"count", NULL, ANSWER_WHOLE, OF_DIFF(table.count), "how many functions differ, shown or not"},
};
static const struct answer_table head_table = ANSWER_JSON(ANSWER_RECORD, NULL, head_columns, NULL);

/* ---- For people ---------------------------------------------------------------------- */

/* ", 4.2 MB to 6.1 MB" after a total that stands in parentheses, as long as it is not scaled. */
static const char *bounds(char text[RANGE_TEXT_BYTES], const struct diff *diff,
                          const struct estimate_range *range)
{
    *text = 0;
    if (diff->normalize || diff->weight == WEIGHT_VALUE)
        return text;
    range_text(text, range, diff->weight == WEIGHT_BYTES ? units_bytes : units_count);
    size_t size = strlen(text);
    if (size > 0) {
        text[0] = ',';
        text[1] = ' ';
        text[size - 1] = 0;
    }
    return text;
}

static void say_totals(struct answer *answer, const struct diff *diff)
{
    char base_range[RANGE_TEXT_BYTES], new_range[RANGE_TEXT_BYTES], part[32] = "";
    char base[UNITS_TEXT_BYTES], other[UNITS_TEXT_BYTES], change[UNITS_TEXT_BYTES];
    double from = diff->table.base_total, to = diff->table.new_total;
    if (from > 0)
        snprintf(part, sizeof part, ", %+.1f %%", 100 * share(diff, to - from));
    answer_say(answer, "%s (%s%s) to %s (%s%s): %s%s of %s%s%s", plain(diff->base_name),
               units_value(base, from, diff->unit), bounds(base_range, diff, &diff->base_range),
               plain(diff->other_name), units_value(other, to, diff->unit),
               bounds(new_range, diff, &diff->other_range),
               to > from   ? "+"
               : to < from ? "-"
                           : "",
               units_value(change, fabs(to - from), diff->unit), plain(diff->sample), part,
               diff->normalize ? "; scaled to the same total" : "");
}

/* How many shown rows' changes are not to be taken for one, and why. */
static void say_verdicts(struct answer *answer, const struct diff *diff, size_t shown)
{
    size_t counts[CHANGE_SMALLER + 1] = {0};
    char smallest[UNITS_TEXT_BYTES];
    for (size_t i = 0; diff->verdicts && i < shown; i++)
        counts[diff->verdicts[i].verdict]++;
    if (counts[CHANGE_CHANCE] > 0)
        answer_say(answer, "chance: the samples may have made the change.");
    if (counts[CHANGE_SMALL] > 0)
        answer_say(answer, "small: less than %s through the function (--smallest).",
                   units_value(smallest, ceil(diff->rules.smallest), diff->unit));
}

/* ---- The answer ---------------------------------------------------------------------- */

static bool put_rows(struct answer *answer, const struct answer_section *section,
                     const struct diff *diff, size_t shown)
{
    struct names names = {0};
    bool done = true;
    answer_begin(answer, section);
    for (size_t i = 0; done && i < shown; i++) {
        const struct difference_row *of = &diff->table.rows[i];
        const struct symbol *symbol = &diff->table.symbols.items[of->symbol];
        struct row row = {*symbol, of, diff->verdicts ? &diff->verdicts[i] : NULL,
                          call_graph_name(&names, symbol)};
        done = row.name;
        if (done)
            answer_row(answer, &row);
    }
    answer_end(answer);
    names_release(&names);
    return done;
}

bool diff_put(struct answer *answer, const struct diff *diff)
{
    size_t count = diff->table.count, shown = question_rows(diff->options, ROWS_SHOWN, count);
    bool is_sampled = diff->base_is_sampled || diff->other_is_sampled;
    struct answer_section rows = {.table = &rows_table, .context = diff, .unit = diff->unit},
                          head = rows;
    rows.has = (is_sampled ? ANY_SAMPLED : 0) | (diff->verdicts ? JUDGED : 0);
    head.table = &head_table;
    head.has = (diff->base_is_sampled ? BASE_SAMPLED : 0) |
               (diff->other_is_sampled && !diff->normalize ? NEW_SAMPLED : 0) |
               (diff->verdicts ? JUDGED : 0);
    say_totals(answer, diff);
    if (*diff->filter->text)
        answer_say(answer, "Filter: %s", plain(diff->filter->text));
    answer_record(answer, &head, diff);
    if (count > 0)
        answer_say(answer, "%zu of %zu", shown, count);
    report_say_hidden(answer, &diff->other_hidden, diff->other_hidden_share);
    say_verdicts(answer, diff, shown);
    return put_rows(answer, &rows, diff, shown);
}

const struct answer_table *const diff_tables[] = {&head_table, &rows_table, NULL};
