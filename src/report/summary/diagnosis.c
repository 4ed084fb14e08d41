#include "report/summary/diagnosis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/cut.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/advice/advised.h"
#include "report/advice/heads.h"
#include "report/head.h"
#include "report/calls/heavy_chain.h"
#include "report/change/budget.h"
#include "report/summary/cards.h"
#include "report/symbol_columns.h"

enum { CAUSES_MOST = 3, TEXT_MOST = 1650 };

/* What a place has of a figure. */
struct cause {
    struct symbol symbol;        /* first: its columns'.  Where to change something */
    const struct symbol *source; /* where its blocks come from: another place where a constructor
                                    makes them for this one */
    const char *title;
    const struct advice *advice; /* NULL: a place that has much */
    const struct card *card;     /* whose figure it is of */
    const char *line;            /* the source line; "" where it is not at hand */
    double bytes;                /* of that figure, at the place */
    struct estimate_range range;
    double saved; /* of it, by the remedy; 0 where nobody knows */
    struct heavy_chain callers;
};

struct diagnosis {
    const struct report *report;
    struct cards cards;
    bool has_blocks; /* of a trace: then there is advice */
    struct advised advised;
    struct cause causes[CAUSES_MOST];
    size_t count;
};

/* ---- Figures -------------------------------------------------------------------------------- */

/* What `heaptap check` calls the figure of a card; NULL: it has no limit for it. */
static const char *measure_of(const struct card *card)
{
    static const struct {
        const char *card;
        enum budget_measure measure;
    } measures[] = {{"peak", BUDGET_PEAK},
                    {"left", BUDGET_LIVE_AT_END},
                    {"in-use", BUDGET_LIVE_AT_END},
                    {"total", BUDGET_ALLOCATED}};
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (strcmp(measures[i].card, card->kind->name) == 0)
            return strcmp(card->report.unit, "bytes") == 0
                       ? budget_measure_name(measures[i].measure)
                       : NULL;
    return NULL;
}

static const struct card *card_named(const struct diagnosis *diagnosis, const char *name)
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

static bool is_place(const struct symbol *left, const struct symbol *right)
{
    return left->line == right->line && is_same(left->file, right->file) &&
           is_same(left->function, right->function);
}

/* What the card has at a place. */
static const struct hotspot *spot_of(const struct card *card, const struct symbol *place)
{
    for (size_t i = 0; i < card->spots.count; i++)
        if (is_place(&card->spots.sites[i].symbol, place))
            return &card->spots.sites[i];
    return NULL;
}

/* ---- Causes --------------------------------------------------------------------------------- */

static bool is_told(const struct diagnosis *diagnosis, const struct symbol *place)
{
    for (size_t i = 0; i < diagnosis->count; i++)
        if (is_place(&diagnosis->causes[i].symbol, place))
            return true;
    return false;
}

/* Are most of these the blocks of a cause that is told of the line for which they are made? */
static bool is_told_elsewhere(const struct diagnosis *diagnosis, const struct hotspot *spot)
{
    static const double most = 0.5;
    for (size_t i = 0; i < diagnosis->count; i++)
        if (is_place(diagnosis->causes[i].source, &spot->symbol) &&
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
    while (cause.callers.count > 0 && is_place(&cause.callers.calls[0].symbol, &cause.symbol))
        memmove(cause.callers.calls, cause.callers.calls + 1,
                --cause.callers.count * sizeof *cause.callers.calls);
    diagnosis->causes[diagnosis->count++] = cause;
}

/* Of what a place had when it was accused: what is left, or, where that was freed at the end, the peak. */
static const struct card *card_of_growth(const struct diagnosis *diagnosis, const struct site *site)
{
    const struct card *left = card_named(diagnosis, "left");
    bool is_left = spot_of(left, &site->symbol) && !fates_is_freed(&diagnosis->advised.fates, site);
    return is_left ? left : card_named(diagnosis, "peak");
}

static const struct card *card_of_advice(const struct diagnosis *diagnosis,
                                         const struct advice *advice)
{
    if (advice->cause)
        return card_named(diagnosis, advice->cause->measure == MEASURE_LIVE ? "left" : "total");
    if (advice->rule == ADVICE_GROWING)
        return card_of_growth(diagnosis, advice->site);
    return card_named(diagnosis, advice->rule == ADVICE_PEAK ? "peak" : "total");
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
    const struct card *left = card_named(diagnosis, "left"), *peak = card_named(diagnosis, "peak");
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
    while (found < diagnosis->count &&
           (causes[found].card != card || !is_place(&causes[found].symbol, &worst->symbol)))
        found++;
    if (found == diagnosis->count) {
        found = diagnosis->count -= diagnosis->count == CAUSES_MOST;
        add(diagnosis, (struct cause){.symbol = worst->symbol,
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

static void add_causes(struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->advised.count && diagnosis->count < CAUSES_MOST; i++)
        add_advice(diagnosis, &diagnosis->advised.items[i]);
    add_leak(diagnosis);
    add_heaviest(diagnosis, false);
    if (diagnosis->count == 0)
        add_heaviest(diagnosis, true);
    put_accused_first(diagnosis);
}

/* ---- The budget ----------------------------------------------------------------------------- */

/* What a check is of. */
struct checked {
    const char *measure; /* NULL: there is none for it */
    bool is_count;
    double low, high; /* bounds of what it is now */
    double value;
    double saved; /* of it, by the remedy; 0: none is known */
};

static struct checked objects_checked(const struct diagnosis *diagnosis, const struct cause *cause)
{
    const struct stack_profile *profile = &diagnosis->report->selection.profile;
    struct estimate_range range = stack_tally_objects_range(&profile->total, &profile->estimate);
    return (struct checked){.measure = budget_measure_name(BUDGET_OBJECTS),
                            .is_count = true,
                            .low = range.low,
                            .high = range.high,
                            .value = stack_tally_objects(&profile->total, &profile->estimate),
                            .saved = cause->advice->objects};
}

/* The site of which a cause says that it leaks; NULL where it says something else. */
static const struct site *leaking(const struct diagnosis *diagnosis, const struct cause *cause)
{
    const struct advice *advice = cause->advice;
    if (!diagnosis->has_blocks || cause->card != card_named(diagnosis, "left"))
        return NULL;
    if (advice)
        return !advice->cause && advice->rule == ADVICE_GROWING ? advice->site : NULL;
    const struct site *worst = advice_leak(&diagnosis->advised.fates);
    return worst && is_place(&cause->symbol, &worst->symbol) ? worst : NULL;
}

/* Of a place that leaks or grows, all that it has: where that is no longer kept, it is gone. */
static double saved_of(const struct diagnosis *diagnosis, const struct cause *cause)
{
    return leaking(diagnosis, cause) ? cause->bytes : cause->saved;
}

/* A cause whose remedy spares something of it, or of what the allocator takes beside it. */
static bool has_remedy(const struct cause *cause)
{
    return cause->saved > 0 || (cause->advice && cause->advice->overhead_bytes > 0);
}

/* What saves the allocator's room beside each block saves blocks: bytes don't show it. */
static struct checked checked_of(const struct diagnosis *diagnosis, const struct cause *cause)
{
    if (cause->advice && cause->advice->cause && cause->advice->cause->spares_overhead)
        return objects_checked(diagnosis, cause);
    const struct card *card = strcmp(cause->card->kind->name, "churn") == 0
                                  ? card_named(diagnosis, "total") /* of which that is a part */
                                  : cause->card;
    return (struct checked){measure_of(card), false,       card->range.low,
                            card->range.high, card->value, saved_of(diagnosis, cause)};
}

/* A limit between what the remedy leaves and what there is now, which fails without the remedy: half of what is saved may be missing, or
 * come from elsewhere.  Where no remedy is known, what there is and a twentieth more.  "" where there is no limit for it, or samples
 * are too few to tell the two. */
static const char *check_text(char text[128], const struct diagnosis *diagnosis,
                              const struct cause *cause)
{
    static const double room = 1.05, part = 0.25;
    struct checked of = checked_of(diagnosis, cause);
    double high = of.high * room, low = of.high;
    char limit[UNITS_TEXT_BYTES];
    if (of.saved > 0) {
        high = fmin(of.value - part * of.saved, of.low);
        low = fmax(of.value - (1 - part) * of.saved, 0);
    }
    if (!of.measure || *diagnosis->report->filter.text || low >= high)
        return strcpy(text, "");
    budget_limit(limit, of.is_count, low, high);
    snprintf(text, 128, "heaptap check after.ctf --max-%s=%s", of.measure, limit);
    return text;
}

/* ---- Sentences ------------------------------------------------------------------------------ */

/* What figures are called behind a value, and what helps where no rule knows more. */
static const struct {
    const char *card, *of, *remedy;
} sentences[] = {
    {"peak", " at the peak", "To lower the peak, free these earlier, or make them smaller."},
    {"left", " left at the end",
     "Let go of them once nobody needs them: `heaptap leaks` has their ages, `heaptap holders` what holds them."},
    {"churn", " that lived briefly", NULL},
    {"in-use", " in use", NULL},
    {"total", " allocated", NULL},
};

static size_t sentence_of(const struct cause *cause)
{
    size_t i = 0;
    while (i + 1 < sizeof sentences / sizeof *sentences &&
           strcmp(sentences[i].card, cause->card->kind->name) != 0)
        i++;
    return i;
}

/* NULL where nobody knows one. */
static const char *remedy_of(const struct diagnosis *diagnosis, const struct cause *cause)
{
    const char *usual = sentences[sentence_of(cause)].remedy;
    if (cause->advice)
        return advice_remedy(cause->advice, &diagnosis->advised.sites);
    const struct site *site = diagnosis->has_blocks && cause->card == card_named(diagnosis, "left")
                                  ? sites_find(&diagnosis->advised.sites, cause->source)
                                  : NULL;
    const char *held = site ? advice_of_left(&diagnosis->advised.sites, site) : NULL;
    return held ? held : usual;
}

/* ---- For programs --------------------------------------------------------------------------- */

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(get_##name, const struct cause *cause = row,                                        \
               const struct diagnosis *diagnosis = context, expression)

static struct answer_value check_value(const struct diagnosis *diagnosis, const struct cause *cause)
{
    char text[128];
    return *check_text(text, diagnosis, cause) ? answer_made(strdup(text)) : answer_nothing();
}

GETTER(figure, answer_text(cause->card->kind->name))
GETTER(bytes, report_bounded(diagnosis->report, cause->bytes, cause->range))
GETTER(saved,
       cause->saved > 0 ? advised_saved(&diagnosis->advised, cause->advice) : answer_nothing())
GETTER(saved_is, answer_text(cause->saved > 0 ? advice_saves_how(cause->advice) : NULL))
GETTER(remedy,
       answer_text(cause->advice ? advice_remedy(cause->advice, &diagnosis->advised.sites) : NULL))
GETTER(check, check_value(diagnosis, cause))

static const struct answer_column cause_columns[] = {
    {"cause", NULL, ANSWER_TEXT, ANSWER_FIELD(struct cause, title), "what it is"},
    {"function", NULL, ANSWER_TEXT, SYMBOL_FUNCTION, "the function to change"},
    {"file", NULL, ANSWER_TEXT, SYMBOL_FILE, "its source file", .flags = ANSWER_OMIT},
    {"line", NULL, ANSWER_WHOLE, SYMBOL_LINE, "the line", .flags = ANSWER_OMIT},
    {"figure", NULL, ANSWER_TEXT, get_figure,
     "what `bytes` are part of: peak, left, churn, total or in-use, as `heaptap summary` has them"},
    {"bytes", NULL, ANSWER_AMOUNT, get_bytes,
     "of that figure, at the line (an exact figure has no bounds)", .flags = ANSWER_HAS_RANGE},
    {"saved", NULL, ANSWER_BYTES, get_saved,
     "bytes that the remedy saves, where that is known (an exact figure has no bounds)",
     .flags = ANSWER_OMIT | ANSWER_HAS_RANGE},
    {"saved_is", NULL, ANSWER_TEXT, get_saved_is, "how sure that is: `up to` or `about`",
     .flags = ANSWER_OMIT},
    {"source", NULL, ANSWER_TEXT, ANSWER_FILLED_OF(struct cause, advice, line),
     "the source line, if it was found", .flags = ANSWER_OMIT},
    {"remedy", NULL, ANSWER_TEXT, get_remedy, "what usually helps", .flags = ANSWER_OMIT},
    {"check", NULL, ANSWER_TEXT, get_check,
     "the command that fails without the remedy, or where none is known, if the figure grows",
     .flags = ANSWER_OMIT},
};
static const struct answer_table causes_table =
    ANSWER_TABLE(ANSWER_ROWS, "causes", ANSWER_IN_JSON | ANSWER_IN_CSV, cause_columns,
                 "a cause, the costliest first");

static const struct answer_column caller_columns[] = {
    {"function", NULL, ANSWER_TEXT, SYMBOL_FUNCTION, "the function that calls"},
    {"file", NULL, ANSWER_TEXT, SYMBOL_FILE, "its source file", .flags = ANSWER_OMIT},
    {"line", NULL, ANSWER_WHOLE, SYMBOL_LINE, "the line", .flags = ANSWER_OMIT},
    {"share", NULL, ANSWER_SHARE, ANSWER_FIELD(struct heavy_call, share),
     "the part of the place's bytes that comes this way"},
};
static const struct answer_table callers_table =
    ANSWER_JSON(ANSWER_ROWS, "callers", caller_columns,
                "a line on the heaviest way to the place, the nearest first");

const struct answer_table *const diagnosis_tables[] = {&causes_table, &callers_table, NULL};

static void put_causes(struct answer *answer, const struct diagnosis *diagnosis)
{
    struct answer_section section = {.table = &causes_table,
                                     .context = diagnosis,
                                     .unit = diagnosis->cards.items[0].report.unit},
                          callers = section;
    callers.table = &callers_table;
    answer_begin(answer, &section);
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct cause *cause = &diagnosis->causes[i];
        answer_row(answer, cause);
        ANSWER_ITEMS(answer, &callers, cause->callers.calls, cause->callers.count);
    }
    answer_end(answer);
}

/* ---- For people ----------------------------------------------------------------------------- */

/* How much is told: from all to what fits in any case. */
static const struct detail {
    int name, source, remedy; /* columns that these may take */
    size_t callers;
} details[] = {
    {120, 120, 400, HEAVY_CHAIN_CALLS}, {80, 80, 160, 2}, {60, 0, 100, 1}, {40, 0, 60, 1}};

static void put_cut(struct text *text, const char *name, int width, char *(*cut)(const char *, int))
{
    const char *whole = plain(name);
    char *shown = text_width(whole) > width ? cut(whole, width) : NULL;
    text_put_string(text, shown ? shown : whole);
    free(shown);
}

static void put_place(struct text *text, const struct symbol *symbol, int width)
{
    char line[16];
    snprintf(line, sizeof line, ":%u", (unsigned)symbol->line);
    put_cut(text, symbol_name(symbol), width, cut_name);
    if (!symbol->file || !*symbol->file || !symbol->function)
        return;
    text_put_string(text, " (");
    put_cut(text, symbol->file, width, cut_name);
    text_put_string(text, symbol->line > 0 ? line : "");
    text_put_char(text, ')');
}

static void put_callers(struct text *text, const struct cause *cause, const struct detail *detail)
{
    for (size_t i = 0; i < cause->callers.count && i < detail->callers; i++) {
        const struct heavy_call *call = &cause->callers.calls[i];
        char share[16] = "";
        if (i == 0)
            snprintf(share, sizeof share, " %.0f %%", 100 * call->share);
        text_put_string(text, i == 0 ? "\n   called by " : " < ");
        put_place(text, &call->symbol, detail->name);
        text_put_string(text, share);
    }
}

static void put_amount(struct text *text, const struct diagnosis *diagnosis, const char *unit,
                       double value, struct estimate_range range)
{
    char amount[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    text_put_string(text, units_value(amount, value, unit));
    if (!report_is_sampled(diagnosis->report))
        return;
    text_put_string(text, " (");
    text_put_string(text, units_value(low, range.low, unit));
    text_put_string(text, " to ");
    text_put_string(text, units_value(high, range.high, unit));
    text_put_char(text, ')');
}

/* What the card's figure is called behind a value: of a profile that doesn't say what is in use and what was allocated, its type. */
static void put_of(struct text *text, const struct cause *cause)
{
    const struct card *card = cause->card;
    bool has_name = card->report.weight == WEIGHT_VALUE && !cards_are_of_memory(card);
    text_put_string(text, has_name ? " " : sentences[sentence_of(cause)].of);
    text_put_string(text, has_name ? plain(card->report.sample) : "");
}

/* "4.6 MB of 4.8 MB allocated; the remedy saves up to 4.6 MB", "5.0 M of 7.3 M samples" */
static void put_figures(struct text *text, const struct diagnosis *diagnosis,
                        const struct cause *cause)
{
    const struct card *card = cause->card;
    char whole[UNITS_TEXT_BYTES], saved[ADVICE_SAVED_BYTES];
    put_amount(text, diagnosis, card->report.unit, cause->bytes, cause->range);
    text_put_string(text, " of ");
    text_put_string(text, units_value(whole, card->value, card->report.unit));
    put_of(text, cause);
    if (!has_remedy(cause))
        return;
    text_put_string(text, "; the remedy saves ");
    text_put_string(text, advice_saved_text(saved, cause->advice, &diagnosis->advised.sites));
}

static void put_cause(struct text *text, const struct diagnosis *diagnosis, size_t number,
                      const struct detail *detail)
{
    const struct cause *cause = &diagnosis->causes[number];
    const char *line = cause->line, *remedy = remedy_of(diagnosis, cause);
    char check[128];
    text_put_uint(text, number + 1, 1);
    text_put_string(text, ". ");
    text_put_string(text, cause->title);
    text_put_string(text, ": ");
    put_place(text, &cause->symbol, detail->name);
    if (*line && detail->source > 0) {
        text_put_string(text, "\n   ");
        put_cut(text, line + strspn(line, " \t"), detail->source, cut_end);
    }
    put_callers(text, cause, detail);
    text_put_string(text, "\n   ");
    put_figures(text, diagnosis, cause);
    if (remedy) {
        text_put_string(text, "\n   ");
        put_cut(text, remedy, detail->remedy, cut_end);
    }
    if (*check_text(check, diagnosis, cause)) {
        text_put_string(text, has_remedy(cause) ? "\n   then: " : "\n   to keep: ");
        text_put_string(text, check);
    }
    text_put_char(text, '\n');
}

static void put_text(struct text *text, const struct diagnosis *diagnosis,
                     const struct detail *detail)
{
    text->size = 0;
    const struct report *report = diagnosis->report;
    text_put_string(text, plain(report->input.name));
    text_put_string(text, report_is_sampled(report) ? ": estimates, with 95 % bounds\n"
                          : diagnosis->has_blocks   ? ": exact figures\n"
                                                    : ": a profile of values by stack\n");
    if (*report->filter.text) {
        text_put_string(text, "Filter: ");
        put_cut(text, report->filter.text, detail->remedy, cut_end);
        text_put_char(text, '\n');
    }
    if (diagnosis->count == 0)
        text_put_string(text, "Nothing stands out.\n");
    for (size_t i = 0; i < diagnosis->count; i++)
        put_cause(text, diagnosis, i, detail);
}

static void say(struct answer *answer, const struct diagnosis *diagnosis)
{
    struct text text = {0};
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        put_text(&text, diagnosis, &details[i]);
        if (text.size <= TEXT_MOST)
            break;
    }
    answer->failed |= text.failed;
    if (!text.failed)
        answer_say_lines(answer, &text);
    text_release(&text);
}

/* ---- The answer ----------------------------------------------------------------------------- */

enum report_outcome diagnosis_put(struct answer *answer, const struct report *report)
{
    struct diagnosis diagnosis = {.report = report,
                                  .has_blocks = report->input.model->kind == MODEL_OBJECTS};
    if (!cards_init(&diagnosis.cards, report, true))
        return REPORT_UNFINISHED;
    advised_init(&diagnosis.advised, report);
    bool done = !diagnosis.has_blocks || advised_find(&diagnosis.advised, report, GRAIN_LINE);
    if (done) {
        add_causes(&diagnosis);
        say(answer, &diagnosis);
        put_causes(answer, &diagnosis);
    }
    advised_release(&diagnosis.advised);
    cards_release(&diagnosis.cards);
    return report_outcome_of(done);
}
