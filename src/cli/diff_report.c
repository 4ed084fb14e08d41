#include "cli/diff_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/call_graph.h"
#include "base/plain.h"
#include "base/units.h"
#include "render/table.h"
#include "export/csv.h"
#include "profile/range_text.h"
#include "export/range_json.h"
#include "export/symbol_json.h"

enum { ROWS_SHOWN = 40, SAMPLES_TEXT_BYTES = 64 };

static size_t shown(const struct diff *diff)
{
    long most = diff->options->report.node_count;
    size_t count = diff->table.count;
    most = most < 0 ? ROWS_SHOWN : most;
    return most > 0 && (size_t)most < count ? (size_t)most : count;
}

static double share(const struct diff *diff, double value)
{
    return diff->table.base_total > 0 ? value / diff->table.base_total : 0;
}

/* ---- Text ------------------------------------------------------------------------------ */

static const char *signed_value(char *text, double value, const char *unit)
{
    char plain[UNITS_TEXT_BYTES];
    units_value(plain, fabs(value), unit);
    snprintf(text, UNITS_TEXT_BYTES + 2, "%s%s", value > 0 ? "+" : value < 0 ? "-" : "", plain);
    return text;
}

/* ", 4.2 MB to 6.1 MB" behind a total that stands in brackets, as long as it is not scaled. */
static const char *bounds(char text[RANGE_TEXT_BYTES], const struct diff *diff,
                          const struct estimate_range *range)
{
    enum stack_weight weight = diff->base.weight;
    *text = 0;
    if (diff->options->normalize || weight == WEIGHT_VALUE)
        return text;
    range_text(text, range, weight == WEIGHT_BYTES ? units_bytes : units_count);
    size_t size = strlen(text);
    if (size > 0) {
        text[0] = ',';
        text[1] = ' ';
        text[size - 1] = 0;
    }
    return text;
}

static void print_heading(const struct diff *diff)
{
    char base_range[RANGE_TEXT_BYTES], new_range[RANGE_TEXT_BYTES];
    char base[UNITS_TEXT_BYTES], other[UNITS_TEXT_BYTES], change[UNITS_TEXT_BYTES + 2];
    const char *unit = diff->unit;
    double difference = diff->table.new_total - diff->table.base_total;
    printf("%s (%s%s) to ", plain(diff->base.input.name),
           units_value(base, diff->table.base_total, unit),
           bounds(base_range, diff, &diff->base_range));
    printf("%s (%s%s): %s of %s", plain(diff->other.input.name),
           units_value(other, diff->table.new_total, unit),
           bounds(new_range, diff, &diff->other_range), signed_value(change, difference, unit),
           plain(diff->sample));
    if (diff->table.base_total > 0)
        printf(", %+.1f %%", 100 * share(diff, difference));
    puts(diff->options->normalize ? "; scaled to the same total" : "");
    if (*diff->base.filter.text)
        printf("Filter: %s\n", plain(diff->base.filter.text));
    if (diff->table.count > 0)
        printf("%zu of %zu%s\n\n", shown(diff), diff->table.count,
               diff->base.filter.hides_allocators ? REPORT_ALLOCATORS_HIDDEN : "");
}

static bool is_sampled(const struct diff *diff)
{
    return diff->base_is_sampled || diff->other_is_sampled;
}

/* "12, 40": of the base and of the new one; - for one that is exact. */
static const char *samples_text(char text[SAMPLES_TEXT_BYTES], const struct diff *diff,
                                const struct difference_row *row)
{
    char base[24] = "-", other[24] = "-";
    if (diff->base_is_sampled)
        snprintf(base, sizeof base, "%.0f", row->base_flat_samples);
    if (diff->other_is_sampled)
        snprintf(other, sizeof other, "%.0f", row->new_flat_samples);
    snprintf(text, SAMPLES_TEXT_BYTES, "%s, %s", base, other);
    return text;
}

static bool add_row(struct table *table, const struct diff *diff, const struct difference_row *row,
                    struct names *names)
{
    char change[UNITS_TEXT_BYTES + 2], part[32], base[UNITS_TEXT_BYTES], other[UNITS_TEXT_BYTES];
    char cum[UNITS_TEXT_BYTES + 2], samples[SAMPLES_TEXT_BYTES];
    const char *unit = diff->unit;
    const char *name = call_graph_name(names, &diff->table.symbols.items[row->symbol]);
    double flat = row->new_flat - row->base_flat;
    signed_value(change, flat, unit);
    snprintf(part, sizeof part, "%+.1f %%", 100 * share(diff, flat));
    units_value(base, row->base_flat, unit);
    units_value(other, row->new_flat, unit);
    signed_value(cum, row->new_cum - row->base_cum, unit);
    const char *state = difference_state_name(difference_state(row));
    const char *exact[] = {change, part, base, other, cum, state, name};
    const char *estimated[] = {change, part, base, other, cum, samples_text(samples, diff, row),
                               state,  name};
    return name && table_add(table, is_sampled(diff) ? estimated : exact);
}

bool diff_print_text(const struct diff *diff)
{
    static const struct table_column columns[] = {
        {"CHANGE", .right = true},
        {"OF BASE", .right = true},
        {"BASE", .right = true},
        {"NEW", .right = true},
        {"CUM", .right = true},
        {"SAMPLES", .right = true},
        {"STATE"},
        {"FUNCTION", .may_shrink = true, .keep_end = true}};
    enum { COLUMNS = sizeof columns / sizeof columns[0], SAMPLES = 5 };
    struct table_column shown_columns[COLUMNS];
    int count = 0;
    for (int i = 0; i < COLUMNS; i++)
        if (i != SAMPLES || is_sampled(diff))
            shown_columns[count++] = columns[i];
    struct table table;
    struct names names = {0};
    print_heading(diff);
    if (diff->table.count == 0)
        return true;
    if (!table_init(&table, shown_columns, count))
        return false;
    bool done = true;
    for (size_t i = 0; done && i < shown(diff); i++)
        done = add_row(&table, diff, &diff->table.rows[i], &names);
    if (done)
        table_print(&table);
    table_release(&table);
    names_release(&names);
    return done;
}

/* ---- JSON, CSV ------------------------------------------------------------------------- */

static void put_samples(struct json *json, const struct diff *diff,
                        const struct difference_row *row)
{
    if (diff->base_is_sampled) {
        json_put_double(json, "base_flat_samples", row->base_flat_samples);
        json_put_double(json, "base_cum_samples", row->base_cum_samples);
    }
    if (diff->other_is_sampled) {
        json_put_double(json, "new_flat_samples", row->new_flat_samples);
        json_put_double(json, "new_cum_samples", row->new_cum_samples);
    }
}

bool diff_print_json(const struct diff *diff)
{
    struct json json;
    struct names names = {0};
    json_init(&json, stdout);
    json_object(&json);
    json_put_string(&json, "base", diff->base.input.name);
    json_put_string(&json, "new", diff->other.input.name);
    json_put_string(&json, "sample_type", diff->sample);
    json_put_string(&json, "unit", diff->unit);
    json_put_string(&json, "filter", diff->base.filter.text);
    json_put_bool(&json, "normalized", diff->options->normalize);
    json_put_double(&json, "base_total", diff->table.base_total);
    json_put_double(&json, "new_total", diff->table.new_total);
    if (diff->base_is_sampled)
        range_json_put(&json, "base_", diff->base_range);
    if (diff->other_is_sampled && !diff->options->normalize)
        range_json_put(&json, "new_", diff->other_range);
    json_put_uint(&json, "count", diff->table.count);
    json_key(&json, "rows");
    json_array(&json);
    for (size_t i = 0; i < shown(diff); i++) {
        const struct difference_row *row = &diff->table.rows[i];
        const struct symbol *symbol = &diff->table.symbols.items[row->symbol];
        json_object(&json);
        json_put_string(&json, "name", call_graph_name(&names, symbol));
        symbol_json_put(&json, symbol);
        json_put_string(&json, "state", difference_state_name(difference_state(row)));
        json_put_double(&json, "base_flat", row->base_flat);
        json_put_double(&json, "new_flat", row->new_flat);
        json_put_double(&json, "base_cum", row->base_cum);
        json_put_double(&json, "new_cum", row->new_cum);
        json_put_double(&json, "flat_share", share(diff, row->new_flat - row->base_flat));
        json_put_double(&json, "cum_share", share(diff, row->new_cum - row->base_cum));
        put_samples(&json, diff, row);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    names_release(&names);
    return true;
}

bool diff_print_csv(const struct diff *diff)
{
    struct csv csv;
    struct names names = {0};
    printf("name,state,flat_change,flat_share,base_flat,new_flat,cum_change,base_cum,new_cum%s\n",
           is_sampled(diff) ? ",base_flat_samples,new_flat_samples,base_cum_samples,new_cum_samples"
                            : "");
    csv_init(&csv, stdout);
    for (size_t i = 0; i < shown(diff); i++) {
        const struct difference_row *row = &diff->table.rows[i];
        csv_text(&csv, call_graph_name(&names, &diff->table.symbols.items[row->symbol]));
        csv_text(&csv, difference_state_name(difference_state(row)));
        csv_double(&csv, row->new_flat - row->base_flat, 3);
        csv_double(&csv, share(diff, row->new_flat - row->base_flat), 6);
        csv_double(&csv, row->base_flat, 3);
        csv_double(&csv, row->new_flat, 3);
        csv_double(&csv, row->new_cum - row->base_cum, 3);
        csv_double(&csv, row->base_cum, 3);
        csv_double(&csv, row->new_cum, 3);
        if (is_sampled(diff)) {
            csv_double(&csv, row->base_flat_samples, 0);
            csv_double(&csv, row->new_flat_samples, 0);
            csv_double(&csv, row->base_cum_samples, 0);
            csv_double(&csv, row->new_cum_samples, 0);
        }
        csv_end_row(&csv);
    }
    names_release(&names);
    return true;
}
