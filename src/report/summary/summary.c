#include "report/summary/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/advised.h"
#include "report/advice/heads.h"
#include "base/affix.h"
#include "base/plain.h"
#include "base/units.h"
#include "profile/range_text.h"
#include "report/summary/cards.h"
#include "report/head.h"
#include "report/holders/holders.h"
#include "report/blocks/over_time.h"
#include "report/sites/free_lists.h"
#include "report/sites/site_place.h"
#include "report/symbol_columns.h"

enum { WORST_BYTES = 2000, CURVE_STEPS = 60, SHOWN_STEPS = 12, ADVICE_SHOWN = 2, ADVICE_TOLD = 10 };

struct summary {
    const struct report *report;
    struct cards cards;
    bool has_times; /* of a trace: the rest is of one */
    struct over_time over;
    double live[CURVE_STEPS], allocated[CURVE_STEPS];             /* bytes, by step */
    double shown_live[SHOWN_STEPS], shown_allocated[SHOWN_STEPS]; /* the same for people */
    struct advised advised;
    struct holders_kept kept; /* what holds most of what is left, ... */
    double kept_share;        /* ... and which part of that it holds */
};

bool summary_check(struct question *question, struct heaptap_error *error)
{
    (void)error;
    question->asks_moments = true;
    question->series_steps = CURVE_STEPS;
    question->folds_blocks = false; /* but where the series are read */
    return true;
}

/* ---- Curves ------------------------------------------------------------------------------ */

/* The most of a step that is known: its peak may have come and gone before its end. */
static double most_of_step(const struct series *series, size_t i)
{
    double live = series->steps[i].live.bytes;
    bool has_peak = series_step_us(series, i) <= series->peak_us &&
                    series->peak_us < series_step_us(series, i + 1);
    return has_peak ? fmax(live, series->peak.bytes) : live;
}

static void take_curves(struct summary *summary)
{
    const struct series *series = &summary->over.passing;
    for (size_t i = 0; i < series->count && i < CURVE_STEPS; i++) {
        size_t shown = i * SHOWN_STEPS / CURVE_STEPS;
        summary->live[i] = series->steps[i].live.bytes;
        summary->allocated[i] = series->steps[i].allocated.bytes;
        summary->shown_allocated[shown] += summary->allocated[i];
        summary->shown_live[shown] = fmax(summary->shown_live[shown], most_of_step(series, i));
    }
}

/* The peak is where most was: its bounds know that the place was looked for. */
static void take_peak(struct summary *summary)
{
    for (size_t i = 0; !summary->over.has_filter && i < summary->cards.count; i++)
        if (strcmp(summary->cards.items[i].kind->name, "peak") == 0)
            summary->cards.items[i].range = summary->over.passing.peak_range;
}

static bool is_of_left(const struct card *card)
{
    return strcmp(card->kind->name, "left") == 0 && card->symbol;
}

/* False when there is no memory. */
static bool take_kept_by(struct summary *summary)
{
    const struct card *left = NULL;
    for (size_t i = 0; i < summary->cards.count; i++)
        if (is_of_left(&summary->cards.items[i]))
            left = &summary->cards.items[i];
    if (!left)
        return (summary->kept.by = strdup(""));
    if (!holders_kept_by(summary->report, &summary->kept))
        return false;
    summary->kept_share = left->value > 0 ? fmin(summary->kept.bytes / left->value, 1) : 0;
    return true;
}

/* ---- Columns ------------------------------------------------------------------------------ */

enum { HAS_TIMES = 1, HAS_BOUNDS = 2 };

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(get_##name, const struct card *card = row, const struct summary *summary = context, \
               expression)

#define OF_SITE(name, expression) GETTER(name, card->symbol ? expression : answer_nothing())
#define OF_CALLER(name, expression) GETTER(name, card->has_caller ? expression : answer_nothing())

/* An exact recording compared with one that is not has bounds, too. */
static struct answer_value value_of(const struct summary *summary, const struct card *card)
{
    const struct report *base = summary->report->base;
    struct answer_value value = report_bounded(summary->report, card->value, card->range);
    value.has_no_range &= !card->difference || !report_is_sampled(base);
    return value;
}

static struct answer_value bounds(const struct card *card)
{
    char text[RANGE_TEXT_BYTES];
    return answer_made(strdup(range_ends_text(text, &card->range, units_bytes)));
}

static const struct stack_tally *total(const struct card *card)
{
    return &card->report.selection.profile.total;
}

/* What leaks or grows fastest, and is left; NULL for nothing. */
static const struct site *worst_left(const struct fates *fates)
{
    const struct site *worst = fates_worst(fates);
    while (worst && advice_is_let_go(fates, worst))
        worst = fates_next(fates, worst);
    return worst;
}

/* "keep (shop.c:12) leaks: 1.2 MB a minute (1.1 MB to 1.3 MB)": what leaks or grows fastest; "" where nothing does. */
static const char *worst_of(char text[WORST_BYTES], const struct summary *summary)
{
    const struct fates *fates = &summary->advised.fates;
    const struct site *worst = worst_left(fates);
    char rate[FATE_TEXT_BYTES], caution[FATE_TEXT_BYTES], line[SYMBOL_LINE_BYTES],
        through[SITE_THROUGH_BYTES];
    text[0] = 0;
    if (!worst)
        return text;
    const struct symbol place = fates_place(fates, worst);
    fates_caution(caution, fates, worst);
    bool is_first = *caution && fates_is_short(fates, worst);
    snprintf(text, WORST_BYTES, "%s%s%s%s%s %s: %s%s%s%s", is_first ? caution : "",
             is_first ? ": " : "", symbol_name(&place),
             symbol_line_text(line, place.file, place.line),
             site_through_text(through, &place, worst), fate_word(fates_of(fates, worst)),
             fates_rate(rate, fates, fates_survival(fates, worst)),
             *caution && !is_first ? "; " : "", is_first ? "" : caution,
             free_lists_may_hold(fates->sites, worst)
                 ? "; perhaps by other lines: CPython keeps such blocks in free lists"
                 : "");
    return text;
}

static struct answer_value worst_value(const struct summary *summary)
{
    char text[WORST_BYTES];
    return *worst_of(text, summary) ? answer_made(strdup(text)) : answer_nothing();
}

GETTER(grows, is_of_left(card) ? worst_value(summary) : answer_nothing())
/* Each process has an end of its own. */
static const char *title_of(const struct card *card)
{
    bool has_ends = card->report.input.model->process_count > 1;
    return has_ends && strcmp(card->kind->name, "left") == 0 ? "Left at the ends"
                                                             : card->kind->title;
}

GETTER(title, answer_text(title_of(card)))
GETTER(value, value_of(summary, card))
GETTER(bounds, bounds(card))
GETTER(objects,
       answer_number(stack_tally_objects(total(card), &card->report.selection.profile.estimate)))
OF_SITE(share, answer_number(card->share))
OF_SITE(called, symbol_value_name(card->symbol))
OF_SITE(call, symbol_column_call(card->symbol, NULL))
OF_SITE(call_file, symbol_column_call_file(card->symbol, NULL))
OF_SITE(call_share, symbol_column_call_share(card->symbol, NULL))
OF_SITE(place, symbol_value_place(card->symbol))
OF_CALLER(caller, answer_text(symbol_name(&card->caller.symbol)))
OF_CALLER(caller_share, answer_number(card->caller.share))
GETTER(kept_by,
       is_of_left(card) && *summary->kept.by ? answer_text(summary->kept.by) : answer_nothing())
GETTER(kept_share, is_of_left(card) && *summary->kept.by ? answer_number(summary->kept_share)
                                                         : answer_nothing())
#define OF_KEPT(name, expression)                                                                  \
    GETTER(name, is_of_left(card) && summary->kept.site.file ? expression : answer_nothing())
OF_KEPT(kept_function, answer_text(summary->kept.site.function))
OF_KEPT(kept_file, answer_text(summary->kept.site.file))
OF_KEPT(kept_line, symbol_value_line(&summary->kept.site))
GETTER(curve, card->kind->curve == CURVE_LIVE ? answer_series(summary->shown_live, SHOWN_STEPS)
              : card->kind->curve == CURVE_ALLOCATED
                  ? answer_series(summary->shown_allocated, SHOWN_STEPS)
                  : answer_nothing())

static const struct answer_column card_columns[] = {
    {"card", NULL, ANSWER_TEXT, ANSWER_FIELD_OF(struct card, kind, name),
     "its name: peak, left, churn, total, in-use; changed: what is more than in the base, or less"},
    {"title", "MEMORY", ANSWER_TEXT, get_title, "the same for people", .flags = ANSWER_LABEL},
    {"clause", NULL, ANSWER_TEXT, ANSWER_FIELD(struct card, clause),
     "what the card adds to the filter; with sample_type, what `heaptap hotspots` is to be asked"},
    {"sample_type", NULL, ANSWER_TEXT, ANSWER_FIELD(struct card, report.sample),
     "what is counted, by pprof's names"},
    {"value", "BYTES", ANSWER_AMOUNT, get_value,
     "what the card is about, in the unit of all values (an exact figure has no bounds)",
     .flags = ANSWER_HAS_RANGE},
    {NULL, "95 % BOUNDS", ANSWER_TEXT, get_bounds, NULL, HAS_BOUNDS, ANSWER_SPARE},
    {"objects", NULL, ANSWER_COUNT, get_objects, "blocks that it is of", HAS_TIMES},
    {"share", "SHARE", ANSWER_SHARE, get_share, "the part that its heaviest line has",
     .flags = ANSWER_COARSE},
    {"function", NULL, ANSWER_TEXT, ANSWER_FIELD_OF(struct card, symbol, function),
     "the function of that line, libraries left out"},
    {"file", NULL, ANSWER_TEXT, ANSWER_FIELD_OF(struct card, symbol, file), "its source file"},
    {"line", NULL, ANSWER_WHOLE, ANSWER_FILLED_OF(struct card, symbol, line), "the line",
     .flags = ANSWER_OMIT},
    SYMBOL_CALL_KEYS_OF(get_call, get_call_file, get_call_share),
    {NULL, "FUNCTION", ANSWER_NAME, get_called},
    {NULL, "PLACE", ANSWER_PLACE, get_place},
    {"caller", "CALLED BY", ANSWER_NAME, get_caller,
     "the nearest caller that says something of that line, and through which at least half of it comes",
     .flags = ANSWER_SPARE},
    {"caller_share", NULL, ANSWER_SHARE, get_caller_share, "the line's part through it"},
    {"grows", NULL, ANSWER_TEXT, get_grows,
     "of what is left: the line that leaks or grows fastest, as `heaptap leaks` says",
     .flags = ANSWER_OMIT},
    {"kept_by", NULL, ANSWER_TEXT, get_kept_by,
     "what holds most of what is left, where it was recorded with --holders", .flags = ANSWER_OMIT},
    {"kept_share", NULL, ANSWER_SHARE, get_kept_share, "the part of what is left that is held so",
     .flags = ANSWER_OMIT},
    {"kept_function", NULL, ANSWER_TEXT, get_kept_function,
     "the function of the line that this leads to", .flags = ANSWER_OMIT},
    {"kept_file", NULL, ANSWER_TEXT, get_kept_file, "its source file", .flags = ANSWER_OMIT},
    {"kept_line", NULL, ANSWER_WHOLE, get_kept_line, "the line", .flags = ANSWER_OMIT},
    {NULL, "TIME", ANSWER_SERIES, get_curve, NULL, HAS_TIMES, ANSWER_SPARE},
};

static const struct answer_table cards_table =
    ANSWER_TABLE(ANSWER_ROWS, "cards", ANSWER_IN_ALL, card_columns,
                 "a question that everybody asks, with its answer");

#define OF_SUMMARY(member) ANSWER_FIELD(struct summary, member)

static const struct answer_column times_columns[] = {
    {"from_us", NULL, ANSWER_TIME, OF_SUMMARY(over.passing.from_us), "when the first step begins"},
    {"to_us", NULL, ANSWER_TIME, OF_SUMMARY(over.passing.to_us), "when the last one ends"},
    {"peak_us", NULL, ANSWER_TIME, OF_SUMMARY(over.passing.peak_us), "when most was alive"},
    {"live_bytes", NULL, ANSWER_SERIES, OF_SUMMARY(live), "alive at the end of each step"},
    {"allocated_bytes", NULL, ANSWER_SERIES, OF_SUMMARY(allocated), "allocated in each step"},
};
static const struct answer_table times_table =
    ANSWER_JSON(ANSWER_RECORD, "over_time", times_columns, "what passes the filter, over time");

/* ---- Advice ------------------------------------------------------------------------------- */

#define OF_ADVICE(name, expression)                                                                \
    ANSWER_GET(advice_get_##name, const struct advice *advice = row,                               \
               const struct summary *summary = context, expression)
OF_ADVICE(rule, answer_text(advice_name(advice)))
OF_ADVICE(title, answer_text(advice_title(advice)))
OF_ADVICE(remedy, answer_text(advice_remedy(advice, &summary->advised.sites)))
OF_ADVICE(saved_is, answer_text(advice->cause ? advice_saves_how(advice) : NULL))
OF_ADVICE(saved, advice->cause ? advised_saved(&summary->advised, advice) : answer_nothing())

OF_ADVICE(call, symbol_column_call(&advice->symbol, NULL))
OF_ADVICE(call_file, symbol_column_call_file(&advice->symbol, NULL))
OF_ADVICE(call_share, symbol_column_call_share(&advice->symbol, NULL))

static const struct answer_column advice_columns[] = {
    {"rule", NULL, ANSWER_TEXT, advice_get_rule, "name of the rule"},
    {"title", NULL, ANSWER_TEXT, advice_get_title, "what it is"},
    {"function", NULL, ANSWER_TEXT, ANSWER_FIELD(struct advice, symbol.function),
     "name of the function"},
    {"file", NULL, ANSWER_TEXT, ANSWER_FIELD(struct advice, symbol.file), "source file"},
    {"line", NULL, ANSWER_WHOLE, ANSWER_FILLED(struct advice, symbol.line), "line of the file",
     .flags = ANSWER_OMIT},
    SYMBOL_CALL_KEYS_OF(advice_get_call, advice_get_call_file, advice_get_call_share),
    {"saved", NULL, ANSWER_BYTES, advice_get_saved,
     "bytes that the remedy saves (an exact figure has no bounds)",
     .flags = ANSWER_OMIT | ANSWER_HAS_RANGE},
    {"saved_is", NULL, ANSWER_TEXT, advice_get_saved_is, "how sure that is: `up to` or `about`",
     .flags = ANSWER_OMIT},
    {"source", NULL, ANSWER_TEXT, ANSWER_FILLED(struct advice, line),
     "the source line, if it was found", .flags = ANSWER_OMIT},
    {"remedy", NULL, ANSWER_TEXT, advice_get_remedy, "what usually helps"},
};
static const struct answer_table advice_table =
    ANSWER_JSON(ANSWER_ROWS, "advice", advice_columns, "the first points of `heaptap advice`");

const struct answer_table *const summary_tables[] = {&cards_table, &times_table, &advice_table,
                                                     NULL};

static void say_advice(struct answer *answer, const struct advice *advice)
{
    const struct symbol *symbol = &advice->symbol;
    char saved[ADVICE_SAVED_BYTES], much[ADVICE_SAVED_BYTES + 16] = "", place[SYMBOL_LINE_BYTES],
                                                              call[SYMBOL_CALL_BYTES];
    if (advice->cause)
        snprintf(much, sizeof much, ", saves %s", advice_saved_text(saved, advice, NULL));
    answer_say(answer, "%s: %s%s%s%s", advice_title(advice), plain(symbol_name(symbol)),
               symbol_line_text(place, plain(symbol->file), symbol->line),
               plain(symbol_call_text(call, symbol)), much);
}

/* ---- The answer ----------------------------------------------------------------------------- */

static const char *what_lacks(const struct report_input *input)
{
    return input->is_partial  ? ", but not all that the command did"
           : !input->is_whole ? REPORT_LACKS_A_PART
                              : "";
}

static void say_head(struct answer *answer, const struct summary *summary)
{
    const struct report *report = summary->report;
    const struct model *model = report->input.model;
    const struct stack_tally *all = &report->selection.profile.total;
    char run[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES], figures[96] = "; exact";
    if (report_is_sampled(report))
        snprintf(figures, sizeof figures, "; estimates from %" PRIu64 " samples", all->samples);
    else if (!report->input.is_whole && !report->input.is_partial)
        *figures = 0;
    if (!summary->has_times)
        answer_say(answer, "%s: a profile of values by stack%s", plain(report->input.name),
                   what_lacks(&report->input));
    else
        answer_say(answer, "%s: ran %s and allocated %s%s%s", plain(report->input.name),
                   units_duration(run, 1e-6 * (double)model->end_us),
                   units_counted(objects, stack_tally_objects(all, &model->estimate), "object"),
                   figures, what_lacks(&report->input));
    if (report->base)
        answer_say(answer, "Compared with %s", plain(report->base->input.name));
    report_say_filter(answer, report);
}

/* Of a recording whose names nobody looked up, as its recorder was killed or told not to. */
static void say_nameless(struct answer *answer, const struct report *report)
{
    const struct model *model = report->input.model;
    size_t nameless = 0;
    while (nameless < model->line_count && ends_with_offset(model->lines[nameless].function))
        nameless++;
    if (nameless > 0 && nameless == model->line_count)
        answer_say(answer,
                   "Its functions are addresses still: `heaptap file symbolize %s` looks up their "
                   "names",
                   plain(report->input.path));
}

static void put_cards(struct answer *answer, const struct summary *summary, unsigned has)
{
    struct answer_section section = {.table = &cards_table,
                                     .context = summary,
                                     .has = has,
                                     .unit = summary->cards.items[0].report.unit};
    ANSWER_ITEMS(answer, &section, summary->cards.items, summary->cards.count);
}

/* Below stands the line that allocated it, if that is nearly always the same. */
static void say_lost(struct answer *answer, const struct summary *summary)
{
    char bytes[UNITS_TEXT_BYTES];
    const struct holders_kept *kept = &summary->kept;
    const char *nothing = HOLDERS_NOTHING " -> ";
    answer_say(answer, "Of what is left at the end, %.3g %% (%s) is lost: nothing leads to it",
               100 * summary->kept_share, units_bytes(bytes, kept->bytes));
    if (begins_with(kept->by, nothing))
        answer_explain(answer, plain(kept->by + strlen(nothing)));
}

static void say_kept_by(struct answer *answer, const struct summary *summary)
{
    const double most = 0.5;
    double percent = 100 * summary->kept_share;
    if (!*summary->kept.by)
        return;
    if (summary->kept.is_lost) {
        say_lost(answer, summary);
        return;
    }
    if (summary->kept_share >= most)
        answer_say(answer, "Most of what is left at the end, %.0f %%, is held by", percent);
    else
        answer_say(answer, "Of what is left at the end, %.3g %% is held by", percent);
    answer_explain(answer, plain(summary->kept.by));
}

/* What leaks or grows fastest, before all advice. */
static void say_worst(struct answer *answer, const struct summary *summary)
{
    char text[WORST_BYTES];
    if (*worst_of(text, summary))
        answer_say(answer, "%s", plain(text));
}

/* Does it say what say_worst has said? */
static bool is_worst(const struct summary *summary, const struct advice *advice)
{
    return !advice->cause && advice->rule == ADVICE_GROWING &&
           advice->site == fates_worst(&summary->advised.fates);
}

static void put_advice(struct answer *answer, const struct summary *summary, unsigned has)
{
    struct answer_section section = {.table = &advice_table, .context = summary, .has = has};
    size_t most = answer_is_read(answer) ? ADVICE_SHOWN : ADVICE_TOLD;
    size_t shown = summary->advised.count < most ? summary->advised.count : most;
    if (shown > 0)
        answer_say(answer, "%s", "");
    say_worst(answer, summary);
    answer_begin(answer, &section);
    for (size_t i = 0; i < shown; i++) {
        if (!is_worst(summary, &summary->advised.items[i]))
            say_advice(answer, &summary->advised.items[i]);
        answer_row(answer, &summary->advised.items[i]);
    }
    answer_end(answer);
}

static void put(struct answer *answer, const struct summary *summary)
{
    unsigned has = report_is_sampled(summary->report) ? HAS_BOUNDS : 0;
    if (summary->has_times)
        has |= HAS_TIMES;
    say_head(answer, summary);
    report_head(answer, summary->report);
    report_say_its_hidden(answer, summary->report);
    say_nameless(answer, summary->report);
    put_cards(answer, summary, has);
    if (!summary->has_times)
        say_worst(answer, summary);
    if (!summary->has_times)
        return;
    say_kept_by(answer, summary);
    answer_record(answer, &(struct answer_section){.table = &times_table}, summary);
    put_advice(answer, summary, has);
}

/* ---- Making it ---------------------------------------------------------------------------- */

/* Of a profile there is no advice; its places may grow. */
static bool find_sites(struct advised *advised, const struct report *report)
{
    return sites_init(&advised->sites, report, GRAIN_LINE, false, false) &&
           fates_init(&advised->fates, &advised->sites, &report->matcher);
}

static bool look_at_blocks(struct summary *summary)
{
    const struct over_time_part all = {
        .to_us = summary->report->input.model->end_us + 1, .steps = CURVE_STEPS, .lacks_all = true};
    if (!over_time_init(&summary->over, summary->report, &all))
        return false;
    take_curves(summary);
    take_peak(summary);
    return advised_find(&summary->advised, summary->report, GRAIN_LINE);
}

enum report_outcome summary_put(struct answer *answer, const struct report *report)
{
    struct summary summary = {.report = report,
                              .has_times = report->input.model->kind == MODEL_OBJECTS};
    if (!cards_init(&summary.cards, report, false))
        return REPORT_UNFINISHED;
    advised_init(&summary.advised, report);
    bool done =
        take_kept_by(&summary) &&
        (summary.has_times ? look_at_blocks(&summary) : find_sites(&summary.advised, report));
    if (done)
        put(answer, &summary);
    over_time_release(&summary.over);
    advised_release(&summary.advised);
    cards_release(&summary.cards);
    free(summary.kept.by);
    return report_outcome_of(done);
}
