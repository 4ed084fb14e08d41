#include "report/summary/cards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The caller that is nearest to the site among those that say something of it. */
static bool find_caller(struct card *card)
{
    struct hotspot_caller *callers;
    size_t count;
    if (!hotspots_callers(&card->spots, 0, &callers, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (hotspot_caller_is_telling(card->site, &callers[i]) &&
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

/* ---- A change ----------------------------------------------------------------------------- */

/* Which part of the change its largest is: 1 where others make up for it. */
static double share_of(const struct card *card, const struct difference_row *row)
{
    double part = card->value != 0 ? (row->new_flat - row->base_flat) / card->value : 1;
    return part < 0 || part > 1 ? 1 : part;
}

/* Makes the card of what is that of what is more than in the base.  False when there is no memory. */
static bool take_change(struct card *card, const struct report *base)
{
    const struct stack_profile *before = &base->selection.profile;
    const struct difference_options how = {.grain = GRAIN_FUNCTION}; /* lines move */
    double value = stack_tally_weight(&before->total, &before->estimate, base->weight);
    struct estimate_range range =
        stack_tally_range(&before->total, &before->estimate, base->weight);
    card->range = estimate_difference_range(card->value, &card->range, 1, value, &range);
    card->value -= value;
    card->symbol = NULL;
    card->site = NULL;
    card->has_caller = false;
    card->difference = difference_of(base, &card->report);
    if (!card->difference)
        return false;
    if (!difference_table_init(&card->changes, card->difference, &how)) {
        model_free(card->difference);
        return false;
    }
    const struct difference_row *most = card->changes.count > 0 ? card->changes.rows : NULL;
    if (most && most->new_flat != most->base_flat) {
        card->symbol = &card->changes.symbols.items[most->symbol];
        card->share = share_of(card, most);
    }
    return true;
}

static void release_change(struct card *card)
{
    if (card->difference)
        difference_table_release(&card->changes);
    model_free(card->difference);
}

/* ---- Its life ----------------------------------------------------------------------------- */

static void release_question(struct card *card)
{
    filter_release(&card->report.filter);
    free(card->clause);
}

static bool init(struct card *card, const struct card_kind *kind, const struct report *report)
{
    struct report_problem problem;
    *card = (struct card){.kind = kind, .question = *report->options, .report = *report};
    card->question.sample = kind->sample;
    card->report.options = &card->question;
    card->report.series = NULL;
    card->clause = clause_of(kind, report->input.model);
    if (!card->clause || filter_parse_both(&card->report.filter, report->filter.text, card->clause,
                                           NULL, NULL) != HEAPTAP_OK) {
        free(card->clause);
        return false;
    }
    if (report_select(&card->report, &problem)) {
        bool done = weigh(card);
        if (done && (kind != &of_a_change || take_change(card, report->base)))
            return true;
        if (done)
            hotspots_release(&card->spots);
        report_release_selection(&card->report);
    }
    release_question(card);
    return false;
}

static void release(struct card *card)
{
    release_change(card);
    hotspots_release(&card->spots);
    report_release_selection(&card->report);
    release_question(card);
}

/* ---- All ------------------------------------------------------------------------------- */

static bool add(struct cards *cards, const struct card_kind *kind, const struct report *report)
{
    if (init(&cards->items[cards->count], kind, report)) {
        cards->count++;
        return true;
    }
    cards_release(cards);
    return false;
}

bool cards_init(struct cards *cards, const struct report *report)
{
    const struct model *model = report->input.model;
    *cards = (struct cards){0};
    for (const struct card_kind *kind = kinds_of(model); kind->name; kind++)
        if (has_type(model, kind->sample) && !add(cards, kind, report))
            return false;
    return !report->base || add(cards, &of_a_change, report);
}

void cards_release(struct cards *cards)
{
    for (size_t i = 0; i < cards->count; i++)
        release(&cards->items[i]);
    cards->count = 0;
}
