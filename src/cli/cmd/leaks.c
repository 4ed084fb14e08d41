/* heaptap leaks: what is alive at the end, by the place that allocated it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/hotspots.h"
#include "analyze/sites.h"
#include "base/plain.h"
#include "base/units.h"
#include "export/range_text.h"
#include "render/charset.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/suppressions.h"
#include "render/table.h"
#include "export/csv.h"
#include "export/symbol_json.h"

struct options {
    struct question report;
    struct suppressions suppressions;
    long callers; /* shown of each site */
};

enum { OPTION_CALLERS = 1000, SITES_SHOWN = 20, CALLERS_SHOWN = 5, PLACE_BYTES = 512 };

/* Shares of a site. */
static const double CALLER_EXPLAINS = 0.5, CALLER_COUNTS = 0.1;

static const struct argp_option option_table[] = {
    {"node-count", 'n', "N", 0, "Show N places at most (20); 0 for all", 0},
    {"callers", OPTION_CALLERS, "N", 0, "Show N callers of each place at most (5)", 0},
    {0},
};

/* The whole name of a sample type in use at the end. */
static const char *sample_of(const char *word, struct argp_state *state)
{
    static const char space[] = "inuse_space", objects[] = "inuse_objects";
    if (!word || strcmp(word, "space") == 0 || strcmp(word, "inuse") == 0)
        return space;
    if (strcmp(word, "objects") == 0)
        return objects;
    if (strncmp(word, "inuse_", strlen("inuse_")) != 0)
        argp_error(state,
                   "leaks are in use at the end: --sample takes inuse_space or inuse_objects, "
                   "not '%s'",
                   word);
    return word;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->report;
        state->child_inputs[2] = &options->suppressions;
        return 0;
    case 'n':
        options->report.node_count = report_count(argument, "node-count", state);
        return 0;
    case OPTION_CALLERS:
        options->callers = report_count(argument, "callers", state);
        return 0;
    case ARGP_KEY_END:
        options->report.sample = sample_of(options->report.sample, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_argp, 0, NULL, 0},
                                             {&report_names_argp, 0, NULL, 0},
                                             {&suppressions_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Lists what is alive at the end of TRACE by the place that allocated it, with its age and its "
    "callers.\v"
    "KEPT is the part of all bytes of the place that is still alive. BORN shows when in the run "
    "that was allocated, an eighth of the run a sign: what grows all the time leaks. "
    "lifetime>=10s, as a clause, leaves out what is young.",
    children,
    0,
    0};

/* ---- What is reported ------------------------------------------------------------------ */

struct leaks {
    const struct options *options;
    const struct report *report;
    struct hotspots hotspots;
    struct sites sites; /* of a trace */
    bool has_times;
    struct stack_tally suppressed;
};

static size_t shown(const struct leaks *leaks)
{
    long most = leaks->options->report.node_count;
    size_t count = leaks->hotspots.count;
    most = most < 0 ? SITES_SHOWN : most;
    return most > 0 && (size_t)most < count ? (size_t)most : count;
}

static const struct site *times_of(const struct leaks *leaks, const struct hotspot *spot)
{
    return leaks->has_times ? sites_find(&leaks->sites, &spot->symbol) : NULL;
}

static int compare_distances(const void *left, const void *right)
{
    double a = ((const struct hotspot_caller *)left)->distance;
    double b = ((const struct hotspot_caller *)right)->distance;
    return (a > b) - (a < b);
}

/* Does a caller that stands out explain the site?  Under a focus, say, none of the callers that all
 * stacks have in common stands out. */
static bool is_explained(const struct hotspot *site, const struct hotspot_caller *callers,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (callers[i].share >= CALLER_EXPLAINS && hotspot_caller_is_telling(site, &callers[i]))
            return true;
    return false;
}

/* The callers that stand out; where these don't explain the site, the nearest. */
static size_t callers_of(const struct leaks *leaks, size_t site, struct hotspot_caller **callers)
{
    const struct hotspot *spot = &leaks->hotspots.sites[site];
    size_t count, kept = 0;
    *callers = NULL;
    if (leaks->options->callers == 0 || !hotspots_callers(&leaks->hotspots, site, callers, &count))
        return 0;
    bool explained = is_explained(spot, *callers, count);
    if (!explained)
        qsort(*callers, count, sizeof **callers, compare_distances);
    for (size_t i = 0; i < count && kept < (size_t)leaks->options->callers; i++)
        if (explained ? hotspot_caller_is_telling(spot, &(*callers)[i])
                      : (*callers)[i].share >= CALLER_COUNTS)
            (*callers)[kept++] = (*callers)[i];
    return kept;
}

static double bytes_of(const struct leaks *leaks, const struct stack_tally *tally)
{
    return leaks->has_times ? stack_tally_bytes(tally, &leaks->report->input.model->estimate)
                            : tally->value;
}

static double objects_of(const struct leaks *leaks, const struct stack_tally *tally)
{
    return stack_tally_objects(tally, &leaks->report->input.model->estimate);
}

static void put_place(const struct symbol *symbol, char *text)
{
    if (symbol->line > 0)
        snprintf(text, PLACE_BYTES, "%s:%u", symbol->file ? symbol->file : "",
                 (unsigned)symbol->line);
    else
        snprintf(text, PLACE_BYTES, "%s", symbol->function && symbol->file ? symbol->file : "");
}

/* ---- Text ------------------------------------------------------------------------------ */

/* A sign for each part of the run: how much of what is alive was born in it. */
static void put_births(const struct site *site, char *text)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {".", "1", "2", "3", "4", "5", "6", "7", "8"};
    bool utf8 = charset_stdout_is_utf8();
    double most = 0;
    *text = 0;
    for (int i = 0; i < SITES_PARTS; i++)
        most = site->born_live[i] > most ? site->born_live[i] : most;
    for (int i = 0; i < SITES_PARTS; i++) {
        double part = most > 0 ? site->born_live[i] / most : 0;
        int level = part > 0 ? 1 + (int)(part * 7) : 0;
        strcat(text, utf8 ? blocks[level] : plain[level]);
    }
}

/* Which columns there are: on a narrow terminal, and of a profile without times, fewer. */
enum { ALL_COLUMNS = 9, NARROW_COLUMNS = 7, PLAIN_COLUMNS = 4, WIDE_TERMINAL = 100 };

static int columns_of(const struct leaks *leaks)
{
    int width = table_width();
    return !leaks->has_times                      ? PLAIN_COLUMNS
           : width == 0 || width >= WIDE_TERMINAL ? ALL_COLUMNS
                                                  : NARROW_COLUMNS;
}

/* `all` has a text for each of ALL_COLUMNS. */
static bool add_row(struct table *table, const struct leaks *leaks, bool below,
                    const char *const all[ALL_COLUMNS])
{
    const char *narrow[NARROW_COLUMNS] = {all[0], all[1], all[3], all[5], all[6], all[7], all[8]};
    const char *plain[PLAIN_COLUMNS] = {all[0], all[1], all[7], all[8]};
    int columns = columns_of(leaks);
    const char *const *texts = columns == ALL_COLUMNS      ? all
                               : columns == NARROW_COLUMNS ? narrow
                                                           : plain;
    return below ? table_add_below(table, texts) : table_add(table, texts);
}

static bool add_site(struct table *table, const struct leaks *leaks, const struct hotspot *spot)
{
    char bytes[UNITS_TEXT_BYTES], share[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES] = "";
    char kept[UNITS_TEXT_BYTES] = "", oldest[UNITS_TEXT_BYTES] = "", age[UNITS_TEXT_BYTES] = "";
    char births[SITES_PARTS * 4 + 1] = "", place[PLACE_BYTES];
    const struct site *site = times_of(leaks, spot);
    double end_us = (double)leaks->report->input.model->end_us;
    leaks->has_times ? units_bytes(bytes, bytes_of(leaks, &spot->tally))
                     : units_value(bytes, spot->tally.value, leaks->hotspots.measure.unit);
    snprintf(share, sizeof share, "%.1f %%", 100 * spot->share);
    units_count(objects, objects_of(leaks, &spot->tally));
    if (site) {
        snprintf(kept, sizeof kept, "%.0f %%", 100 * site->live_bytes / site->bytes);
        units_duration(oldest, (end_us - (double)site->oldest_us) * 1e-6);
        units_duration(age, site_mean_age_us(site) * 1e-6);
        put_births(site, births);
    }
    put_place(&spot->symbol, place);
    const char *texts[ALL_COLUMNS] = {
        bytes, share, objects, kept, oldest, age, births, symbol_name(&spot->symbol), place};
    return add_row(table, leaks, false, texts);
}

static bool add_callers(struct table *table, const struct leaks *leaks, size_t number)
{
    struct hotspot_caller *callers;
    size_t count = callers_of(leaks, number, &callers);
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        char bytes[UNITS_TEXT_BYTES], share[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES];
        char place[PLACE_BYTES];
        const struct stack_tally *tally = &callers[i].tally;
        leaks->has_times ? units_bytes(bytes, bytes_of(leaks, tally))
                         : units_value(bytes, tally->value, leaks->hotspots.measure.unit);
        snprintf(share, sizeof share, "%.1f %%", 100 * callers[i].share);
        units_count(objects, objects_of(leaks, tally));
        put_place(&callers[i].symbol, place);
        const char *texts[ALL_COLUMNS] = {
            bytes, share, objects, "", "", "", "", symbol_name(&callers[i].symbol), place};
        done = add_row(table, leaks, true, texts);
    }
    free(callers);
    return done;
}

static void print_heading(const struct leaks *leaks)
{
    const struct hotspots *hotspots = &leaks->hotspots;
    const struct report *report = leaks->report;
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES], all[UNITS_TEXT_BYTES];
    char run[UNITS_TEXT_BYTES], sizes[RANGE_TEXT_BYTES], counts[RANGE_TEXT_BYTES];
    const struct estimate *estimate = &report->input.model->estimate;
    struct estimate_range of_bytes = stack_tally_bytes_range(&hotspots->total, estimate);
    struct estimate_range of_objects = stack_tally_objects_range(&hotspots->total, estimate);
    printf("%s: ", plain(report->input.name));
    if (leaks->has_times)
        printf("%s%s in %s%s objects alive at the end, after %s; %s allocated\n",
               units_bytes(bytes, bytes_of(leaks, &hotspots->total)),
               range_text(sizes, &of_bytes, units_bytes),
               units_count(objects, objects_of(leaks, &hotspots->total)),
               range_text(counts, &of_objects, units_count),
               units_duration(run, (double)report->input.model->end_us * 1e-6),
               units_bytes(all, leaks->sites.whole.bytes));
    else
        printf("%s of %s\n", units_value(bytes, hotspots->total.value, hotspots->measure.unit),
               plain(hotspots->measure.type));
    if (*report->filter.text)
        printf("Filter: %s\n", plain(report->filter.text));
    if (hotspots->count > 0)
        printf("%zu of %zu places%s%s\n\n", shown(leaks), hotspots->count,
               leaks->options->callers > 0 ? "; callers below" : "",
               report->filter.hides_allocators ? REPORT_ALLOCATORS_HIDDEN : "");
}

static bool print_text(const struct leaks *leaks)
{
    static const struct table_column bytes = {"BYTES", .right = true};
    static const struct table_column value = {"VALUE", .right = true};
    static const struct table_column share = {"SHARE", .right = true};
    static const struct table_column objects = {"OBJECTS", .right = true};
    static const struct table_column kept = {"KEPT", .right = true};
    static const struct table_column oldest = {"OLDEST", .right = true};
    static const struct table_column age = {"MEAN AGE", .right = true};
    static const struct table_column born = {"BORN"};
    static const struct table_column name = {"FUNCTION", .may_shrink = true, .keep_end = true,
                                             .tree = true};
    static const struct table_column place = {"PLACE", .may_shrink = true, .keep_end = true};
    const struct table_column all[] = {bytes, share, objects, kept, oldest, age, born, name, place};
    const struct table_column narrow[] = {bytes, share, kept, age, born, name, place};
    const struct table_column plain[] = {value, share, name, place};
    int columns = columns_of(leaks);
    struct table table;
    print_heading(leaks);
    if (leaks->hotspots.count == 0)
        return true;
    if (!table_init(&table,
                    columns == ALL_COLUMNS      ? all
                    : columns == NARROW_COLUMNS ? narrow
                                                : plain,
                    columns))
        return false;
    bool done = true;
    for (size_t i = 0; done && i < shown(leaks); i++)
        done = add_site(&table, leaks, &leaks->hotspots.sites[i]) && add_callers(&table, leaks, i);
    if (done)
        table_print(&table);
    table_release(&table);
    return done;
}

/* ---- JSON, CSV ------------------------------------------------------------------------- */

static void put_tally(struct json *json, const struct leaks *leaks, const struct stack_tally *tally,
                      double share)
{
    if (leaks->has_times) {
        json_put_double(json, "bytes", bytes_of(leaks, tally));
        json_put_double(json, "objects", objects_of(leaks, tally));
    } else {
        json_put_double(json, "value", tally->value);
    }
    json_put_double(json, "share", share);
}

static void put_times(struct json *json, const struct leaks *leaks, const struct site *site)
{
    int64_t end_us = leaks->report->input.model->end_us;
    json_put_double(json, "allocated_bytes", site->bytes);
    json_put_double(json, "kept", site->live_bytes / site->bytes);
    json_put_int(json, "oldest_us", end_us - site->oldest_us);
    json_put_int(json, "youngest_us", end_us - site->youngest_us);
    json_put_double(json, "mean_age_us", site_mean_age_us(site));
    json_key(json, "born_bytes");
    json_array(json);
    for (int i = 0; i < SITES_PARTS; i++)
        json_double(json, site->born_live[i]);
    json_end(json);
}

static void put_callers(struct json *json, const struct leaks *leaks, size_t number)
{
    struct hotspot_caller *callers;
    size_t count = callers_of(leaks, number, &callers);
    json_key(json, "callers");
    json_array(json);
    for (size_t i = 0; i < count; i++) {
        json_object(json);
        symbol_json_put(json, &callers[i].symbol);
        put_tally(json, leaks, &callers[i].tally, callers[i].share);
        json_end(json);
    }
    json_end(json);
    free(callers);
}

static void put_suppressed(struct json *json, const struct leaks *leaks)
{
    double whole = leaks->report->whole, part = report_value(leaks->report, &leaks->suppressed);
    json_key(json, "suppressed");
    json_object(json);
    json_put_uint(json, "patterns",
                  suppressions_count(&leaks->options->suppressions, leaks->report->input.model));
    put_tally(json, leaks, &leaks->suppressed, whole != 0 ? part / whole : 0);
    json_end(json);
}

static void print_json(const struct leaks *leaks)
{
    struct json json;
    json_init(&json, stdout);
    json_object(&json);
    report_put_head(leaks->report, &json);
    if (leaks->has_times) {
        const struct stack_tally *total = &leaks->hotspots.total;
        const struct estimate *estimate = &leaks->report->input.model->estimate;
        json_key(&json, "at_end");
        json_object(&json);
        json_put_double(&json, "bytes", bytes_of(leaks, total));
        range_json_put(&json, "bytes_", stack_tally_bytes_range(total, estimate));
        json_put_double(&json, "objects", objects_of(leaks, total));
        range_json_put(&json, "objects_", stack_tally_objects_range(total, estimate));
        json_put_uint(&json, "samples", total->samples);
        json_end(&json);
    }
    if (leaks->options->suppressions.path || leaks->report->input.model->suppressed)
        put_suppressed(&json, leaks);
    json_put_uint(&json, "site_count", leaks->hotspots.count);
    json_key(&json, "sites");
    json_array(&json);
    for (size_t i = 0; i < shown(leaks); i++) {
        const struct hotspot *spot = &leaks->hotspots.sites[i];
        const struct site *site = times_of(leaks, spot);
        json_object(&json);
        symbol_json_put(&json, &spot->symbol);
        put_tally(&json, leaks, &spot->tally, spot->share);
        if (site)
            put_times(&json, leaks, site);
        put_callers(&json, leaks, i);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static void print_csv(const struct leaks *leaks)
{
    struct csv csv;
    puts("function,file,line,bytes,objects,share,kept,oldest_us,mean_age_us");
    csv_init(&csv, stdout);
    for (size_t i = 0; i < shown(leaks); i++) {
        const struct hotspot *spot = &leaks->hotspots.sites[i];
        const struct site *site = times_of(leaks, spot);
        csv_text(&csv, spot->symbol.function);
        csv_text(&csv, spot->symbol.file);
        csv_uint(&csv, spot->symbol.line);
        csv_double(&csv, bytes_of(leaks, &spot->tally), 3);
        if (leaks->has_times)
            csv_double(&csv, objects_of(leaks, &spot->tally), 3);
        else
            csv_text(&csv, NULL);
        csv_double(&csv, spot->share, 6);
        if (site) {
            csv_double(&csv, site->live_bytes / site->bytes, 6);
            csv_uint(&csv, (uint64_t)(leaks->report->input.model->end_us - site->oldest_us));
            csv_double(&csv, site_mean_age_us(site), 3);
        } else {
            csv_text(&csv, NULL);
            csv_text(&csv, NULL);
            csv_text(&csv, NULL);
        }
        csv_end_row(&csv);
    }
}

/* ---- The command ----------------------------------------------------------------------- */

static bool print(const struct leaks *leaks)
{
    if (leaks->options->report.format == REPORT_TEXT)
        return print_text(leaks);
    if (leaks->options->report.format == REPORT_JSON)
        print_json(leaks);
    else
        print_csv(leaks);
    return true;
}

static bool show(struct leaks *leaks)
{
    const struct report *report = leaks->report;
    enum symbol_grain grain = report->options->grain;
    struct hotspots_options how = {.grain = grain, .weight = report->weight};
    if (!hotspots_init(&leaks->hotspots, &report->selection.profile, &report->selection.frames,
                       &how))
        return false;
    while (leaks->hotspots.count > 0 &&
           leaks->hotspots.sites[leaks->hotspots.count - 1].weight == 0)
        leaks->hotspots.count--; /* of these, nothing is left */
    leaks->has_times = report->input.model->kind == MODEL_OBJECTS;
    bool done = !leaks->has_times || sites_init(&leaks->sites, &report->matcher, &report->filter,
                                                grain, report->options->no_inlines);
    if (done) {
        done = print(leaks);
        sites_release(&leaks->sites);
    }
    hotspots_release(&leaks->hotspots);
    return done;
}

static int report_with_suppressions(const struct options *options, const struct report *report)
{
    struct leaks leaks = {.options = options, .report = report};
    int status;
    if (!suppressions_sum(&options->suppressions, report->input.model, &report->what,
                          &leaks.suppressed, &status))
        return status;
    if (!show(&leaks)) {
        cli_fail_memory(&status);
        return status;
    }
    suppressions_tell(&options->suppressions, report->input.subject, report->input.model,
                      &report->what, report->weight, &leaks.suppressed);
    return report_status(report);
}

int cmd_leaks(int argc, char **argv)
{
    struct options options = {
        .report = question_many(), .callers = CALLERS_SHOWN, .suppressions.takes_own = true};
    struct report report;
    int status = CLI_DONE;
    options.report.grain = GRAIN_LINE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    options.report.by_site = true;
    options.report.hides_suppressed = !options.suppressions.path;
    if (suppressions_add(&options.suppressions, &options.report.filter, &status) &&
        report_open(&report, &options.report, &status)) {
        status = report_with_suppressions(&options, &report);
        report_close(&report);
    }
    suppressions_release(&options.suppressions);
    question_release(&options.report);
    return status;
}
