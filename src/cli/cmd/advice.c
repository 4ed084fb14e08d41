/* heaptap advice: places worth a look, by rules. */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/advice.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/report_output.h"
#include "render/table.h"
#include "export/csv.h"
#include "export/symbol_json.h"

enum { SHOWN = 20, OPTION_RULES = 1000, PLACE_BYTES = 1024, PLAIN_COLUMNS = 80, INDENT = 4 };

static const struct argp_option option_table[] = {
    {"node-count", 'n', "N", 0, "Show N points at most (20); 0 for all", 0},
    {"rules", OPTION_RULES, NULL, 0, "List the rules and when they apply", 0},
    {0},
};

static int print_rules(void)
{
    for (int rule = 0; rule < ADVICE_RULES; rule++)
        printf("%-14s  %s\n", advice_rule_name((enum advice_rule)rule),
               advice_rule_condition((enum advice_rule)rule));
    return CLI_DONE;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct question *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] =
            state->child_inputs[3] = options;
        return 0;
    case 'n':
        options->node_count = report_count(argument, "node-count", state);
        return 0;
    case OPTION_RULES:
        exit(print_rules());
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_filter_argp, 0, NULL, 0},
                                             {&report_grain_argp, 0, NULL, 0},
                                             {&report_inlines_argp, 0, NULL, 0},
                                             {&report_format_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Names the places of TRACE to which one of a few rules applies: much that dies at once, blocks "
    "that grow, many small ones, what grows all the time, ... Each with its figures, and with what "
    "usually helps.\v"
    "--rules lists the rules with their conditions.",
    children,
    0,
    0};

/* ---- Output ---------------------------------------------------------------------------- */

struct points {
    const struct report *report;
    struct sites sites;
    struct advice *items;
    size_t count, shown;
};

static const char *place_of(const struct symbol *symbol, char *text)
{
    const char *name = symbol_name(symbol), *file = symbol->function ? symbol->file : NULL;
    if (file && *file && symbol->line > 0)
        snprintf(text, PLACE_BYTES, "%s (%s:%u)", name, file, (unsigned)symbol->line);
    else if (file && *file)
        snprintf(text, PLACE_BYTES, "%s (%s)", name, file);
    else
        snprintf(text, PLACE_BYTES, "%s", name);
    return text;
}

/* Words in lines of a width, indented. */
static void print_wrapped(const char *text, int columns)
{
    int at = 0;
    while (*text) {
        int size = 0;
        while (text[size] && text[size] != ' ')
            size++;
        if (at > 0 && at + 1 + size > columns) {
            putchar('\n');
            at = 0;
        }
        at += at == 0 ? printf("%*s%.*s", INDENT, "", size, text) : printf(" %.*s", size, text);
        text += size;
        while (*text == ' ')
            text++;
    }
    putchar('\n');
}

static void print_text(const struct points *points)
{
    int width = table_width(), columns = width > 0 ? width : PLAIN_COLUMNS;
    char text[ADVICE_TEXT_BYTES], place[PLACE_BYTES];
    printf("%s: ", plain(points->report->input.name));
    if (points->count == 0)
        puts("no rule applies");
    else
        printf("%zu point%s of interest%s%s\n", points->count, points->count > 1 ? "s" : "",
               points->shown < points->count ? ", the first of them below" : "",
               points->report->filter.hides_allocators ? REPORT_ALLOCATORS_HIDDEN : "");
    if (*points->report->filter.text)
        printf("Filter: %s\n", plain(points->report->filter.text));
    for (size_t i = 0; i < points->shown; i++) {
        const struct advice *advice = &points->items[i];
        printf("\n%2zu. %s: %s\n", i + 1, advice_title(advice),
               plain(place_of(&advice->site->symbol, place)));
        print_wrapped(advice_evidence(text, advice, &points->sites), columns);
        print_wrapped(advice_remedy(advice), columns);
    }
}

static bool is_sampled(const struct points *points)
{
    return points->sites.model->info.sample_rate < 1;
}

static void put_figures(struct json *json, const struct points *points, const struct advice *advice)
{
    const struct site *site = advice->site;
    if (is_sampled(points))
        json_put_uint(json, "samples", advice_samples(advice, &points->sites));
    json_put_uint(json, "sampled_blocks", site->blocks);
    json_put_double(json, "bytes", site->bytes);
    json_put_double(json, "objects", site->objects);
    json_put_double(json, "quick_bytes", site->quick_bytes);
    json_put_double(json, "mean_lifetime_us", site_mean_lifetime_us(site));
    json_put_double(json, "live_bytes", site->live_bytes);
    json_put_double(json, "peak_bytes", site->peak_bytes);
    json_put_double(json, "promoted_bytes", site->promoted_bytes);
    json_put_double(json, "promoted_quick_bytes", site->promoted_quick_bytes);
    json_put_uint(json, "common_size", site->common_bytes);
    json_put_double(json, "common_objects", site->common_objects);
    json_put_uint(json, "largest_size", site->largest_bytes);
    json_put_uint(json, "doublings", site->doublings);
    json_put_double(json, "doubled_bytes", site->doubled_bytes);
    json_put_uint(json, "small_steps", site->small_steps);
    json_put_double(json, "stepped_bytes", site->stepped_bytes);
}

static void put_point(struct json *json, const struct points *points, const struct advice *advice)
{
    const struct symbol *symbol = &advice->site->symbol;
    char text[ADVICE_TEXT_BYTES];
    json_object(json);
    json_put_string(json, "rule", advice_rule_name(advice->rule));
    json_put_string(json, "title", advice_title(advice));
    symbol_json_put(json, symbol);
    json_put_double(json, "share", advice->share);
    json_put_double(json, "part", advice->part);
    json_put_string(json, "evidence", advice_evidence(text, advice, &points->sites));
    json_put_string(json, "remedy", advice_remedy(advice));
    json_put_string(json, "condition", advice_rule_condition(advice->rule));
    json_key(json, "figures");
    json_object(json);
    put_figures(json, points, advice);
    json_end(json);
    json_end(json);
}

static void print_json(const struct points *points)
{
    struct json json;
    json_init(&json, stdout);
    json_object(&json);
    report_put_head(points->report, &json);
    json_put_int(&json, "quick_us", points->sites.quick_us);
    json_put_uint(&json, "count", points->count);
    json_key(&json, "points");
    json_array(&json);
    for (size_t i = 0; i < points->shown; i++)
        put_point(&json, points, &points->items[i]);
    json_end(&json);
    json_end(&json);
}

static void print_csv(const struct points *points)
{
    struct csv csv;
    char text[ADVICE_TEXT_BYTES];
    printf("rule,function,file,line,share,part,evidence%s\n", is_sampled(points) ? ",samples" : "");
    csv_init(&csv, stdout);
    for (size_t i = 0; i < points->shown; i++) {
        const struct advice *advice = &points->items[i];
        csv_text(&csv, advice_rule_name(advice->rule));
        csv_text(&csv, advice->site->symbol.function);
        csv_text(&csv, advice->site->symbol.file);
        csv_uint(&csv, advice->site->symbol.line);
        csv_double(&csv, advice->share, 6);
        csv_double(&csv, advice->part, 6);
        csv_text(&csv, advice_evidence(text, advice, &points->sites));
        if (is_sampled(points))
            csv_uint(&csv, advice_samples(advice, &points->sites));
        csv_end_row(&csv);
    }
}

/* ---- The command ----------------------------------------------------------------------- */

static bool show(struct points *points)
{
    const struct report *report = points->report;
    long most = report->options->node_count < 0 ? SHOWN : report->options->node_count;
    if (!sites_init(&points->sites, &report->matcher, &report->filter, report->options->grain,
                    report->options->no_inlines))
        return false;
    bool done = advice_find(&points->sites, &points->items, &points->count);
    points->shown = most > 0 && (size_t)most < points->count ? (size_t)most : points->count;
    if (done)
        report->options->format == REPORT_JSON  ? print_json(points)
        : report->options->format == REPORT_CSV ? print_csv(points)
                                                : print_text(points);
    free(points->items);
    sites_release(&points->sites);
    return done;
}

int cmd_advice(int argc, char **argv)
{
    struct question options = question_default();
    struct report report;
    int status = CLI_DONE;
    options.grain = GRAIN_LINE;
    options.by_site = true;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options, &status)) {
        struct points points = {.report = &report};
        status = report_status(&report);
        if (!report_needs_objects(&report)) {
            status = CLI_BAD_INPUT;
        } else if (!show(&points)) {
            cli_warn("out of memory");
            status = CLI_FAILED;
        }
        report_close(&report);
    }
    question_release(&options);
    return status;
}
