#include "report/summary/diagnosis_causes.h"

#include <math.h>
#include <string.h>

#include "report/advice/heads.h"
#include "report/sites/site_place.h"

/* ---- Figures -------------------------------------------------------------------------------- */

const struct card *diagnosis_card(const struct diagnosis *diagnosis, const char *name)
{
    for (size_t i = 0; i < diagnosis->cards.count; i++)
        if (strcmp(diagnosis->cards.items[i].kind->name, name) == 0)
            return &diagnosis->cards.items[i];
    return &diagnosis->cards.items[diagnosis->cards.count - 1];
}

static bool is_same(const char *left, const char *right)
{
    return left == right || (left && right && strcmp(left, right) == 0);
}

bool diagnosis_is_place(const struct symbol *left, const struct symbol *right)
{
    return left->line == right->line && is_same(left->file, right->file) &&
           is_same(left->function, right->function);
}

/* What the card has at a place. */
static const struct hotspot *spot_of(const struct card *card, const struct symbol *place)
{
    for (size_t i = 0; i < card->spots.count; i++)
        if (diagnosis_is_place(&card->spots.sites[i].symbol, place))
            return &card->spots.sites[i];
    return NULL;
}

/* ---- Causes --------------------------------------------------------------------------------- */

static bool is_told(const struct diagnosis *diagnosis, const struct symbol *place)
{
    for (size_t i = 0; i < diagnosis->count; i++)
        if (diagnosis_is_place(&diagnosis->causes[i].symbol, place))
            return true;
    return false;
}

/* Are most of these the blocks of a cause that is told of the line for which they are made? */
static bool is_told_elsewhere(const struct diagnosis *diagnosis, const struct hotspot *spot)
{
    static const double most = 0.5;
    for (size_t i = 0; i < diagnosis->count; i++)
        if (diagnosis_is_place(diagnosis->causes[i].source, &spot->symbol) &&
            diagnosis->causes[i].bytes >= most * spot->weight)
            return true;
    return false;
}

/* What is at the line, or what is made for it elsewhere, if that is more. */
static void weigh(struct diagnosis *diagnosis, struct cause *cause)
{
    const struct report *of = &cause->card->report;
    const struct stack_profile *profile = &of->selection.profile;
    const struct advice *advice = cause->advice;
    bool is_allocated = advice && advice->cause && advice->cause->measure != MEASURE_LIVE;
    const struct hotspot *spot = spot_of(cause->card, &cause->symbol);
    if (!spot && !is_allocated)
        spot = spot_of(cause->card, cause->source);
    if (spot) {
        cause->bytes = spot->weight;
        cause->range = stack_tally_range(&spot->tally, &profile->estimate, of->weight);
    }
    if (is_allocated && advice->bytes > cause->bytes) {
        cause->bytes = advice->bytes;
        cause->range = advice_bytes_range(advice, &diagnosis->advised.sites);
    }
}

static void add(struct diagnosis *diagnosis, struct cause cause)
{
    const struct report *of = &cause.card->report;
    weigh(diagnosis, &cause);
    cause.line = cause.advice        ? cause.advice->line
                 : cause.symbol.file ? evidence_line(&diagnosis->advised.reader, cause.symbol.file,
                                                     cause.symbol.line)
                                     : "";
    cause.callers = heavy_chain_of(&of->selection, of->weight, cause.source);
    while (cause.callers.count > 0 &&
           diagnosis_is_place(&cause.callers.calls[0].symbol, &cause.symbol))
        memmove(cause.callers.calls, cause.callers.calls + 1,
                --cause.callers.count * sizeof *cause.callers.calls);
    diagnosis->causes[diagnosis->count++] = cause;
}

/* Of what a place had when it was accused: what is left, or, where that was freed at the end, the peak. */
static const struct card *card_of_growth(const struct diagnosis *diagnosis, const struct site *site)
{
    const struct card *left = diagnosis_card(diagnosis, "left");
    bool is_left = spot_of(left, &site->symbol) && !fates_is_freed(&diagnosis->advised.fates, site);
    return is_left ? left : diagnosis_card(diagnosis, "peak");
}

static const struct card *card_of_advice(const struct diagnosis *diagnosis,
                                         const struct advice *advice)
{
    if (advice->cause)
        return diagnosis_card(diagnosis, advice->cause->measure == MEASURE_LIVE ? "left" : "total");
    if (advice->rule == ADVICE_GROWING)
        return card_of_growth(diagnosis, advice->site);
    return diagnosis_card(diagnosis, advice->rule == ADVICE_PEAK ? "peak" : "total");
}

static void add_advice(struct diagnosis *diagnosis, const struct advice *advice)
{
    struct cause cause = {.symbol = advice->symbol,
                          .source = &advice->site->symbol,
                          .title = advice_title(advice),
                          .advice = advice,
                          .card = card_of_advice(diagnosis, advice)};
    bool is_let_go = !advice->cause && advice->rule == ADVICE_GROWING &&
                     advice_is_let_go(&diagnosis->advised.fates, advice->site);
    if (advice->cause)
        cause.saved = advice->saved_bytes;
    if (!is_let_go && !is_told(diagnosis, &advice->symbol))
        add(diagnosis, cause);
}

/* Code of which no more than a file and an offset is known: "libstdc++.so.6+0xa5780". */
static bool is_nameless(const struct symbol *symbol)
{
    return symbol->line == 0 && symbol->function && strstr(symbol->function, "+0x");
}

/* Of each figure the line that has most of it, then that which has second most; of figures that are small beside others, none.  What
 * has no name tells nobody what to change. */
static void add_heaviest(struct diagnosis *diagnosis, bool is_nameless_too)
{
    static const double least = 0.05;
    double most = 0;
    for (size_t i = 0; i < diagnosis->cards.count; i++)
        most = fmax(most, diagnosis->cards.items[i].value);
    for (size_t rank = 0; rank < CAUSES_MOST; rank++)
        for (size_t i = 0; i < diagnosis->cards.count && diagnosis->count < CAUSES_MOST; i++) {
            const struct card *card = &diagnosis->cards.items[i];
            const struct hotspot *spot = rank < card->spots.count ? &card->spots.sites[rank] : NULL;
            bool is_known =
                strcmp(card->kind->name, "left") != 0 || sites_know_dead(&diagnosis->advised.sites);
            if (spot && is_known && spot->weight >= least * most && spot->share >= least &&
                (is_nameless_too || !is_nameless(&spot->symbol)) &&
                !is_told(diagnosis, &spot->symbol) && !is_told_elsewhere(diagnosis, spot))
                add(diagnosis, (struct cause){.symbol = spot->symbol,
                                              .source = &spot->symbol,
                                              .title = card->kind->title,
                                              .card = card});
        }
}

/* A line that most of what is left comes from is named besides what may be wrong with it otherwise: a leak is no matter of how blocks
 * are made.  It comes first where half of it is more than what the first cause saves, or is likely to. */
static void add_leak(struct diagnosis *diagnosis)
{
    static const double much = 0.5, most = 0.3, little = 0.25;
    const struct card *left = diagnosis_card(diagnosis, "left"),
                      *peak = diagnosis_card(diagnosis, "peak");
    const struct hotspot *spot = left->spots.count > 0 ? &left->spots.sites[0] : NULL;
    struct cause *causes = diagnosis->causes;
    for (size_t i = 0; i < diagnosis->count; i++)
        if (causes[i].card == left)
            return;
    if (left == peak || !spot || !sites_know_dead(&diagnosis->advised.sites) ||
        is_nameless(&spot->symbol) || left->value < much * peak->value || spot->share < most)
        return;
    double first = diagnosis->count > 0 ? fmax(causes[0].saved, little * causes[0].bytes) : 0;
    bool is_first = much * spot->weight > first;
    diagnosis->count -= diagnosis->count == CAUSES_MOST;
    add(diagnosis, (struct cause){.symbol = spot->symbol,
                                  .source = &spot->symbol,
                                  .title = left->kind->title,
                                  .card = left});
    struct cause leak = causes[diagnosis->count - 1];
    if (is_first) {
        memmove(causes + 1, causes, (diagnosis->count - 1) * sizeof *causes);
        causes[0] = leak;
    }
}

/* What leaks or grows fastest, by its verdict, stands before all, unless it was let go. */
static void put_accused_first(struct diagnosis *diagnosis)
{
    const struct fates *fates = &diagnosis->advised.fates;
    const struct site *worst = diagnosis->has_blocks ? advice_leak(fates) : NULL;
    struct cause *causes = diagnosis->causes;
    size_t found = 0;
    if (!worst || advice_is_let_go(fates, worst))
        return;
    const struct card *card = card_of_growth(diagnosis, worst);
    while (found < diagnosis->count && (causes[found].card != card ||
                                        !diagnosis_is_place(causes[found].source, &worst->symbol)))
        found++;
    if (found == diagnosis->count) {
        found = diagnosis->count -= diagnosis->count == CAUSES_MOST;
        add(diagnosis, (struct cause){.symbol = fates_place(fates, worst),
                                      .source = &worst->symbol,
                                      .title = "Grew until the run ended",
                                      .card = card});
    }
    if (fates_is_freed(fates, worst))
        causes[found].title = "Grew until it was freed at the end";
    struct cause first = causes[found];
    memmove(causes + 1, causes, found * sizeof *causes);
    causes[0] = first;
}

void diagnosis_add_causes(struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->advised.count && diagnosis->count < CAUSES_MOST; i++)
        add_advice(diagnosis, &diagnosis->advised.items[i]);
    add_leak(diagnosis);
    add_heaviest(diagnosis, false);
    if (diagnosis->count == 0)
        add_heaviest(diagnosis, true);
    put_accused_first(diagnosis);
}
