#include "report/summary/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/rules.h"
#include "report/sites/fates.h"
#include "base/plain.h"
#include "base/units.h"
#include "profile/range_text.h"
#include "report/summary/cards.h"
#include "report/head.h"
#include "report/holders/holders.h"
#include "report/blocks/over_time.h"
#include "report/advice/source_lines.h"
#include "report/symbol_columns.h"

enum { CURVE_STEPS = 60, SHOWN_STEPS = 12, ADVICE_SHOWN = 2, ADVICE_TOLD = 10 };

struct summary {
    const struct report *report;
    struct cards cards;
    bool has_times; /* of a trace: the rest is of one */
    struct over_time over;
    double live[CURVE_STEPS], allocated[CURVE_STEPS];             /* bytes, by step */
    double shown_live[SHOWN_STEPS], shown_allocated[SHOWN_STEPS]; /* the same for people */
    struct sites sites;
    struct source_lines lines;
    struct advice *advice; /* the most useful first */
    size_t advice_count;
    char *
        kept_by; /* of the heaviest line of what is left: the way on which most of it is held; "" where that isn't known */
};

bool summary_check(struct question *question, struct heaptap_error *error)
{
    (void)error;
    question->series_steps = CURVE_STEPS;
    question->folds_blocks = false; /* but where the series are read */
    return true;
}

/* ---- Curves ------------------------------------------------------------------------------ */

static void take_curves(struct summary *summary)
{
    const struct series *series = &summary->over.passing;
    for (size_t i = 0; i < series->count && i < CURVE_STEPS; i++) {
        size_t shown = i * SHOWN_STEPS / CURVE_STEPS;
        double live = series->steps[i].live.bytes, allocated = series->steps[i].allocated.bytes;
        summary->live[i] = live;
        summary->allocated[i] = allocated;
        summary->shown_allocated[shown] += allocated;
        if (live > summary->shown_live[shown])
            summary->shown_live[shown] = live;
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
    for (size_t i = 0; i < summary->cards.count && !summary->kept_by; i++) {
        const struct card *card = &summary->cards.items[i];
        if (is_of_left(card) &&
            !(summary->kept_by = holders_kept_by(summary->report, card->symbol)))
            return false;
    }
    return summary->kept_by || (summary->kept_by = strdup(""));
}

/* ---- Columns ------------------------------------------------------------------------------ */

enum { HAS_TIMES = 1, HAS_BOUNDS = 2 };

#define GETTER(name, expression)                                                                   \
    static struct answer_value get_##name(const void *row, const void *context)                    \
    {                                                                                              \
        const struct card *card = row;                                                             \
        const struct summary *summary = context;                                                   \
        (void)card, (void)summary;                                                                 \
        return expression;                                                                         \
    }

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

GETTER(name, answer_text(card->kind->name))
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
OF_SITE(function, answer_text(card->symbol->function))
OF_SITE(file, answer_text(card->symbol->file))
OF_SITE(line, symbol_value_line(card->symbol))
OF_SITE(called, answer_text(symbol_name(card->symbol)))
OF_SITE(place, symbol_value_place(card->symbol))
OF_CALLER(caller, answer_text(symbol_name(&card->caller.symbol)))
OF_CALLER(caller_share, answer_number(card->caller.share))
GETTER(kept_by,
       is_of_left(card) && *summary->kept_by ? answer_text(summary->kept_by) : answer_nothing())
GETTER(curve, card->kind->curve == CURVE_LIVE ? answer_series(summary->shown_live, SHOWN_STEPS)
              : card->kind->curve == CURVE_ALLOCATED
                  ? answer_series(summary->shown_allocated, SHOWN_STEPS)
                  : answer_nothing())

static const struct answer_column card_columns[] = {
    {"card", NULL, ANSWER_TEXT, get_name, 0, 0,
     "its name: peak, left, churn, total, in-use; changed: what is more than in the base, or less"},
    {"title", "MEMORY", ANSWER_TEXT, get_title, 0, ANSWER_LABEL, "the same for people"},
    {"clause", NULL, ANSWER_TEXT, ANSWER_FIELD(struct card, clause), 0, 0,
     "what the card adds to the filter; with sample_type, what `heaptap hotspots` is to be asked"},
    {"sample_type", NULL, ANSWER_TEXT, ANSWER_FIELD(struct card, report.sample), 0, 0,
     "what is counted, by pprof's names"},
    {"value", "BYTES", ANSWER_AMOUNT, get_value, 0, ANSWER_HAS_RANGE,
     "what the card is about, in the unit of all values (an exact figure has no bounds)"},
    {NULL, "95 % BOUNDS", ANSWER_TEXT, get_bounds, HAS_BOUNDS, ANSWER_SPARE, NULL},
    {"objects", NULL, ANSWER_COUNT, get_objects, HAS_TIMES, 0, "blocks that it is of"},
    {"share", "SHARE", ANSWER_SHARE, get_share, 0, ANSWER_COARSE,
     "the part that its heaviest line has"},
    {"function", NULL, ANSWER_TEXT, get_function, 0, 0,
     "the function of that line, libraries left out"},
    {"file", NULL, ANSWER_TEXT, get_file, 0, 0, "its source file"},
    {"line", NULL, ANSWER_WHOLE, get_line, 0, ANSWER_OMIT, "the line"},
    {NULL, "FUNCTION", ANSWER_NAME, get_called, 0, 0, NULL},
    {NULL, "PLACE", ANSWER_PLACE, get_place, 0, 0, NULL},
    {"caller", "CALLED BY", ANSWER_NAME, get_caller, 0, ANSWER_SPARE,
     "the nearest caller that says something of that line"},
    {"caller_share", NULL, ANSWER_SHARE, get_caller_share, 0, 0, "the line's part through it"},
    {"kept_by", NULL, ANSWER_TEXT, get_kept_by, 0, ANSWER_OMIT,
     "of what is left: the way on which most of that line's blocks are held, where it was recorded with --holders"},
    {NULL, "TIME", ANSWER_SERIES, get_curve, HAS_TIMES, ANSWER_SPARE, NULL},
};

static const struct answer_table cards_table = {
    .key = "cards",
    .forms = ANSWER_IN_ALL,
    ANSWER_COLUMNS(card_columns),
    .help = "a question that everybody asks, with its answer"};

#define OF_TIMES(name, expression)                                                                 \
    static struct answer_value times_##name(const void *row, const void *context)                  \
    {                                                                                              \
        const struct summary *summary = row;                                                       \
        (void)context;                                                                             \
        return expression;                                                                         \
    }
OF_TIMES(from, answer_number((double)summary->over.passing.from_us))
OF_TIMES(to, answer_number((double)summary->over.passing.to_us))
OF_TIMES(peak, answer_number((double)summary->over.passing.peak_us))
OF_TIMES(live, answer_series(summary->live, CURVE_STEPS))
OF_TIMES(allocated, answer_series(summary->allocated, CURVE_STEPS))

static const struct answer_column times_columns[] = {
    {"from_us", NULL, ANSWER_TIME, times_from, 0, 0, "when the first step begins"},
    {"to_us", NULL, ANSWER_TIME, times_to, 0, 0, "when the last one ends"},
    {"peak_us", NULL, ANSWER_TIME, times_peak, 0, 0, "when most was alive"},
    {"live_bytes", NULL, ANSWER_SERIES, times_live, 0, 0, "alive at the end of each step"},
    {"allocated_bytes", NULL, ANSWER_SERIES, times_allocated, 0, 0, "allocated in each step"},
};
static const struct answer_table times_table = {.key = "over_time",
                                                .shape = ANSWER_RECORD,
                                                .forms = ANSWER_IN_JSON,
                                                ANSWER_COLUMNS(times_columns),
                                                .help = "what passes the filter, over time"};

/* ---- Advice ------------------------------------------------------------------------------- */

#define OF_ADVICE(name, expression)                                                                \
    static struct answer_value advice_get_##name(const void *row, const void *context)             \
    {                                                                                              \
        const struct advice *advice = row;                                                         \
        const struct summary *summary = context;                                                   \
        (void)summary;                                                                             \
        return expression;                                                                         \
    }
OF_ADVICE(rule, answer_text(advice_name(advice)))
OF_ADVICE(title, answer_text(advice_title(advice)))
OF_ADVICE(function, answer_text(advice->symbol.function))
OF_ADVICE(file, answer_text(advice->symbol.file))
OF_ADVICE(line, symbol_value_line(&advice->symbol))
OF_ADVICE(remedy, answer_text(advice_remedy(advice, &summary->sites)))
OF_ADVICE(source, answer_text(*advice->line ? advice->line : NULL))
OF_ADVICE(saved, advice->cause ? report_bounded(summary->report, advice->saved_bytes,
                                                advice_saved_range(advice, &summary->sites))
                               : answer_nothing())

static const struct answer_column advice_columns[] = {
    {"rule", NULL, ANSWER_TEXT, advice_get_rule, 0, 0, "name of the rule"},
    {"title", NULL, ANSWER_TEXT, advice_get_title, 0, 0, "what it is"},
    {"function", NULL, ANSWER_TEXT, advice_get_function, 0, 0, "name of the function"},
    {"file", NULL, ANSWER_TEXT, advice_get_file, 0, 0, "source file"},
    {"line", NULL, ANSWER_WHOLE, advice_get_line, 0, ANSWER_OMIT, "line of the file"},
    {"saved", NULL, ANSWER_BYTES, advice_get_saved, 0, ANSWER_OMIT | ANSWER_HAS_RANGE,
     "bytes that the remedy saves at most (an exact figure has no bounds)"},
    {"source", NULL, ANSWER_TEXT, advice_get_source, 0, ANSWER_OMIT,
     "the source line, if it was found"},
    {"remedy", NULL, ANSWER_TEXT, advice_get_remedy, 0, 0, "what usually helps"},
};
static const struct answer_table advice_table = {.key = "advice",
                                                 .forms = ANSWER_IN_JSON,
                                                 ANSWER_COLUMNS(advice_columns),
                                                 .help = "the first points of `heaptap advice`"};

const struct answer_table *const summary_tables[] = {&cards_table, &times_table, &advice_table,
                                                     NULL};

static void say_advice(struct answer *answer, const struct advice *advice)
{
    const struct symbol *symbol = &advice->symbol;
    char saved[UNITS_TEXT_BYTES], much[UNITS_TEXT_BYTES + 32] = "", place[512] = "";
    if (advice->cause)
        snprintf(much, sizeof much, ", saves up to %s", units_bytes(saved, advice->saved_bytes));
    if (symbol->file && symbol->line > 0)
        snprintf(place, sizeof place, " (%s:%u)", plain(symbol->file), (unsigned)symbol->line);
    answer_say(answer, "%s: %s%s%s", advice_title(advice), plain(symbol_name(symbol)), place, much);
}

/* ---- The answer ----------------------------------------------------------------------------- */

static void say_head(struct answer *answer, const struct summary *summary)
{
    const struct report *report = summary->report;
    const struct model *model = report->input.model;
    const struct stack_tally *all = &report->selection.profile.total;
    char run[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES], figures[96] = "exact";
    if (report_is_sampled(report))
        snprintf(figures, sizeof figures, "estimates from %" PRIu64 " samples", all->samples);
    if (!summary->has_times)
        answer_say(answer, "%s: a profile of values by stack", plain(report->input.name));
    else
        answer_say(answer, "%s: ran %s and allocated %s objects; %s%s", plain(report->input.name),
                   units_duration(run, 1e-6 * (double)model->end_us),
                   units_count(objects, stack_tally_objects(all, &model->estimate)), figures,
                   report->input.is_whole ? "" : "; the file lacks a part of what the program did");
    if (report->base)
        answer_say(answer, "Compared with %s", plain(report->base->input.name));
    report_say_filter(answer, report);
}

static void put_cards(struct answer *answer, const struct summary *summary, unsigned has)
{
    struct answer_section section = {.table = &cards_table,
                                     .context = summary,
                                     .has = has,
                                     .unit = summary->cards.items[0].report.unit};
    answer_begin(answer, &section);
    for (size_t i = 0; i < summary->cards.count; i++)
        answer_row(answer, &summary->cards.items[i]);
    answer_end(answer);
}

static void say_kept_by(struct answer *answer, const struct summary *summary)
{
    if (*summary->kept_by)
        answer_say(answer, "What is left at the end is held by %s", plain(summary->kept_by));
}

/* What leaks or grows fastest, before all advice.  False when there is no memory. */
static bool say_worst(struct answer *answer, const struct summary *summary)
{
    struct fates fates;
    char rate[FATE_TEXT_BYTES], place[512] = "";
    if (!answer_is_read(answer))
        return true;
    if (!fates_init(&fates, &summary->sites, &summary->report->matcher))
        return false;
    const struct site *worst = fates_worst(&fates);
    const struct symbol *symbol = worst ? &worst->symbol : NULL;
    if (symbol && symbol->file && symbol->line > 0)
        snprintf(place, sizeof place, " (%s:%u)", plain(symbol->file), (unsigned)symbol->line);
    if (worst)
        answer_say(answer, "%s%s %s: %s", plain(symbol_name(symbol)), place,
                   fate_word(fates_of(&fates, worst)),
                   fates_rate(rate, &fates, fates_survival(&fates, worst)));
    fates_release(&fates);
    return true;
}

static void put_advice(struct answer *answer, const struct summary *summary, unsigned has)
{
    struct answer_section section = {.table = &advice_table, .context = summary, .has = has};
    size_t most = answer_is_read(answer) ? ADVICE_SHOWN : ADVICE_TOLD;
    size_t shown = summary->advice_count < most ? summary->advice_count : most;
    if (shown > 0)
        answer_say(answer, "%s", "");
    if (!say_worst(answer, summary))
        answer->failed = true;
    answer_begin(answer, &section);
    for (size_t i = 0; i < shown; i++) {
        say_advice(answer, &summary->advice[i]);
        answer_row(answer, &summary->advice[i]);
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
    put_cards(answer, summary, has);
    if (!summary->has_times)
        return;
    say_kept_by(answer, summary);
    answer_record(answer, &(struct answer_section){.table = &times_table}, summary);
    put_advice(answer, summary, has);
}

/* ---- Making it ---------------------------------------------------------------------------- */

static bool find_advice(struct summary *summary)
{
    const struct report *report = summary->report;
    struct evidence_sources reader = source_lines_reader(&summary->lines);
    if (!sites_init(&summary->sites, &report->matcher, &report->filter, GRAIN_LINE, false, true))
        return false;
    if (advice_find(&summary->sites, &reader, &summary->advice, &summary->advice_count))
        return true;
    sites_release(&summary->sites);
    return false;
}

static bool look_at_blocks(struct summary *summary)
{
    const struct over_time_part all = {.to_us = summary->report->input.model->end_us + 1,
                                       .steps = CURVE_STEPS};
    if (!over_time_init(&summary->over, summary->report, &all))
        return false;
    take_curves(summary);
    take_peak(summary);
    if (find_advice(summary))
        return true;
    over_time_release(&summary->over);
    return false;
}

static void release_blocks(struct summary *summary)
{
    over_time_release(&summary->over);
    free(summary->advice);
    sites_release(&summary->sites);
    source_lines_release(&summary->lines);
}

enum report_outcome summary_put(struct answer *answer, const struct report *report)
{
    struct summary summary = {.report = report,
                              .has_times = report->input.model->kind == MODEL_OBJECTS,
                              .lines = {.sources = report->sources}};
    if (!cards_init(&summary.cards, report))
        return REPORT_UNFINISHED;
    bool done = take_kept_by(&summary) && (!summary.has_times || look_at_blocks(&summary));
    if (done)
        put(answer, &summary);
    if (done && summary.has_times)
        release_blocks(&summary);
    cards_release(&summary.cards);
    free(summary.kept_by);
    return report_outcome_of(done);
}
