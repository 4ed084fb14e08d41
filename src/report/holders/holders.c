/* The report: what is asked, of which snapshot, and the answer. */
#include "report/holders/holders.h"

#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/error.h"
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
        row.symbol = *holders_symbol_of(holders, step->site);
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
        char *way =
            holders_way_shown(holders_way_text(holders, step), answer, holders->report->options);
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
            *holders_symbol_of(holders, order[i]), site,
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
    holders_put_root(&text, root);
    text_put_string(&text, " is held by another root as well: ");
    holders_put_root(&text, &roots[root->shared_with]);
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

bool holders_init(struct holders *holders, const struct holders_snapshot *snapshot,
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

void holders_release(struct holders *holders)
{
    free(holders->by_site);
    holder_sites_release(&holders->sites);
    selection_release(&holders->selection);
}

enum report_outcome holders_put(struct answer *answer, const struct report *report)
{
    struct holders holders = {
        .report = report, .model = report->input.model, .number = (uint32_t)asked_snapshot(report)};
    bool done = holders_init(&holders, &holders.model->holders->snapshots[holders.number],
                             report->options->grain) &&
                put(answer, &holders);
    holders_release(&holders);
    return report_outcome_of(done);
}
