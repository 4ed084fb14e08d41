#include "report/summary/diagnosis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/cut.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/head.h"
#include "report/summary/diagnosis_check.h"
#include "report/symbol_columns.h"

enum { TEXT_MOST = 1650 };

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
    const struct site *site =
        diagnosis->has_blocks && cause->card == diagnosis_card(diagnosis, "left")
            ? sites_find(&diagnosis->advised.sites, cause->source)
            : NULL;
    const char *held = site ? advice_of_left(&diagnosis->advised.sites, site) : NULL;
    return held ? held : usual;
}

/* A cause whose remedy spares something of it, or of what the allocator takes beside it. */
static bool has_remedy(const struct cause *cause)
{
    return cause->saved > 0 || (cause->advice && cause->advice->overhead_bytes > 0);
}

/* ---- For programs --------------------------------------------------------------------------- */

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(get_##name, const struct cause *cause = row,                                        \
               const struct diagnosis *diagnosis = context, expression)

static struct answer_value check_value(const struct diagnosis *diagnosis, const struct cause *cause)
{
    char text[DIAGNOSIS_CHECK_BYTES];
    return *diagnosis_check(text, diagnosis, cause) ? answer_made(strdup(text)) : answer_nothing();
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

static const struct answer_column head_columns[] = {
    {"complete", NULL, ANSWER_FLAG, ANSWER_FIELD(struct report, input.is_whole),
     REPORT_COMPLETE_HELP},
};
static const struct answer_table head_table = ANSWER_JSON(ANSWER_RECORD, NULL, head_columns, NULL);

const struct answer_table *const diagnosis_tables[] = {&head_table, &causes_table, &callers_table,
                                                       NULL};

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
    char check[DIAGNOSIS_CHECK_BYTES];
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
    if (*diagnosis_check(check, diagnosis, cause)) {
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
    text_put_string(text, report_is_sampled(report) ? ": estimates, with 95 % bounds"
                          : !diagnosis->has_blocks  ? ": a profile of values by stack"
                          : report->input.is_whole  ? ": exact figures"
                                                    : "");
    text_put_string(text, report->input.is_whole ? "\n" : REPORT_LACKS_A_PART "\n");
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
        diagnosis_add_causes(&diagnosis);
        say(answer, &diagnosis);
        answer_record(answer, &(struct answer_section){.table = &head_table}, report);
        put_causes(answer, &diagnosis);
    }
    advised_release(&diagnosis.advised);
    cards_release(&diagnosis.cards);
    return report_outcome_of(done);
}
