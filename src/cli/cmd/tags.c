/* heaptap tags: what has which label, size, thread, ..., and what that weighs. */
#include "analyze/tags.h"

#include <math.h>
#include <stdio.h>

#include "base/measure.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "export/csv.h"

/* How many tags of a key are shown. */
static size_t shown(const struct report *report, const struct tag_key *key)
{
    long most = report->options->node_count;
    return most > 0 && (size_t)most < key->count ? (size_t)most : key->count;
}

/* ---- Text: as pprof has it, columns flush right ---------------------------------------- */

enum { CELL_BYTES = 2 * MEASURE_TEXT_BYTES };

/* "1.5kB" */
static int put_value(char *text, const struct report *report, double value)
{
    const char *asked = report->options->unit, *unit;
    double scaled = measure_scale(round(value), report->unit, asked ? asked : "minimum", &unit);
    return snprintf(text, MEASURE_TEXT_BYTES, "%.1f%s", scaled, plain(unit));
}

/* "1.5kB (12.50%):" */
static int put_cell(char *text, const struct report *report, const struct tag_key *key,
                    const struct tag *tag)
{
    char percent[MEASURE_TEXT_BYTES];
    int size = put_value(text, report, tag->value);
    if (key->total > 0)
        measure_percent(percent, tag->value, key->total);
    return size +
           (key->total > 0 ? sprintf(text + size, " (%s):", percent) : sprintf(text + size, ":"));
}

static int characters(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void print_key(const struct report *report, const struct tags *tags,
                      const struct tag_key *key)
{
    const struct tag *tag = tags->items + key->first;
    char cell[CELL_BYTES], total[MEASURE_TEXT_BYTES];
    const char *name = plain(key->name);
    int indent = characters(name) + 1 + 1, width = 0; /* with the colon, and a space before it */
    put_value(total, report, key->total);
    printf(" %s: Total %s\n", name, total);
    for (size_t i = 0; i < shown(report, key); i++) {
        int size = put_cell(cell, report, key, &tag[i]);
        width = size > width ? size : width;
    }
    for (size_t i = 0; i < shown(report, key); i++) {
        put_cell(cell, report, key, &tag[i]);
        printf("%*s%*s %s\n", indent, "", width + 1, cell, plain(tag[i].text));
    }
    if (shown(report, key) < key->count)
        printf("%*s (%zu more)\n", indent, "", key->count - shown(report, key));
    putchar('\n');
}

static void print_text(const struct report *report, const struct tags *tags)
{
    report_print_head(report);
    for (size_t i = 0; i < tags->key_count; i++)
        print_key(report, tags, &tags->keys[i]);
}

/* ---- JSON, CSV ------------------------------------------------------------------------- */

static double share_of(const struct tag_key *key, const struct tag *tag)
{
    return key->total != 0 ? tag->value / key->total : 0;
}

static void put_tag(struct json *json, const struct tag_key *key, const struct tag *tag)
{
    json_object(json);
    if (tag->is_number)
        json_put_int(json, "number", tag->number);
    else
        json_put_string(json, "text", tag->text);
    if (*tag->unit)
        json_put_string(json, "unit", tag->unit);
    json_put_double(json, "value", tag->value);
    json_put_double(json, "share", share_of(key, tag));
    json_end(json);
}

static void print_json(const struct report *report, const struct tags *tags)
{
    struct json json;
    json_init(&json, stdout);
    json_object(&json);
    report_put_head(report, &json);
    json_key(&json, "keys");
    json_array(&json);
    for (size_t i = 0; i < tags->key_count; i++) {
        const struct tag_key *key = &tags->keys[i];
        json_object(&json);
        json_put_string(&json, "key", key->name);
        json_put_double(&json, "total", key->total);
        json_put_uint(&json, "tag_count", key->count);
        json_key(&json, "tags");
        json_array(&json);
        for (size_t j = 0; j < shown(report, key); j++)
            put_tag(&json, key, &tags->items[key->first + j]);
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static void print_csv(const struct report *report, const struct tags *tags)
{
    struct csv csv;
    puts("key,tag,unit,value,share");
    csv_init(&csv, stdout);
    for (size_t i = 0; i < tags->key_count; i++)
        for (size_t j = 0; j < shown(report, &tags->keys[i]); j++) {
            const struct tag *tag = &tags->items[tags->keys[i].first + j];
            csv_text(&csv, tag->key);
            csv_text(&csv, tag->text);
            csv_text(&csv, tag->unit);
            csv_double(&csv, tag->value, 3);
            csv_double(&csv, share_of(&tags->keys[i], tag), 6);
            csv_end_row(&csv);
        }
}

/* ---- The command ----------------------------------------------------------------------- */

static const struct argp_option option_table[] = {
    {"node-count", 'n', "N", 0, "Show the N heaviest of each key; 0 for all, the default", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct question *options = state->input;
    if (key == ARGP_KEY_INIT)
        for (int i = 0; i < 4; i++)
            state->child_inputs[i] = options;
    else if (key == 'n')
        options->node_count = report_count(argument, "node-count", state);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp_child children[] = {{&report_filter_argp, 0, NULL, 0},
                                             {&report_sample_argp, 0, NULL, 0},
                                             {&report_unit_argp, 0, NULL, 0},
                                             {&report_format_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Lists the labels of a pprof profile's samples, or the sizes, sources, domains, threads and types of the blocks of "
    "TRACE, each with what it weighs.\v"
    "Shares are of what has the key. What is listed, a filter can ask for: size=24, thread=worker; tag:KEY=VALUE in a "
    "profile.",
    children,
    0,
    0};

static void print(const struct report *report, const struct tags *tags)
{
    bool is_trace = report->input.model->kind == MODEL_OBJECTS;
    if (tags->key_count == 0 && !is_trace)
        cli_warn("%s: none of the samples has a label", report->input.subject);
    report->options->format == REPORT_JSON  ? print_json(report, tags)
    : report->options->format == REPORT_CSV ? print_csv(report, tags)
                                            : print_text(report, tags);
}

static int run(const struct report *report)
{
    struct tags tags;
    bool is_text = report->options->format == REPORT_TEXT;
    const char *unit = report->options->unit ? report->options->unit : "minimum";
    int status = report_status(report);
    if (tags_init(&tags, &report->matcher,
                  &(struct tags_options){&report->what, report->weight, is_text ? unit : NULL}))
        print(report, &tags);
    else
        cli_fail_memory(&status);
    tags_release(&tags);
    return status;
}

int cmd_tags(int argc, char **argv)
{
    struct question options = question_many();
    struct report report;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options, &status)) {
        status = run(&report);
        report_close(&report);
    }
    question_release(&options);
    return status;
}
