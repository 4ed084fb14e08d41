/* Fields stand between " || ".  On a terminal they are padded to columns and long file names lose
 * their beginning; elsewhere a line is what it is, for programs to split. */
#include "cli/memtracer/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/guest_tree.h"
#include "base/array.h"
#include "base/units.h"
#include "base/plain.h"
#include "profile/range_text.h"
#include "render/table.h"

enum { CELL_BYTES = 48, COLUMNS_MAX = 12, LEAST_LOCATION = 15 };

/* ---- Quantities ------------------------------------------------------------------- */

static const char *count_text(char *text, double count)
{
    snprintf(text, CELL_BYTES, "%.0f", count);
    return text;
}

/* Bytes that were allocated meanwhile, on average. */
static const char *age_text(char *text, double sum, double blocks)
{
    return blocks > 0 ? units_size(text, sum / blocks) : "-";
}

/* ---- Lines ------------------------------------------------------------------------ */

/* Cells of all lines, row by row; the first is the location. */
struct lines {
    char **cells;
    size_t count, capacity;
    int columns;
    bool sampled; /* there is a column of samples */
    bool failed;
};

static void add_cell(struct lines *lines, const char *text)
{
    char *copy = strdup(plain(text));
    if (!copy || !ARRAY_RESERVE(&lines->cells, &lines->capacity, lines->count + 1)) {
        free(copy);
        lines->failed = true;
        return;
    }
    lines->cells[lines->count++] = copy;
}

static void lines_release(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->cells[i]);
    free(lines->cells);
}

/* Characters of UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

/* The cell with its beginning cut, so that it has `width` characters. */
static void put_end(FILE *to, const char *text, size_t width)
{
    size_t skip = width_of(text) - width + 1;
    for (; skip > 0 && *text; skip--)
        for (text++; (*text & 0xc0) == 0x80; text++)
            ;
    fprintf(to, "…%s", text);
}

static void put_cell(FILE *to, const char *text, size_t width, bool right)
{
    size_t own = width_of(text);
    if (own > width) {
        put_end(to, text, width);
        return;
    }
    if (right)
        fprintf(to, "%*s", (int)(width - own), "");
    fputs(text, to);
    if (!right)
        fprintf(to, "%*s", (int)(width - own), "");
}

static void put_plain(FILE *to, const struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        fprintf(to, "%s%s", lines->cells[i], (i + 1) % (size_t)lines->columns ? " || " : "\n");
}

/* Columns between the first and the last are numbers. */
static void put_padded(FILE *to, const struct lines *lines, int terminal)
{
    size_t width[COLUMNS_MAX] = {0}, all = 4 * ((size_t)lines->columns - 1);
    for (size_t i = 0; i < lines->count; i++) {
        size_t own = width_of(lines->cells[i]), *column = &width[i % (size_t)lines->columns];
        if (own > *column)
            *column = own;
    }
    for (int i = 0; i < lines->columns; i++)
        all += width[i];
    if (terminal > 0 && all > (size_t)terminal) {
        size_t over = all - (size_t)terminal;
        width[0] = width[0] > over + LEAST_LOCATION ? width[0] - over
                   : width[0] < LEAST_LOCATION      ? width[0]
                                                    : LEAST_LOCATION;
    }
    for (size_t i = 0; i < lines->count; i++) {
        int column = (int)(i % (size_t)lines->columns);
        bool last = column == lines->columns - 1;
        if (last)
            fprintf(to, "%s\n", lines->cells[i]);
        else {
            put_cell(to, lines->cells[i], width[column], column > 0);
            fputs(" || ", to);
        }
    }
}

static bool lines_print(FILE *to, struct lines *lines)
{
    bool done = !lines->failed;
    if (done && isatty(fileno(to)))
        put_padded(to, lines, to == stdout ? table_width() : 0);
    else if (done)
        put_plain(to, lines);
    lines_release(lines);
    return done;
}

/* ---- Places ----------------------------------------------------------------------- */

/* Code that is no file's is named by its text or in words: [string "/x/m.lua"], <no GIL>. */
static const char *base_of(const char *path)
{
    const char *slash = *path == '[' || *path == '<' ? NULL : strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "queens.lox:42": the file as the program knows it, without its folders unless `whole`. */
static char *place_text(const struct guest_site *site, bool whole)
{
    char *text;
    if (!site->file)
        return strdup("(no location)");
    const char *file = whole ? site->file : base_of(site->file);
    int length =
        site->line ? asprintf(&text, "%s:%u", file, site->line) : asprintf(&text, "%s", file);
    return length < 0 ? NULL : text;
}

static const char *function_text(const struct guest_site *site)
{
    return site->function ? site->function : site->file ? "(main)" : "(no location)";
}

static const char *type_text(const struct guest_profile *profile, uint32_t type)
{
    return profile->types[type] ? profile->types[type] : "(untyped)";
}

/* ---- The table -------------------------------------------------------------------- */

static bool is_sampled(const struct guest_profile *profile)
{
    return profile->heap_count && profile->heaps[0].rate < 1;
}

/* What is estimated is followed by the samples that it rests on. */
static void add_head(struct lines *lines, const struct guest_profile *profile,
                     const char *const *titles, int count)
{
    lines->sampled = is_sampled(profile);
    lines->columns = count + lines->sampled;
    for (int i = 0; i < count; i++) {
        add_cell(lines, titles[i]);
        if (lines->sampled &&
            (strcmp(titles[i], "Size") == 0 || strcmp(titles[i], "Total Size") == 0))
            add_cell(lines, "Samples");
    }
}

/* A size, and its samples. */
static void add_bytes(struct lines *lines, const struct guest_tally *tally)
{
    char text[CELL_BYTES];
    add_cell(lines, units_size(text, tally->bytes));
    if (lines->sampled)
        add_cell(lines, count_text(text, tally->samples));
}

static void add_wide_cells(struct lines *lines, const struct guest_tally *tally)
{
    char text[CELL_BYTES];
    add_cell(lines, count_text(text, tally->live));
    add_cell(lines, units_size(text, tally->live_bytes));
    add_cell(lines, units_size(text, tally->peak_bytes));
    add_cell(lines, count_text(text, tally->resized));
    add_cell(lines, count_text(text, tally->promoted));
    add_cell(lines, count_text(text, tally->temporary));
    add_cell(lines, age_text(text, tally->age_sum, tally->freed));
}

static void add_tally(struct lines *lines, const struct guest_tally *tally, bool wide)
{
    char text[CELL_BYTES];
    add_cell(lines, count_text(text, tally->allocated));
    add_bytes(lines, tally);
    if (wide)
        add_wide_cells(lines, tally);
}

static void add_place(struct lines *lines, const struct guest_site *site)
{
    char *text = place_text(site, false);
    if (text)
        add_cell(lines, text);
    else
        lines->failed = true;
    free(text);
}

/* Two blanks a level; what is deeper than anybody can read goes no further to the right. */
static int indentation(uint32_t level)
{
    enum { LEVELS_MAX = 100 };
    return 2 * (int)(level < LEVELS_MAX ? level : LEVELS_MAX);
}

/* The callers of a row, indented below it. */
static void add_callers(struct lines *lines, const struct guest_profile *profile,
                        const struct guest_tree *tree, bool wide)
{
    for (uint32_t at = 0; (at = guest_tree_next(tree, at)) && !lines->failed;) {
        const struct guest_tree_node *it = &tree->nodes[at];
        const struct guest_site *site = &profile->sites[it->site];
        char *place = place_text(site, false), *text = NULL;
        if (!place || asprintf(&text, "%*sfrom %s", indentation(it->depth), "", place) < 0) {
            free(place);
            lines->failed = true;
            return;
        }
        add_cell(lines, text);
        add_tally(lines, &it->total, wide);
        add_cell(lines, function_text(site));
        free(place);
        free(text);
    }
}

static bool print_table(FILE *to, const struct guest_profile *profile,
                        const struct memtracer_settings *settings, const struct guest_table *table)
{
    static const char *const titles[] = {"Source Location", "Count", "Size", "Type"};
    static const char *const wide_titles[] = {"Source Location", "Count", "Size",    "Live",
                                              "Live Size",       "Peak",  "Resized", "Promoted",
                                              "Temporary",       "Age",   "Type"};
    struct lines lines = {0};
    if (settings->wide)
        add_head(&lines, profile, wide_titles, 11);
    else
        add_head(&lines, profile, titles, 4);
    for (size_t i = 0; i < table->count && !lines.failed; i++) {
        const struct guest_table_row *row = &table->rows[i];
        struct guest_tree tree;
        add_place(&lines, &profile->sites[row->site]);
        add_tally(&lines, &row->self, settings->wide);
        add_cell(&lines, type_text(profile, row->type));
        if (!settings->stacks || !profile->stacks)
            continue;
        if (!guest_tree_callers(&tree, profile, &settings->filter, row, settings->stack_limit)) {
            lines.failed = true;
            break;
        }
        add_callers(&lines, profile, &tree, settings->wide);
        guest_tree_release(&tree);
    }
    return lines_print(to, &lines);
}

/* ---- The others ------------------------------------------------------------------- */

static bool print_histogram(FILE *to, const struct guest_profile *profile,
                            const struct guest_table *table)
{
    static const char *const titles[] = {"Name",        "Self Count", "Self Size",
                                         "Total Count", "Total Size", "Location"};
    struct lines lines = {0};
    char text[CELL_BYTES];
    add_head(&lines, profile, titles, 6);
    for (size_t i = 0; i < table->count; i++) {
        const struct guest_table_row *row = &table->rows[i];
        const struct guest_site *site = &profile->sites[row->site];
        add_cell(&lines, function_text(site));
        add_cell(&lines, count_text(text, row->self.allocated));
        add_cell(&lines, units_size(text, row->self.bytes));
        add_cell(&lines, count_text(text, row->total.allocated));
        add_bytes(&lines, &row->total);
        add_cell(&lines, site->file ? base_of(site->file) : "(no location)");
    }
    return lines_print(to, &lines);
}

static bool print_types(FILE *to, const struct guest_profile *profile,
                        const struct memtracer_settings *settings, const struct guest_table *table)
{
    static const char *const titles[] = {"Type", "Count", "Size", "Live Size"};
    struct lines lines = {0};
    char text[CELL_BYTES];
    add_head(&lines, profile, titles, 4);
    for (size_t i = 0; i < table->count; i++) {
        const struct guest_table_row *row = &table->rows[i];
        add_cell(&lines, type_text(profile, row->type));
        add_tally(&lines, &row->self, false);
        add_cell(&lines, units_size(text, row->self.live_bytes));
    }
    (void)settings;
    return lines_print(to, &lines);
}

static void add_calls(struct lines *lines, const struct guest_profile *profile,
                      const struct guest_tree *tree)
{
    char text[CELL_BYTES];
    for (uint32_t at = 0; (at = guest_tree_next(tree, at)) && !lines->failed;) {
        const struct guest_tree_node *it = &tree->nodes[at];
        const struct guest_site *site = &profile->sites[it->site];
        char *name;
        if (asprintf(&name, "%*s%s", indentation(it->depth - 1), "", function_text(site)) < 0) {
            lines->failed = true;
            return;
        }
        add_cell(lines, name);
        free(name);
        add_cell(lines, count_text(text, it->total.allocated));
        add_bytes(lines, &it->total);
        add_cell(lines, count_text(text, it->self.allocated));
        add_place(lines, site);
    }
}

static bool print_calls(FILE *to, const struct guest_profile *profile,
                        const struct memtracer_settings *settings)
{
    static const char *const titles[] = {"Name", "Total Count", "Total Size", "Self Count",
                                         "Location"};
    struct guest_tree tree;
    struct lines lines = {0};
    if (!guest_tree_calls(&tree, profile, &settings->filter, settings->stack_limit))
        return false;
    add_head(&lines, profile, titles, 5);
    add_calls(&lines, profile, &tree);
    guest_tree_release(&tree);
    return lines_print(to, &lines);
}

/* ---- What stands around ----------------------------------------------------------- */

static void print_accounting(FILE *to, const struct guest_accounting *it)
{
    char text[CELL_BYTES];
    if (it->hidden_rows)
        fprintf(to, "hidden: %zu row%s, %.0f allocation%s, %s\n", it->hidden_rows,
                it->hidden_rows == 1 ? "" : "s", it->hidden, it->hidden == 1 ? "" : "s",
                units_size(text, it->hidden_bytes));
    if (it->hidden_rows || it->no_place > 0 || it->untyped > 0)
        fprintf(to,
                "accounted: %.0f shown + %.0f hidden + %.0f without location + %.0f untyped = "
                "%.0f\n",
                it->shown, it->hidden, it->no_place, it->untyped, it->recorded);
}

static double rate_of(const struct guest_profile *profile)
{
    return profile->heap_count ? profile->heaps[0].rate : 1;
}

/* Behind an estimate of so many samples. */
static const char *bounds(char text[RANGE_TEXT_BYTES], const struct guest_profile *profile,
                          double samples)
{
    struct heaptap_trace_info info = {.sample_rate = rate_of(profile), .word_bits = 8};
    struct estimate estimate = estimate_of(&info);
    struct estimate_sum sum = estimate_bytes_sum(&estimate, samples);
    struct estimate_range range = estimate_range(&sum, estimate.sample_rate);
    return range_text(text, &range, units_size);
}

static void print_sums(FILE *to, const struct guest_profile *profile,
                       const struct guest_table *table)
{
    char bytes[CELL_BYTES], live[CELL_BYTES], peak[CELL_BYTES], ranges[2][RANGE_TEXT_BYTES];
    double before = 0, lost = 0, peak_bytes = 0;
    for (size_t i = 0; i < profile->heap_count; i++) {
        before += profile->heaps[i].before_bytes;
        lost += profile->heaps[i].lost_samples;
        peak_bytes += profile->heaps[i].peak_bytes;
    }
    fprintf(to, "allocated: %s%s; retained at the end: %s%s in %.0f; peak: %s\n",
            units_size(bytes, table->sum.bytes), bounds(ranges[0], profile, table->sum.samples),
            units_size(live, table->sum.live_bytes),
            bounds(ranges[1], profile, table->sum.live_bytes * rate_of(profile)), table->sum.live,
            units_size(peak, peak_bytes));
    if (table->sum.start_allocated > 0)
        fprintf(to, "of these, by the start of %s: %.0f allocations, %s\n",
                profile->heaps[0].language, table->sum.start_allocated,
                units_size(bytes, table->sum.start_bytes));
    if (before > 0)
        fprintf(to, "before the watching began: %s\n", units_size(bytes, before));
    if (lost > 0)
        fprintf(to, "dropped for lack of memory: %s of samples\n", units_size(bytes, lost));
}

static void print_footer(FILE *to, const struct guest_profile *profile,
                         const struct guest_table *table)
{
    fputc('\n', to);
    print_accounting(to, &table->accounting);
    print_sums(to, profile, table);
    if (is_sampled(profile))
        fprintf(
            to,
            "estimated from %.0f samples, %g a word of 8 bytes; peaks are the highest points of "
            "estimates, and rather too high\n",
            table->sum.samples, 8 * profile->heaps[0].rate);
    for (size_t i = 0; i < profile->note_count; i++)
        fprintf(to, "note: %s\n", plain(profile->notes[i]));
}

bool memtracer_print(FILE *to, const struct guest_profile *profile,
                     const struct memtracer_settings *settings)
{
    static const enum guest_grouping groupings[] = {[MEMTRACER_HISTOGRAM] = GUEST_BY_FUNCTION,
                                                    [MEMTRACER_TYPE_HISTOGRAM] = GUEST_BY_TYPE,
                                                    [MEMTRACER_CALL_TREE] = GUEST_BY_LINE};
    struct guest_table table;
    bool done;
    if (!guest_table_make(&table, profile, groupings[settings->format], &settings->filter))
        return false;
    fprintf(to, "Memory Tracer. Recorded %.0f allocations.\n\n", table.accounting.recorded);
    switch (settings->format) {
    case MEMTRACER_HISTOGRAM:
        done = print_histogram(to, profile, &table);
        break;
    case MEMTRACER_TYPE_HISTOGRAM:
        done = print_types(to, profile, settings, &table);
        break;
    case MEMTRACER_CALL_TREE:
        done = print_calls(to, profile, settings);
        break;
    default:
        done = print_table(to, profile, settings, &table);
        break;
    }
    print_footer(to, profile, &table);
    guest_table_release(&table);
    return done;
}
