/* A function that is the only one shown below its caller stands under it without going in: stacks
 * are deep, lines are not.  Where there are several, each goes in by one step. */
#include "cli/branch_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/branches.h"
#include "base/measure.h"
#include "base/text.h"
#include "render/charset.h"
#include "cli/cli.h"
#include "cli/graph_text.h"
#include "render/table.h"
#include "export/csv.h"

/* What is printed. */
struct printer {
    const struct branch_report *how;
    const struct report *report;
    const struct branches *branches;
    const char *unit;
    size_t count;     /* branches shown */
    uint32_t *indent; /* by branch: how far it goes in */
    uint32_t *left;   /* by branch: how many of its children have not been printed */
};

/* ---- Text ---------------------------------------------------------------------------- */

static const char *unit_of(const struct report *report, const struct branches *branches)
{
    double least = 0;
    for (size_t i = 0; i < branches->count; i++) {
        double value = fabs(round(branches->items[i].total));
        if (value > 0 && (least == 0 || value < least))
            least = value;
    }
    return branches->count > 0 ? measure_table_unit(least, report->whole, report->unit) : "minimum";
}

static bool has_siblings(const struct printer *printer, const struct branch *branch)
{
    return branch->parent != BRANCH_NONE && printer->branches->items[branch->parent].children > 1;
}

/* The bars of all branches that go on below, and the branch's own. */
static void put_bars(struct text *line, const struct printer *printer, uint32_t number)
{
    static const char *const plain[] = {"  ", "| ", "|-", "`-"};
    static const char *const drawn[] = {"  ", "\xe2\x94\x82 ", "\xe2\x94\x9c\xe2\x94\x80",
                                        "\xe2\x94\x94\xe2\x94\x80"};
    const char *const *bars = charset_stdout_is_utf8() ? drawn : plain;
    const struct branch *items = printer->branches->items;
    uint32_t indent = printer->indent[number];
    char *open = calloc((size_t)indent + 1, 1);
    if (!open) {
        line->failed = true;
        return;
    }
    for (uint32_t at = number; at != BRANCH_NONE; at = items[at].parent)
        if (has_siblings(printer, &items[at]))
            open[printer->indent[at]] |= printer->left[items[at].parent] > 0;
    for (uint32_t i = 1; i <= indent; i++) {
        bool is_own = i == indent && has_siblings(printer, &items[number]);
        text_put_string(line, bars[is_own ? (open[i] ? 2 : 3) : open[i] != 0]);
    }
    free(open);
}

static void print_name(const struct printer *printer, uint32_t number)
{
    enum { FIGURES_BOTH = 37, FIGURES_CUM = 19, LEAST = 24 };
    struct text line = {0};
    const char *name = printer->branches->items[number].name;
    int width = table_width(), figures = printer->how->outward ? FIGURES_CUM : FIGURES_BOTH;
    put_bars(&line, printer, number);
    text_put_char(&line, 0);
    table_print_name(line.failed ? "" : line.bytes, name, "",
                     width == 0                ? 0
                     : width > figures + LEAST ? width - figures
                                               : LEAST);
    text_release(&line);
}

static void print_branch(const struct printer *printer, uint32_t number)
{
    char total[MEASURE_TEXT_BYTES], self[MEASURE_TEXT_BYTES], share[2][MEASURE_TEXT_BYTES];
    const struct branch *branch = &printer->branches->items[number];
    double whole = printer->report->whole;
    printf("%10s %s ", graph_value(total, branch->total, printer->report, printer->unit),
           measure_percent(share[0], branch->total, whole));
    if (!printer->how->outward)
        printf("%10s %s ", graph_value(self, branch->self, printer->report, printer->unit),
               measure_percent(share[1], branch->self, whole));
    putchar(' ');
    print_name(printer, number);
}

static void print_head(const struct printer *printer)
{
    char total[MEASURE_TEXT_BYTES], whole[MEASURE_TEXT_BYTES], share[MEASURE_TEXT_BYTES];
    const struct report *report = printer->report;
    double begun = printer->branches->total;
    report_print_head(report);
    measure_percent(share, begun, report->whole);
    printf("Showing stacks accounting for %s, %s of %s total, %s\n",
           graph_value(total, begun, report, printer->unit), share + strspn(share, " "),
           graph_value(whole, report->whole, report, printer->unit),
           printer->how->outward ? "callers below their callees" : "callees below their callers");
    if (printer->count < printer->branches->count)
        printf("Showing the first %zu lines of %zu\n", printer->count, printer->branches->count);
    printf("%10s %5s%%", "cum", "cum");
    if (!printer->how->outward)
        printf(" %10s %5s%%", "flat", "flat");
    putchar('\n');
}

static void print_text(struct printer *printer)
{
    const struct branch *items = printer->branches->items;
    print_head(printer);
    for (uint32_t i = 0; i < printer->count; i++) {
        uint32_t parent = items[i].parent;
        if (parent != BRANCH_NONE) {
            printer->left[parent]--;
            printer->indent[i] = printer->indent[parent] + has_siblings(printer, &items[i]);
        }
        printer->left[i] = items[i].children;
        print_branch(printer, i);
    }
}

/* ---- JSON, CSV ----------------------------------------------------------------------- */

static void print_json(const struct printer *printer)
{
    const struct branches *branches = printer->branches;
    struct json json;
    json_init(&json, stdout);
    json_object(&json);
    report_put_head(printer->report, &json);
    json_put_string(&json, "direction", printer->how->outward ? "callers" : "callees");
    json_put_double(&json, "begun", branches->total);
    json_key(&json, "nodes");
    json_array(&json);
    for (size_t i = 0; i < printer->count; i++) {
        const struct branch *branch = &branches->items[i];
        json_object(&json);
        json_put_int(&json, "parent", branch->parent == BRANCH_NONE ? -1 : (int64_t)branch->parent);
        graph_put_symbol(&json, branch->name, &branches->symbols.items[branch->symbol]);
        json_put_double(&json, "total", branch->total);
        json_put_double(&json, "self", branch->self);
        json_put_double(&json, "pruned", branch->pruned);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static void print_csv(const struct printer *printer)
{
    const struct branches *branches = printer->branches;
    struct csv csv;
    csv_init(&csv, stdout);
    puts("number,parent,depth,name,total,self");
    for (size_t i = 0; i < printer->count; i++) {
        const struct branch *branch = &branches->items[i];
        csv_uint(&csv, i);
        if (branch->parent == BRANCH_NONE)
            csv_text(&csv, NULL);
        else
            csv_uint(&csv, branch->parent);
        csv_uint(&csv, branch->depth);
        csv_text(&csv, branch->name);
        csv_double(&csv, branch->total, 3);
        csv_double(&csv, branch->self, 3);
        csv_end_row(&csv);
    }
}

/* ---- The report ---------------------------------------------------------------------- */

static bool is_root(void *context, const char *name)
{
    return pattern_matches(context, name);
}

static bool print(const struct branch_report *how, const struct report *report,
                  const struct branches *branches)
{
    long most = report->options->node_count;
    struct printer printer = {
        .how = how,
        .report = report,
        .branches = branches,
        .unit = unit_of(report, branches),
        .count = most > 0 && (size_t)most < branches->count ? (size_t)most : branches->count,
        .indent = calloc(branches->count + 1, sizeof *printer.indent),
        .left = calloc(branches->count + 1, sizeof *printer.left),
    };
    bool done = printer.indent && printer.left;
    if (done)
        report->options->format == REPORT_JSON  ? print_json(&printer)
        : report->options->format == REPORT_CSV ? print_csv(&printer)
                                                : print_text(&printer);
    free(printer.indent);
    free(printer.left);
    return done;
}

int branch_report_print(const struct branch_report *how, const struct report *report)
{
    const struct question *options = report->options;
    struct branches branches;
    struct branch_options growth = {
        .grain = options->grain,
        .no_inlines = options->no_inlines,
        .weight = report->weight,
        .outward = how->outward,
        .is_root = how->pattern ? is_root : NULL,
        .root_context = (void *)how->pattern,
        .least = trunc(report->whole * options->node_fraction),
        .max_depth = how->max_depth,
    };
    if (!branches_init(&branches, &report->selection.profile, &report->selection.frames, &growth)) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    bool is_empty =
        how->pattern && branches.total == 0 && branches.count == 0 && branches.pruned == 0;
    bool done = !is_empty && print(how, report, &branches);
    branches_release(&branches);
    if (is_empty) {
        cli_warn("no function matches '%s'", options->pattern);
        return CLI_FOUND;
    }
    if (!done)
        cli_warn("out of memory");
    return done ? report_status(report) : CLI_FAILED;
}
