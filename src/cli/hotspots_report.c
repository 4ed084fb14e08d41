#include "cli/hotspots_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/units.h"
#include "export/range_json.h"
#include "cli/report.h"
#include "render/table.h"
#include "export/csv.h"
#include "export/json.h"

enum { PLACE_BYTES = 64, WIDE_COLUMNS = 100 };

/* ---- What all of them need ----------------------------------------------------------- */

static size_t site_count(const struct hotspots_report *report)
{
    size_t count = report->hotspots->count;
    return report->top < count ? report->top : count;
}

/* The callers of a site that the report shows; `*callers` is to be freed. */
static bool shown_callers(const struct hotspots_report *report, size_t site,
                          struct hotspot_caller **callers, size_t *count)
{
    size_t all, kept = 0;
    *callers = NULL;
    *count = 0;
    if (report->callers == 0)
        return true;
    if (!hotspots_callers(report->hotspots, site, callers, &all))
        return false;
    for (size_t i = 0; i < all && kept < report->callers; i++)
        if (report->all_callers ||
            hotspot_caller_is_telling(&report->hotspots->sites[site], &(*callers)[i]))
            (*callers)[kept++] = (*callers)[i];
    *count = kept;
    return true;
}

static double bytes_of(const struct hotspots_report *report, const struct stack_tally *tally)
{
    return stack_tally_bytes(tally, report->estimate);
}

static double objects_of(const struct hotspots_report *report, const struct stack_tally *tally)
{
    return stack_tally_objects(tally, report->estimate);
}

/* ---- Text ---------------------------------------------------------------------------- */

/* The figures of one row as text. */
struct figures {
    char bytes[UNITS_TEXT_BYTES], share[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES];
    char samples[UNITS_TEXT_BYTES];
};

static void fill_figures(struct figures *figures, const struct hotspots_report *report,
                         const struct stack_tally *tally, double share)
{
    if (report->options->weight == WEIGHT_VALUE)
        units_value(figures->bytes, tally->value, report->hotspots->measure.unit);
    else
        units_bytes(figures->bytes, bytes_of(report, tally));
    units_count(figures->objects, objects_of(report, tally));
    snprintf(figures->samples, sizeof figures->samples, "%" PRIu64, tally->samples);
    snprintf(figures->share, sizeof figures->share, "%.1f %%", 100 * share);
}

/* "map.ml:115:12-67", with "..." where there are more; malloc'ed. */
static char *place_text(const struct hotspot *site)
{
    const struct symbol *at = &site->places[0].symbol;
    const char *file = at->file ? at->file : "";
    char numbers[PLACE_BYTES] = "";
    size_t size = strlen(file) + sizeof numbers;
    char *text = malloc(size);
    if (at->line > 0 && (at->start_char > 0 || at->end_char > 0))
        snprintf(numbers, sizeof numbers, ":%" PRIu32 ":%" PRIu32 "-%" PRIu32, at->line,
                 at->start_char, at->end_char);
    else if (at->line > 0)
        snprintf(numbers, sizeof numbers, ":%" PRIu32, at->line);
    if (text)
        snprintf(text, size, "%s%s%s", file, numbers, site->place_count > 1 ? " ..." : "");
    return text;
}

/* Which figures there is room for. */
enum width { WIDTH_VALUE, WIDTH_NARROW, WIDTH_WIDE };

enum { NO_ROW = -1 };

/* Below the row `above`, or NO_ROW for a site. */
static bool add_row(struct table *table, enum width width, long above,
                    const struct figures *figures, const char *name, const char *place)
{
    const char *value_texts[] = {figures->bytes, figures->share, name, place};
    const char *narrow_texts[] = {figures->bytes, figures->share, figures->objects, name, place};
    const char *wide_texts[] = {figures->bytes,   figures->share, figures->objects,
                                figures->samples, name,           place};
    const char *const *texts = width == WIDTH_WIDE     ? wide_texts
                               : width == WIDTH_NARROW ? narrow_texts
                                                       : value_texts;
    return above == NO_ROW ? table_add(table, texts) : table_add_under(table, (size_t)above, texts);
}

/* The table's last row is the site's.  A caller stands below the one that it always comes through. */
static bool add_callers(struct table *table, enum width width, const struct hotspots_report *report,
                        size_t site)
{
    struct hotspot_caller *callers;
    struct figures figures;
    size_t count, first = table_rows(table);
    bool done = shown_callers(report, site, &callers, &count);
    size_t *through = done ? malloc((count + 1) * sizeof *through) : NULL;
    done = through && hotspots_chains(report->hotspots, site, callers, count, through);
    for (size_t i = 0; done && i < count; i++) {
        const struct symbol *symbol = &callers[i].symbol;
        long above = (long)(through[i] == HOTSPOT_NO_CALLER ? first - 1 : first + through[i]);
        fill_figures(&figures, report, &callers[i].tally, callers[i].share);
        done = add_row(table, width, above, &figures, symbol_name(symbol),
                       symbol->function && symbol->file ? symbol->file : "");
    }
    free(through);
    free(callers);
    return done;
}

static bool fill_table(struct table *table, enum width width, const struct hotspots_report *report)
{
    struct figures figures;
    bool done = true;
    for (size_t i = 0; done && i < site_count(report); i++) {
        const struct hotspot *site = &report->hotspots->sites[i];
        char *place = site->symbol.function ? place_text(site) : NULL;
        fill_figures(&figures, report, &site->tally, site->share);
        done = add_row(table, width, NO_ROW, &figures, symbol_name(&site->symbol),
                       place ? place : "") &&
               add_callers(table, width, report, i);
        free(place);
    }
    return done;
}

/* What has become of a trace's blocks that are told of. */
static const char *fate_of(const char *sample)
{
    return strncmp(sample, "inuse", 5) == 0       ? "alive at the end"
           : strncmp(sample, "promoted", 8) == 0  ? "promoted"
           : strncmp(sample, "collected", 9) == 0 ? "collected"
                                                  : "allocated";
}

/* Exact figures say nothing of samples. */
static void print_total(const struct hotspots_report *report, const struct figures *figures)
{
    printf("%s: %s %s in %s objects", plain(report->trace_name), figures->bytes,
           fate_of(report->sample), figures->objects);
    if (report->estimate->sample_rate < 1)
        printf(", by %s samples", figures->samples);
    puts(report->complete ? "" : ", up to where it ends early");
}

static void print_heading(const struct hotspots_report *report)
{
    const struct hotspots *hotspots = report->hotspots;
    static const char *const sites[] = {"places", "files", "functions", "lines", "places"};
    static const char *const what[] = {"bytes", "samples", "objects"};
    bool is_value = report->options->weight == WEIGHT_VALUE;
    struct figures figures;
    double share = 0;
    fill_figures(&figures, report, &hotspots->total, 1);
    for (size_t i = 0; i < site_count(report); i++)
        share += hotspots->sites[i].share;
    if (is_value)
        printf("%s: %s of %s\n", plain(report->trace_name), figures.bytes,
               plain(hotspots->measure.type));
    else
        print_total(report, &figures);
    if (*report->filter)
        printf("Filter: %s\n", plain(report->filter));
    if (hotspots->count > 0)
        printf("%zu of %zu %s, %.1f %% of all %s%s%s\n\n", site_count(report), hotspots->count,
               sites[report->options->grain], 100 * share,
               is_value ? "of it" : what[report->options->weight],
               report->callers > 0 ? "; callers below" : "",
               report->hides_allocators ? REPORT_ALLOCATORS_HIDDEN : "");
}

bool hotspots_print_text(const struct hotspots_report *report)
{
    static const struct table_column bytes = {"BYTES", .right = true};
    static const struct table_column share = {"SHARE", .right = true};
    static const struct table_column objects = {"OBJECTS", .right = true};
    static const struct table_column samples = {"SAMPLES", .right = true};
    bool by_file = report->options->grain == GRAIN_FILE;
    int width = table_width();
    bool is_value = report->options->weight == WEIGHT_VALUE;
    enum width shown = is_value                              ? WIDTH_VALUE
                       : width == 0 || width >= WIDE_COLUMNS ? WIDTH_WIDE
                                                             : WIDTH_NARROW;
    struct table_column name = {
        .title = by_file ? "FILE" : "FUNCTION", .may_shrink = true, .keep_end = true, .tree = true};
    struct table_column place = {
        .title = by_file ? "" : "PLACE", .may_shrink = true, .keep_end = true};
    struct table_column value = {"VALUE", .right = true};
    struct table_column value_columns[] = {value, share, name, place};
    struct table_column narrow_columns[] = {bytes, share, objects, name, place};
    struct table_column wide_columns[] = {bytes, share, objects, samples, name, place};
    struct table table;
    print_heading(report);
    if (report->hotspots->count == 0)
        return true;
    if (!table_init(&table,
                    is_value              ? value_columns
                    : shown == WIDTH_WIDE ? wide_columns
                                          : narrow_columns,
                    is_value              ? 4
                    : shown == WIDTH_WIDE ? 6
                                          : 5))
        return false;
    bool done = fill_table(&table, shown, report);
    if (done)
        table_print(&table);
    table_release(&table);
    return done;
}

/* ---- JSON ---------------------------------------------------------------------------- */

static void put_symbol(struct json *json, const struct symbol *symbol)
{
    if (symbol->function)
        json_put_string(json, "function", symbol->function);
    json_put_string(json, "file", symbol->file);
    if (symbol->line > 0)
        json_put_uint(json, "line", symbol->line);
}

static void put_figures(struct json *json, const struct hotspots_report *report,
                        const struct stack_tally *tally)
{
    if (report->options->weight == WEIGHT_VALUE) {
        json_put_double(json, "value", tally->value);
        json_put_uint(json, "samples", tally->samples);
        return;
    }
    json_put_double(json, "bytes", bytes_of(report, tally));
    json_put_uint(json, "samples", tally->samples);
    json_put_uint(json, "sampled_objects", tally->events);
    json_put_double(json, "objects", objects_of(report, tally));
}

static void put_places(struct json *json, const struct hotspots_report *report,
                       const struct hotspot *site)
{
    json_key(json, "places");
    json_array(json);
    for (size_t i = 0; i < site->place_count; i++) {
        const struct symbol *at = &site->places[i].symbol;
        json_object(json);
        if (!site->symbol.function)
            json_put_string(json, "function", at->function);
        json_put_uint(json, "line", at->line);
        json_put_uint(json, "start_char", at->start_char);
        json_put_uint(json, "end_char", at->end_char);
        put_figures(json, report, &site->places[i].tally);
        json_end(json);
    }
    json_end(json);
}

static bool put_callers(struct json *json, const struct hotspots_report *report, size_t site)
{
    struct hotspot_caller *callers;
    size_t count;
    if (!shown_callers(report, site, &callers, &count))
        return false;
    json_key(json, "callers");
    json_array(json);
    for (size_t i = 0; i < count; i++) {
        json_object(json);
        put_symbol(json, &callers[i].symbol);
        put_figures(json, report, &callers[i].tally);
        json_put_double(json, "share_of_site", callers[i].share);
        json_put_double(json, "share_of_caller", callers[i].own_share);
        json_put_double(json, "distance", callers[i].distance);
        json_end(json);
    }
    json_end(json);
    free(callers);
    return true;
}

bool hotspots_print_json(const struct hotspots_report *report)
{
    static const char *const weights[] = {"bytes", "samples", "objects", "value"};
    static const char *const grains[] = {"name", "file", "function", "line", "place"};
    const struct hotspots *hotspots = report->hotspots;
    struct json json;
    bool done = true;
    json_init(&json, stdout);
    json_object(&json);
    json_put_string(&json, "trace", report->trace_name);
    if (report->info) {
        json_put_string(&json, "executable", report->info->executable);
        json_put_uint(&json, "pid", report->info->pid);
        json_put_double(&json, "sample_rate", report->info->sample_rate);
        json_put_string(&json, "sample_type", report->sample);
    } else {
        json_put_string(&json, "sample_type", hotspots->measure.type);
        json_put_string(&json, "unit", hotspots->measure.unit);
    }
    json_put_string(&json, "filter", report->filter);
    json_put_bool(&json, "complete", report->complete);
    json_put_string(&json, "by", weights[report->options->weight]);
    json_put_string(&json, "granularity", grains[report->options->grain]);
    json_key(&json, "total");
    json_object(&json);
    put_figures(&json, report, &hotspots->total);
    if (report->options->weight != WEIGHT_VALUE) {
        range_json_put(&json, "bytes_",
                       stack_tally_bytes_range(&hotspots->total, report->estimate));
        range_json_put(&json, "objects_",
                       stack_tally_objects_range(&hotspots->total, report->estimate));
    }
    json_end(&json);
    json_put_uint(&json, "site_count", hotspots->count);
    json_key(&json, "sites");
    json_array(&json);
    for (size_t i = 0; done && i < site_count(report); i++) {
        json_object(&json);
        put_symbol(&json, &hotspots->sites[i].symbol);
        put_figures(&json, report, &hotspots->sites[i].tally);
        json_put_double(&json, "share", hotspots->sites[i].share);
        put_places(&json, report, &hotspots->sites[i]);
        done = put_callers(&json, report, i);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    return done;
}

/* ---- CSV ----------------------------------------------------------------------------- */

static void put_row(struct csv *csv, const struct hotspots_report *report, size_t rank,
                    const char *kind, const struct symbol *symbol, const struct symbol *place,
                    const struct stack_tally *tally, double share)
{
    csv_uint(csv, rank);
    csv_text(csv, kind);
    csv_text(csv, symbol->function);
    csv_text(csv, symbol->file);
    for (int i = 0; i < 3; i++) {
        if (place)
            csv_uint(csv, i == 0 ? place->line : i == 1 ? place->start_char : place->end_char);
        else
            csv_text(csv, NULL);
    }
    if (report->options->weight == WEIGHT_VALUE) {
        csv_double(csv, tally->value, 0);
        csv_uint(csv, tally->samples);
    } else {
        csv_double(csv, bytes_of(report, tally), 1);
        csv_uint(csv, tally->samples);
        csv_uint(csv, tally->events);
        csv_double(csv, objects_of(report, tally), 3);
    }
    csv_double(csv, share, 6);
    csv_end_row(csv);
}

bool hotspots_print_csv(const struct hotspots_report *report)
{
    struct csv csv;
    bool done = true;
    puts(report->options->weight == WEIGHT_VALUE
             ? "rank,kind,function,file,line,start_char,end_char,value,samples,share"
             : "rank,kind,function,file,line,start_char,end_char,bytes,samples,sampled_objects,"
               "objects,share");
    csv_init(&csv, stdout);
    for (size_t i = 0; done && i < site_count(report); i++) {
        const struct hotspot *site = &report->hotspots->sites[i];
        struct hotspot_caller *callers;
        size_t count;
        put_row(&csv, report, i + 1, "site", &site->symbol,
                site->symbol.function ? &site->places[0].symbol : NULL, &site->tally, site->share);
        done = shown_callers(report, i, &callers, &count);
        for (size_t k = 0; done && k < count; k++)
            put_row(&csv, report, i + 1, "caller", &callers[k].symbol, NULL, &callers[k].tally,
                    callers[k].share);
        free(callers);
    }
    return done;
}
