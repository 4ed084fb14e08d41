#include "report/holders/holders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/cut.h"
#include "base/amount.h"
#include "base/error.h"
#include "base/path.h"
#include "base/plain.h"
#include "base/text.h"
#include "base/units.h"
#include "report/head.h"
#include "report/holders/holders_parts.h"

enum { SITES_SHOWN = 20 };

/* ---- Options ------------------------------------------------------------------------- */

const struct holders_question holders_usual = {.paths = 3, .roots = 10};
_Static_assert(sizeof(struct holders_question) <= QUESTION_OWN_BYTES, "room for it");

const struct question_option holders_options[] = {
    {"node-count", 'n', OPTION_NUMBER, 0, "N", "Show N places at most (20); 0 for all",
     offsetof(struct question, node_count)},
    {"paths", 0, OPTION_NUMBER, PART_OWN, "N", "Show N ways to each place at most (3); 0 for none",
     offsetof(struct holders_question, paths)},
    {"roots", 0, OPTION_NUMBER, PART_OWN, "N", "Show N roots at most (10); 0 for none",
     offsetof(struct holders_question, roots)},
    {"snapshot", 0, OPTION_TEXT, PART_OWN, "N|TIME",
     "Show the Nth snapshot, or the last one before TIME, such as 10s (the last of all)",
     offsetof(struct holders_question, snapshot)},
    {NULL},
};

/* ---- Which snapshot ------------------------------------------------------------------ */

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == 0;
}

bool holders_check(struct question *question, struct heaptap_error *error)
{
    const char *snapshot = ((const struct holders_question *)(const void *)question->own)->snapshot;
    double us;
    if (!snapshot || is_number(snapshot) || amount_duration(snapshot, &us))
        return true;
    return error_set(error, HEAPTAP_BAD_ARGUMENT,
                     "--snapshot takes a number from 1 on, or a time such as 10s, not '%s'",
                     snapshot),
           false;
}

/* The index of the one that is asked for; their count where there is none. */
static size_t asked_snapshot(const struct report *report)
{
    const struct model_holders *holders = report->input.model->holders;
    const struct holders_question *question = (const void *)report->options->own;
    double us;
    if (!question->snapshot)
        return holders->count - 1;
    if (is_number(question->snapshot)) {
        unsigned long long number = strtoull(question->snapshot, NULL, 10);
        return number > 0 && number <= holders->count ? (size_t)number - 1 : holders->count;
    }
    size_t found = holders->count;
    amount_duration(question->snapshot, &us);
    for (size_t i = 0; i < holders->count; i++)
        if ((double)holders->snapshots[i].time_us <= us)
            found = i;
    return found;
}

static const char *why_none(const struct model *model)
{
    if (!model->asked_holders)
        return "what holds its blocks was not recorded; `heaptap record --holders` does that";
    if (model->process_count > 1)
        return "what holds blocks is known of each trace by itself: ask for one of them";
    return "--holders was given, but it has no snapshot: the program still runs, was killed, executed another, has an allocator other "
           "than glibc's, or could not be copied";
}

const char *holders_refuse(const struct report *report)
{
    const struct model *model = report->input.model;
    if (model->kind != MODEL_OBJECTS || !model->holders)
        return why_none(model);
    if (asked_snapshot(report) == model->holders->count)
        return "it has no such snapshot: --snapshot takes their number from 1 on, or a time after the first";
    if (report->matcher.shape_passes || matcher_is_of_lives(&report->matcher))
        return "what holds blocks is known by the stacks that allocate them: clauses about sizes, times or threads choose nothing "
               "here";
    return NULL;
}

static const struct symbol *symbol_of(const struct holders *holders, uint32_t site)
{
    return &holders->sites.symbols.items[holders->sites.sites[site].symbol];
}

/* ---- A way as a text ----------------------------------------------------------------- */

static void put_place(struct text *text, const char *file, uint64_t line)
{
    text_put_string(text, path_file(file));
    text_put_char(text, ':');
    text_put_uint(text, line, 1);
}

/* "book (global, shop.cpp:8)" */
static void put_root(struct text *text, const struct holders_root *root)
{
    const char *name = holders_root_name(root);
    if (!*name) {
        text_put_string(text, root->kind == HOLDERS_LOST      ? HOLDERS_NOTHING
                              : root->kind == HOLDERS_GARBAGE ? "nothing, not yet collected"
                                                              : root->kind_name);
        return;
    }
    text_put_string(text, name);
    text_put_string(text, " (");
    text_put_string(text, root->kind_name);
    if (*root->file) {
        text_put_string(text, ", ");
        put_place(text, root->file, root->line);
    }
    text_put_char(text, ')');
}

/* "std::map node (fill, shop.cpp:20)", "fill (shop.cpp:20)" */
static void put_step(struct text *text, const struct holders *holders,
                     const struct holder_step *step)
{
    const struct symbol *symbol = symbol_of(holders, step->site);
    const char *type = step->type;
    bool has_place = symbol->file && symbol->line > 0 && symbol->function;
    if (*step->name) {
        text_put_string(text, step->name);
        text_put_char(text, ' ');
    }
    text_put_string(text, type ? type : symbol_name(symbol));
    bool is_known = has_place || !symbol->function || *symbol->function != '('; /* (no location) */
    if (!is_known || (!type && !has_place))
        return;
    text_put_string(text, " (");
    if (type)
        text_put_string(text, symbol_name(symbol));
    if (type && has_place)
        text_put_string(text, ", ");
    if (has_place)
        put_place(text, symbol->file, symbol->line);
    text_put_char(text, ')');
}

static void put_way(struct text *text, const struct holders *holders,
                    const struct holder_step *step)
{
    if (step->parent == HOLDERS_NONE) {
        put_root(text, &holders->sites.snapshot->roots[step->root]);
        return;
    }
    put_way(text, holders, &holders->sites.steps[step->parent]);
    text_put_string(text, " -> ");
    put_step(text, holders, step);
}

/* To be freed; NULL when there is no memory. */
static char *way_text(const struct holders *holders, const struct holder_step *step)
{
    struct text text = {0};
    put_way(&text, holders, step);
    return text_take(&text);
}

/* Where people read it, both its ends, so that one long way doesn't make all rows of the table wide; unless names are asked for in full. */
static char *way_shown(char *way, const struct answer *answer, const struct question *question)
{
    enum { WAY_SHOWN = 100 };
    if (!way || !answer_is_read(answer) || question->full_names || text_width(way) <= WAY_SHOWN)
        return way;
    char *shown = cut_name(way, WAY_SHOWN);
    free(way);
    return shown;
}

const struct answer_table *const holders_tables[] = {&holders_snapshot_table,
                                                     &holders_roots_table,
                                                     &holders_sites_table,
                                                     &holders_paths_table,
                                                     &holders_steps_table,
                                                     &holders_snapshots_table,
                                                     NULL};

/* ---- Order --------------------------------------------------------------------------- */

static int compare_steps(const void *left, const void *right, void *context)
{
    const struct holder_sites *sites = context;
    const struct holder_step *a = &sites->steps[*(const uint32_t *)left];
    const struct holder_step *b = &sites->steps[*(const uint32_t *)right];
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int compare_sites(const void *left, const void *right, void *context)
{
    const struct holder_sites *sites = context;
    const struct holder_site *a = &sites->sites[*(const uint32_t *)left];
    const struct holder_site *b = &sites->sites[*(const uint32_t *)right];
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int compare_roots(const void *left, const void *right, void *context)
{
    const struct holder_root_sum *roots = ((const struct holder_sites *)context)->roots;
    const struct holder_root_sum *a = &roots[*(const uint32_t *)left];
    const struct holder_root_sum *b = &roots[*(const uint32_t *)right];
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->retained_bytes != b->retained_bytes)
        return a->retained_bytes > b->retained_bytes ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Numbers from 0 up, sorted; NULL when there is no memory. */
static uint32_t *sorted(size_t count, struct holder_sites *sites,
                        int (*compare)(const void *, const void *, void *))
{
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = (uint32_t)i;
    if (numbers)
        qsort_r(numbers, count, sizeof *numbers, compare, sites);
    return numbers;
}

static bool find_ends(struct holders *holders)
{
    struct holder_sites *sites = &holders->sites;
    holders->by_site = malloc((sites->step_count + 1) * sizeof *holders->by_site);
    if (!holders->by_site)
        return false;
    for (size_t i = 0; i < sites->step_count; i++)
        if (sites->steps[i].blocks > 0)
            holders->by_site[holders->ends++] = (uint32_t)i;
    qsort_r(holders->by_site, holders->ends, sizeof *holders->by_site, compare_steps, sites);
    return true;
}

/* ---- The answer ---------------------------------------------------------------------- */

static struct answer_section section_of(const struct holders *holders,
                                        const struct answer_table *table)
{
    return (struct answer_section){.table = table, .context = holders};
}

static void put_steps_to(struct answer *answer, const struct holders *holders,
                         const struct holder_step *step)
{
    struct step_row row = {.step = step};
    if (step->parent == HOLDERS_NONE) {
        row.root = &holders->sites.snapshot->roots[step->root];
    } else {
        put_steps_to(answer, holders, &holders->sites.steps[step->parent]);
        row.symbol = *symbol_of(holders, step->site);
        row.type = step->type;
    }
    answer_row(answer, &row);
}

static bool put_paths(struct answer *answer, const struct holders *holders, uint32_t site)
{
    const struct holder_sites *sites = &holders->sites;
    const struct holders_question *question = (const void *)holders->report->options->own;
    struct answer_section section = section_of(holders, &holders_paths_table),
                          steps = section_of(holders, &holders_steps_table);
    bool done = true;
    uint32_t at = 0;
    while (at < holders->ends && sites->steps[holders->by_site[at]].site != site)
        at++;
    answer_begin(answer, &section);
    for (long i = 0; done && i < question->paths && at < holders->ends; i++, at++) {
        const struct holder_step *step = &sites->steps[holders->by_site[at]];
        if (step->site != site)
            break;
        char *way = way_shown(way_text(holders, step), answer, holders->report->options);
        struct path_row row = {step, &sites->sites[site], way};
        done = row.text != NULL;
        if (done) {
            answer_row(answer, &row);
            answer_begin(answer, &steps);
            put_steps_to(answer, holders, step);
            answer_end(answer);
        }
        free(row.text);
    }
    answer_end(answer);
    return done;
}

static bool put_sites(struct answer *answer, const struct holders *holders, const uint32_t *order,
                      size_t shown)
{
    const struct holder_sites *sites = &holders->sites;
    struct answer_section section = section_of(holders, &holders_sites_table);
    bool done = true;
    answer_begin(answer, &section);
    for (size_t i = 0; done && i < shown; i++) {
        const struct holder_site *site = &sites->sites[order[i]];
        struct site_row row = {
            *symbol_of(holders, order[i]), site,
            sites->whole.bytes > 0 ? (double)site->bytes / (double)sites->whole.bytes : 0};
        answer_row(answer, &row);
        done = put_paths(answer, holders, order[i]);
    }
    answer_end(answer);
    return done;
}

/* Why it retains less than its bytes, where that is notable. */
static void say_shared(struct answer *answer, const struct holders *holders, uint32_t number)
{
    const double notable = 0.1;
    const struct holders_root *roots = holders->sites.snapshot->roots, *root = &roots[number];
    struct text text = {0};
    char bytes[UNITS_TEXT_BYTES];
    double whole = (double)holders->sites.roots[number].bytes;
    if (root->shared_with == HOLDERS_NONE || whole == 0 ||
        (double)root->shared_bytes < notable * whole)
        return;
    text_put_string(&text, units_bytes(bytes, (double)root->shared_bytes));
    text_put_string(&text, " of ");
    put_root(&text, root);
    text_put_string(&text, " is held by another root as well: ");
    put_root(&text, &roots[root->shared_with]);
    char *line = text_take(&text);
    if (line)
        answer_say(answer, "%s", plain(line));
    free(line);
}

/* Moves those that are shown to the front, and returns how many they are. */
static size_t choose_roots(const struct holders *holders, uint32_t *order)
{
    const struct holder_sites *sites = &holders->sites;
    const struct holders_question *question = (const void *)holders->report->options->own;
    size_t shown = 0;
    for (size_t i = 0; i < sites->snapshot->root_count && (long)shown < question->roots; i++) {
        const struct holder_root_sum *sum = &sites->roots[order[i]];
        if (sum->bytes + sum->retained_bytes > 0 &&
            sites->snapshot->roots[order[i]].kind != HOLDERS_SEVERAL)
            order[shown++] = order[i];
    }
    return shown;
}

static bool put_roots(struct answer *answer, struct holders *holders)
{
    struct holder_sites *sites = &holders->sites;
    struct answer_section section = section_of(holders, &holders_roots_table);
    uint32_t *order = sorted(sites->snapshot->root_count, sites, compare_roots);
    if (!order)
        return false;
    size_t shown = choose_roots(holders, order);
    answer_begin(answer, &section);
    for (size_t i = 0; i < shown; i++) {
        const struct holder_root_sum *sum = &sites->roots[order[i]];
        double share = sites->whole.bytes > 0 ? (double)sum->bytes / (double)sites->whole.bytes : 0;
        answer_row(answer, &(struct root_row){&sites->snapshot->roots[order[i]], sum, share});
    }
    answer_end(answer);
    for (size_t i = 0; i < shown; i++)
        say_shared(answer, holders, order[i]);
    free(order);
    return true;
}

static void say(struct answer *answer, const struct holders *holders)
{
    const struct holder_site *whole = &holders->sites.whole;
    const struct holders_snapshot *snapshot = holders->sites.snapshot;
    char time[UNITS_TEXT_BYTES], bytes[UNITS_TEXT_BYTES], blocks[UNITS_TEXT_BYTES],
        lost[UNITS_TEXT_BYTES], lost_blocks[UNITS_TEXT_BYTES];
    answer_say(answer, "%s: %s in %s blocks alive %s%s; %s in %s blocks lost: nothing holds them",
               plain(holders->report->input.name), units_bytes(bytes, (double)whole->bytes),
               units_count(blocks, (double)whole->blocks),
               snapshot->is_last ? "when the program ended" : "after ",
               snapshot->is_last ? "" : units_duration(time, (double)snapshot->time_us * 1e-6),
               units_bytes(lost, (double)whole->lost_bytes),
               units_count(lost_blocks, (double)whole->lost_blocks));
    report_say_filter(answer, holders->report);
}

static struct snapshot_row snapshot_row(const struct holders_snapshot *snapshot, uint32_t number)
{
    struct snapshot_row row = {.snapshot = snapshot, .number = number + 1};
    for (size_t i = 0; i < snapshot->paths.count; i++) {
        const struct holders_way *way = &snapshot->paths.items[i];
        bool is_lost = snapshot->roots[way->root].kind == HOLDERS_LOST;
        row.bytes += way->bytes;
        row.blocks += way->blocks;
        row.lost_bytes += is_lost ? way->bytes : 0;
        row.lost_blocks += is_lost ? way->blocks : 0;
    }
    return row;
}

/* Where there are several. */
static void put_snapshots(struct answer *answer, const struct holders *holders)
{
    const struct model_holders *all = holders->model->holders;
    struct answer_section section = section_of(holders, &holders_snapshots_table);
    if (all->count < 2)
        return;
    answer_say(answer, "This is snapshot %u of %zu; --snapshot N shows another",
               holders->number + 1, all->count);
    answer_begin(answer, &section);
    for (uint32_t i = 0; i < all->count; i++) {
        struct snapshot_row row = snapshot_row(&all->snapshots[i], i);
        answer_row(answer, &row);
    }
    answer_end(answer);
}

static bool put(struct answer *answer, struct holders *holders)
{
    struct holder_sites *sites = &holders->sites;
    struct answer_section snapshot = section_of(holders, &holders_snapshot_table);
    uint32_t *order = sorted(sites->site_count, sites, compare_sites);
    size_t count = sites->site_count;
    if (!order)
        return false;
    while (count > 0 && sites->sites[order[count - 1]].blocks == 0)
        count--; /* what others are held through, and what the filter leaves out */
    size_t shown = question_rows(holders->report->options, SITES_SHOWN, count);
    say(answer, holders);
    report_head(answer, holders->report);
    answer_record(answer, &snapshot, holders);
    bool done = put_roots(answer, holders);
    if (count > 0)
        answer_say(answer, "%zu of %zu places; how they are held below", shown, count);
    report_say_its_hidden(answer, holders->report);
    done = done && put_sites(answer, holders, order, shown);
    put_snapshots(answer, holders);
    free(order);
    return done;
}

/* Of a snapshot; release it in any case. */
static bool init(struct holders *holders, const struct holders_snapshot *snapshot,
                 enum symbol_grain grain)
{
    const struct report *report = holders->report;
    if (!selection_init(&holders->selection, &report->matcher, &report->filter, &report->what,
                        report->edits))
        return false;
    holders->selection.frames.no_inlines = report->options->no_inlines;
    return holder_sites_init(&holders->sites, snapshot, &report->matcher, &holders->selection,
                             grain) &&
           find_ends(holders);
}

static void release(struct holders *holders)
{
    free(holders->by_site);
    holder_sites_release(&holders->sites);
    selection_release(&holders->selection);
}

enum report_outcome holders_put(struct answer *answer, const struct report *report)
{
    struct holders holders = {
        .report = report, .model = report->input.model, .number = (uint32_t)asked_snapshot(report)};
    bool done = init(&holders, &holders.model->holders->snapshots[holders.number],
                     report->options->grain) &&
                put(answer, &holders);
    release(&holders);
    return report_outcome_of(done);
}

/* ---- For other reports --------------------------------------------------------------- */

/* Of each step, the bytes that are left of those that end there or behind; NULL when there is no memory. */
static uint64_t *bytes_through(const struct holder_sites *sites)
{
    uint64_t *bytes = calloc(sites->step_count + 1, sizeof *bytes);
    for (size_t i = sites->step_count; bytes && i-- > 0;) {
        const struct holder_step *step = &sites->steps[i];
        bytes[i] += step->left_bytes;
        if (step->parent != HOLDERS_NONE)
            bytes[step->parent] += bytes[i];
    }
    return bytes;
}

/* The heaviest step behind another, or root; HOLDERS_NONE for none. */
static uint32_t heaviest_behind(const struct holder_sites *sites, const uint64_t *bytes,
                                uint32_t parent)
{
    uint32_t found = HOLDERS_NONE;
    for (uint32_t i = 0; i < sites->step_count; i++)
        if (sites->steps[i].parent == parent && bytes[i] > 0 &&
            (found == HOLDERS_NONE || bytes[i] > bytes[found]))
            found = i;
    return found;
}

/* From the root that holds most, as long as nearly all of that goes the same way. */
static uint32_t heaviest_way(const struct holder_sites *sites, const uint64_t *bytes)
{
    const double nearly_all = 0.9;
    uint32_t way = heaviest_behind(sites, bytes, HOLDERS_NONE), next = way;
    while (next != HOLDERS_NONE) {
        way = next;
        next = heaviest_behind(sites, bytes, way);
        if (next != HOLDERS_NONE && (double)bytes[next] < nearly_all * (double)bytes[way])
            next = HOLDERS_NONE;
    }
    return way;
}

/* The line at the inner end of the heaviest way behind a step. */
static struct symbol place_of(const struct holders *holders, const uint64_t *bytes, uint32_t way)
{
    uint32_t step = way, next;
    while ((next = heaviest_behind(&holders->sites, bytes, step)) != HOLDERS_NONE &&
           bytes[next] >= holders->sites.steps[step].left_bytes)
        step = next;
    uint32_t site = holders->sites.steps[step].site;
    return site == HOLDERS_NONE || !symbol_of(holders, site)->file ? (struct symbol){0}
                                                                   : *symbol_of(holders, site);
}

static bool can_tell_kept(const struct report *report)
{
    const struct model_holders *all = report->input.model->holders;
    return all && all->count > 0 && all->snapshots[all->count - 1].knows_left &&
           !report->matcher.shape_passes && !matcher_is_of_lives(&report->matcher);
}

/* What is lost is so on every way. */
static void take_kept(struct holders_kept *kept, const struct holders *holders,
                      const uint64_t *bytes, uint32_t way)
{
    const struct holder_sites *sites = &holders->sites;
    uint32_t root = way;
    while (sites->steps[root].parent != HOLDERS_NONE)
        root = sites->steps[root].parent;
    kept->is_lost = sites->snapshot->roots[sites->steps[way].root].kind == HOLDERS_LOST;
    kept->bytes = (double)bytes[kept->is_lost ? root : way];
    kept->by = way_text(holders, &sites->steps[way]);
    kept->site = place_of(holders, bytes, way);
}

bool holders_kept_by(const struct report *report, struct holders_kept *kept)
{
    *kept = (struct holders_kept){0};
    if (!can_tell_kept(report))
        return (kept->by = strdup(""));
    struct holders holders = {.report = report, .model = report->input.model};
    const struct model_holders *all = holders.model->holders;
    uint64_t *bytes = init(&holders, &all->snapshots[all->count - 1], GRAIN_LINE)
                          ? bytes_through(&holders.sites)
                          : NULL;
    uint32_t way = bytes ? heaviest_way(&holders.sites, bytes) : HOLDERS_NONE;
    if (way != HOLDERS_NONE)
        take_kept(kept, &holders, bytes, way);
    else if (bytes)
        kept->by = strdup("");
    free(bytes);
    release(&holders);
    return kept->by;
}
