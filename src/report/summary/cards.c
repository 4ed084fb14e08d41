#include "report/summary/cards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/change/compare.h"
#include "report/change/measured.h"

/* In the order in which they are told. */
static const struct card_kind of_blocks[] = {
    {"peak", "At the peak", "alloc_space", "live-at=peak", CURVE_LIVE},
    {"left", "Left at the end", "alloc_space", "collected=never", CURVE_NONE},
    {"churn", "Short-lived", "alloc_space", CARD_SHORT_LIVES, CURVE_NONE},
    {"total", "Allocated", "alloc_space", "", CURVE_ALLOCATED},
    {NULL},
};
static const struct card_kind of_values[] = {
    {"in-use", "In use", "inuse_space", "", CURVE_NONE},
    {"total", "Allocated", "alloc_space", "", CURVE_NONE},
    {NULL},
};
static const struct card_kind of_a_change = {"changed", "Changed", NULL, "", CURVE_NONE};
static const struct card_kind of_changed_blocks[BUDGET_MEASURES] = {
    [BUDGET_PEAK] = {"changed", "Changed at the peak", "alloc_space", "live-at=peak", CURVE_NONE},
    [BUDGET_LIVE_AT_END] = {"changed", "Changed, left at the end", "alloc_space", "collected=never",
                            CURVE_NONE},
};
static const struct card_kind of_changed_use = {"changed", "Changed, in use", "inuse_space", "",
                                                CURVE_NONE};
static const struct card_kind of_others[] = {{"total", "Total", NULL, "", CURVE_NONE}, {NULL}};

/* Has a profile values of this type? */
static bool has_type(const struct model *model, const char *name)
{
    return !name || model->kind == MODEL_OBJECTS || model_find_value_type(model, name) >= 0;
}

static const struct card_kind *kinds_of(const struct model *model)
{
    if (model->kind == MODEL_OBJECTS)
        return of_blocks;
    for (const struct card_kind *kind = of_values; kind->name; kind++)
        if (has_type(model, kind->sample))
            return of_values;
    return of_others;
}

bool cards_are_of_memory(const struct card *card)
{
    return card->kind != of_others;
}

/* ---- One --------------------------------------------------------------------------------- */

const char *cards_short_lives(char text[CARDS_CLAUSE_BYTES], const struct model *model)
{
    snprintf(text, CARDS_CLAUSE_BYTES, "collected!=never lifetime<=%" PRId64 "us",
             model_short_life_us(model));
    return text;
}

/* The clause as it is typed; malloc'ed.  NULL when there is no memory. */
static char *clause_of(const struct card_kind *kind, const struct model *model)
{
    char text[CARDS_CLAUSE_BYTES];
    bool is_made = strcmp(kind->clause, CARD_SHORT_LIVES) == 0;
    return strdup(is_made ? cards_short_lives(text, model) : kind->clause);
}

/* Of the callers that say something of the site, and through which at least half of it comes, the nearest. */
static bool find_caller(struct card *card)
{
    static const double least_share = 0.5;
    struct hotspot_caller *callers;
    size_t count;
    if (!hotspots_callers(&card->spots, 0, &callers, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (callers[i].share >= least_share && hotspot_caller_is_telling(card->site, &callers[i]) &&
            (!card->has_caller || callers[i].distance < card->caller.distance)) {
            card->caller = callers[i];
            card->has_caller = true;
        }
    free(callers);
    return true;
}

static bool weigh(struct card *card)
{
    const struct report *report = &card->report;
    const struct stack_profile *profile = &report->selection.profile;
    const struct hotspots_options how = {GRAIN_LINE, report->weight};
    if (!hotspots_init(&card->spots, profile, &report->selection.frames, &how))
        return false;
    card->value = stack_tally_weight(&profile->total, &profile->estimate, report->weight);
    card->range = stack_tally_range(&profile->total, &profile->estimate, report->weight);
    card->site = card->spots.count > 0 ? &card->spots.sites[0] : NULL;
    if (!card->site)
        return true;
    card->symbol = &card->site->symbol;
    card->share = card->site->share;
    if (find_caller(card))
        return true;
    hotspots_release(&card->spots);
    return false;
}

/* Figures are made: what they were made of takes much memory where there are many stacks. */
static void forget_stacks(struct card *card)
{
    hotspots_forget_callers(&card->spots);
    if (!card->borrows)
        selection_forget_tallies(&card->report.selection);
}

/* ---- A change ----------------------------------------------------------------------------- */

static void release_change(struct card *card)
{
    if (card->difference) {
        difference_table_release(&card->changes);
        difference_table_release(&card->files);
    }
    model_free(card->difference);
    card->difference = NULL;
}

/* Which part of the change its largest is: 1 where others make up for it. */
static double share_of(const struct card *card, const struct difference_row *row)
{
    double part = card->value != 0 ? (row->new_flat - row->base_flat) / card->value : 1;
    return part < 0 || part > 1 ? 1 : part;
}

static const char *name_of(const struct difference_table *table, const struct difference_row *row)
{
    return symbol_name(&table->symbols.items[row->symbol]);
}

/* Is that function more what the sum's change is of than the best one yet?  What is still there comes before what is gone, as that may
 * have another file now. */
static bool is_nearer(const struct difference_row *sum, const struct difference_row *row,
                      const struct difference_row *best)
{
    double sign = sum->new_flat > sum->base_flat ? 1 : -1;
    if ((row->new_flat > 0) != (best->new_flat > 0))
        return row->new_flat > 0;
    return sign * (row->new_flat - row->base_flat) > sign * (best->new_flat - best->base_flat);
}

/* The file's function, of those that have a name, of which most of the name's change is. */
static const struct symbol *symbol_in_file(const struct difference_table *files,
                                           const struct difference_table *names,
                                           const struct difference_row *sum)
{
    const struct difference_row *best = NULL;
    for (const struct difference_row *row = files->rows; row < files->rows + files->count; row++)
        if (strcmp(name_of(files, row), name_of(names, sum)) == 0 &&
            (!best || is_nearer(sum, row, best)))
            best = row;
    return best ? &files->symbols.items[best->symbol] : &names->symbols.items[sum->symbol];
}

/* Makes the card of what is that of what is more than in the base.  False when there is no memory. */
static bool take_difference(struct card *card, const struct report *base)
{
    const struct stack_profile *before = &base->selection.profile;
    const struct difference_options by_name = {.grain = GRAIN_NAME}, /* lines move, files, too */
        by_file = {.grain = GRAIN_FUNCTION};
    double value = stack_tally_weight(&before->total, &before->estimate, base->weight);
    struct estimate_range range =
        stack_tally_range(&before->total, &before->estimate, base->weight);
    card->range = estimate_difference_range(card->value, &card->range, 1, value, &range);
    card->value -= value;
    card->symbol = NULL;
    card->site = NULL;
    card->has_caller = false;
    card->difference = difference_of(base, &card->report, GRAIN_FUNCTION);
    if (!card->difference)
        return false;
    bool done = difference_table_init(&card->changes, card->difference, &by_name) &&
                difference_table_init(&card->files, card->difference, &by_file);
    const struct difference_row *most = card->changes.count > 0 ? card->changes.rows : NULL;
    if (done && most && most->new_flat != most->base_flat) {
        card->symbol = symbol_in_file(&card->files, &card->changes, most);
        card->share = share_of(card, most);
    }
    if (!done)
        release_change(card);
    return done;
}

static bool take_change(struct card *card, const struct report *base)
{
    struct measured_side side;
    if (card->kind == &of_a_change)
        return take_difference(card, base);
    if (!measured_side_init(&side, base, card->measure))
        return false;
    bool done = take_difference(card, &side.report);
    measured_side_release(&side);
    return done;
}

/* What is compared: the report's own values, or of what is allocated the measure in which functions changed.  NULL when there is no
 * memory. */
static const struct card_kind *kind_of_change(const struct report *report,
                                              enum budget_measure *measure)
{
    if (!compare_measure(report, measure))
        return NULL;
    return *measure == BUDGET_ALLOCATED                 ? &of_a_change
           : report->input.model->kind == MODEL_OBJECTS ? &of_changed_blocks[*measure]
                                                        : &of_changed_use;
}

/* ---- Its life ----------------------------------------------------------------------------- */

/* A card of all that the report counts has the report's own selection. */
static bool is_whole(const struct card *card, const struct report *report)
{
    return !*card->clause && card->report.what.quantity == report->what.quantity &&
           card->report.what.value_type == report->what.value_type;
}

static bool select_rows(struct card *card, const struct report *report)
{
    struct report_problem problem;
    if (!report_choose(&card->report, &problem))
        return false;
    card->borrows = is_whole(card, report);
    return card->borrows ? report_weigh(&card->report, &problem)
                         : report_narrow(&card->report, report, &problem);
}

static void release_rows(struct card *card)
{
    if (card->borrows)
        report_release_figures(&card->report);
    else
        report_release_selection(&card->report);
}

static void release_question(struct card *card)
{
    filter_release(&card->report.filter);
    free(card->clause);
}

static bool init(struct card *card, const struct card_kind *kind, const struct report *report,
                 bool with_stacks)
{
    *card = (struct card){
        .kind = kind, .measure = card->measure, .question = *report->options, .report = *report};
    card->question.sample = kind->sample;
    card->report.options = &card->question;
    card->report.series = NULL;
    card->clause = clause_of(kind, report->input.model);
    if (!card->clause || filter_parse_both(&card->report.filter, report->filter.text, card->clause,
                                           NULL, NULL) != HEAPTAP_OK) {
        free(card->clause);
        return false;
    }
    if (select_rows(card, report)) {
        bool done = weigh(card);
        if (done &&
            (strcmp(kind->name, of_a_change.name) != 0 || take_change(card, report->base))) {
            if (!with_stacks)
                forget_stacks(card);
            return true;
        }
        if (done)
            hotspots_release(&card->spots);
        release_rows(card);
    }
    release_question(card);
    return false;
}

static void release(struct card *card)
{
    release_change(card);
    hotspots_release(&card->spots);
    release_rows(card);
    release_question(card);
}

/* ---- All ------------------------------------------------------------------------------- */

static bool add(struct cards *cards, const struct card_kind *kind, const struct report *report,
                bool with_stacks)
{
    if (init(&cards->items[cards->count], kind, report, with_stacks)) {
        cards->count++;
        return true;
    }
    cards_release(cards);
    return false;
}

bool cards_init(struct cards *cards, const struct report *report, bool with_stacks)
{
    const struct model *model = report->input.model;
    *cards = (struct cards){0};
    for (const struct card_kind *kind = kinds_of(model); kind->name; kind++)
        if (has_type(model, kind->sample) && !add(cards, kind, report, with_stacks))
            return false;
    if (!report->base)
        return true;
    struct card *changed = &cards->items[cards->count];
    const struct card_kind *kind = kind_of_change(report, &changed->measure);
    if (kind)
        return add(cards, kind, report, with_stacks);
    cards_release(cards);
    return false;
}

void cards_release(struct cards *cards)
{
    for (size_t i = 0; i < cards->count; i++)
        release(&cards->items[i]);
    cards->count = 0;
}
