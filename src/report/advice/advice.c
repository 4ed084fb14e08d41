#include "report/advice/advice.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report/advice/advised.h"
#include "report/advice/heads.h"
#include "base/plain.h"
#include "report/head.h"
#include "report/sites/site_place.h"
#include "report/symbol_columns.h"

enum { POINTS_SHOWN = 20 };

static void print_rules(void)
{
    const char *name, *condition;
    for (size_t i = 0; advice_rule_at(i, &name, &condition); i++)
        printf("%-22s  %s\n", name, condition);
}

const struct question_option advice_options[] = {
    {"rules", 0, OPTION_PRINT, 0, NULL, "List the rules and when they apply", .print = print_rules},
    {"node-count", 'n', OPTION_NUMBER, 0, "N", "Show N points at most (20); 0 for all",
     offsetof(struct question, node_count)},
    {NULL},
};

struct points {
    const struct report *report;
    struct advised all;
    size_t shown;
};

struct point {
    struct symbol symbol; /* first: its columns' */
    const struct advice *advice;
    const struct site *site; /* its place */
};

/* ---- Columns ------------------------------------------------------------------------- */

enum { IS_SAMPLED = 1 };

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(get_##name, const struct advice *advice = ((const struct point *)row)->advice,      \
               const struct points *points = context, expression)

static struct answer_value evidence(const struct points *points, const struct advice *advice)
{
    char text[ADVICE_TEXT_BYTES];
    return answer_made(strdup(advice_evidence(text, advice, &points->all.sites)));
}

static struct answer_value bound(const struct points *points, const struct advice *advice,
                                 bool is_high)
{
    struct estimate_range range = advice_saved_range(advice, &points->all.sites);
    return answer_number_if(advice_saved_has_range(advice, &points->all.sites),
                            is_high ? range.high : range.low);
}

GETTER(rule, answer_text(advice_name(advice)))
GETTER(title, answer_text(advice_title(advice)))
GETTER(evidence, evidence(points, advice))
GETTER(remedy, answer_text(advice_remedy(advice, &points->all.sites)))
GETTER(condition, answer_text(advice_condition(advice)))
GETTER(saved, answer_number_if(advice->cause, advice->saved_bytes))
GETTER(saved_is, answer_text(advice->cause ? advice_saves_how(advice) : NULL))
GETTER(type, answer_filled(advice->cause ? advice->type.name : NULL))
GETTER(saved_low, bound(points, advice, false))
GETTER(saved_high, bound(points, advice, true))
GETTER(saved_overhead, answer_number_if(advice->overhead_bytes > 0, advice->overhead_bytes))
GETTER(before, answer_text(advice->example.before))
GETTER(after, answer_text(advice->example.after))
GETTER(verify, answer_text(advice->cause ? advice_verify(advice->cause) : NULL))
GETTER(samples, answer_number((double)advice_samples(advice, &points->all.sites)))

static const struct answer_column point_columns[] = {
    {"rule", NULL, ANSWER_TEXT, get_rule, "name of the rule"},
    {"title", NULL, ANSWER_TEXT, get_title, "what it is", .flags = ANSWER_NO_CSV},
    SYMBOL_KEYS(0),
    SYMBOL_CALL_KEYS,
    {"share", NULL, ANSWER_SHARE, ANSWER_FIELD_OF(struct point, advice, share),
     "part of the whole that the rule is about; points are ranked by it"},
    {"part", NULL, ANSWER_SHARE, ANSWER_FIELD_OF(struct point, advice, part),
     "part of the place's own figures to which the rule applies"},
    {"evidence", NULL, ANSWER_TEXT, get_evidence, "the figures, as a sentence"},
    {"samples", NULL, ANSWER_WHOLE, get_samples, "samples that the figures rest on", IS_SAMPLED},
    {"remedy", NULL, ANSWER_TEXT, get_remedy, "what usually helps", .flags = ANSWER_NO_CSV},
    {"condition", NULL, ANSWER_TEXT, get_condition, "when the rule applies",
     .flags = ANSWER_NO_CSV},
    {"type", NULL, ANSWER_TEXT, get_type,
     "of `new T`, make_unique<T> and make_shared<T>: T, by the debug information",
     .flags = ANSWER_NO_CSV | ANSWER_OMIT},
    {"source", NULL, ANSWER_TEXT, ANSWER_FILLED_OF(struct point, advice, line),
     "the source line, if it was found", .flags = ANSWER_NO_CSV | ANSWER_OMIT},
    {"saved", NULL, ANSWER_BYTES, get_saved, "of a cause: bytes that the remedy saves",
     .flags = ANSWER_NO_CSV | ANSWER_OMIT},
    {"saved_is", NULL, ANSWER_TEXT, get_saved_is,
     "how sure that is: `up to`, or of blocks that replace others `about`",
     .flags = ANSWER_NO_CSV | ANSWER_OMIT},
    {"saved_low", NULL, ANSWER_BYTES, get_saved_low,
     "its lower bound: of an estimate, or where nobody knows how full the last block of what grows is",
     .flags = ANSWER_NO_CSV | ANSWER_OMIT},
    {"saved_high", NULL, ANSWER_BYTES, get_saved_high, "its upper bound",
     .flags = ANSWER_NO_CSV | ANSWER_OMIT},
    {"saved_overhead", NULL, ANSWER_BYTES, get_saved_overhead,
     "of a cause whose remedy spares blocks: what glibc's malloc takes for them beside `bytes`; no part of `saved`",
     .flags = ANSWER_NO_CSV | ANSWER_OMIT},
    {"before", NULL, ANSWER_TEXT, get_before, "of a cause: an example",
     .flags = ANSWER_NO_CSV | ANSWER_OMIT},
    {"after", NULL, ANSWER_TEXT, get_after, "of a cause: the example with the remedy",
     .flags = ANSWER_NO_CSV | ANSWER_OMIT},
    {"verify", NULL, ANSWER_TEXT, get_verify, "of a cause: how to see that it has helped",
     .flags = ANSWER_NO_CSV | ANSWER_OMIT},
};
static const struct answer_table points_table =
    ANSWER_TABLE(ANSWER_ROWS, "points", ANSWER_IN_JSON | ANSWER_IN_CSV, point_columns,
                 "a place to which a rule applies");

/* ---- Figures ------------------------------------------------------------------------- */

/* A point's place. */
#define OF_PLACE(member) ANSWER_FIELD_OF(struct point, site, member)

GETTER(mean_lifetime, answer_number(site_mean_lifetime_us(advice->site)))

static const struct answer_column figure_columns[] = {
    {"samples", NULL, ANSWER_WHOLE, get_samples, "samples that the figures rest on", IS_SAMPLED},
    {"sampled_blocks", NULL, ANSWER_WHOLE, OF_PLACE(blocks), "blocks that were recorded"},
    {"bytes", NULL, ANSWER_BYTES, OF_PLACE(bytes), "allocated here"},
    {"objects", NULL, ANSWER_COUNT, OF_PLACE(objects), "blocks allocated here"},
    {"quick_bytes", NULL, ANSWER_BYTES, OF_PLACE(quick_bytes), "of these, dead within `quick_us`"},
    {"mean_lifetime_us", NULL, ANSWER_TIME, get_mean_lifetime, "mean lifetime of those that died"},
    {"live_bytes", NULL, ANSWER_BYTES, OF_PLACE(live_bytes), "alive at the end"},
    {"peak_bytes", NULL, ANSWER_BYTES, OF_PLACE(peak_bytes), "alive at the peak of all"},
    {"promoted_bytes", NULL, ANSWER_BYTES, OF_PLACE(promoted_bytes), "promoted"},
    {"promoted_quick_bytes", NULL, ANSWER_BYTES, OF_PLACE(promoted_quick_bytes),
     "promoted, and dead soon after"},
    {"common_size", NULL, ANSWER_BYTES, OF_PLACE(common_bytes), "the most common size of a block"},
    {"common_objects", NULL, ANSWER_COUNT, OF_PLACE(common_objects), "blocks of that size"},
    {"largest_size", NULL, ANSWER_BYTES, OF_PLACE(largest_bytes), "size of the largest block"},
    {"doublings", NULL, ANSWER_WHOLE, OF_PLACE(doublings),
     "blocks that replace one that is smaller by a factor"},
    {"doubled_bytes", NULL, ANSWER_BYTES, OF_PLACE(doubled_bytes), "bytes of these"},
    {"small_steps", NULL, ANSWER_WHOLE, OF_PLACE(small_steps),
     "blocks that replace one that is smaller by little"},
    {"stepped_bytes", NULL, ANSWER_BYTES, OF_PLACE(stepped_bytes), "bytes of these"},
};
static const struct answer_table figures_table =
    ANSWER_JSON(ANSWER_RECORD, "figures", figure_columns, "the figures of a point's place");

/* ---- The head ------------------------------------------------------------------------ */

static const struct answer_column head_columns[] = {
    {"quick_us", NULL, ANSWER_TIME, ANSWER_FIELD(struct points, all.sites.quick_us),
     "blocks that die sooner are short-lived"},
    {"count", NULL, ANSWER_WHOLE, ANSWER_FIELD(struct points, all.count),
     "how many points there are, shown or not"},
};
static const struct answer_table head_table = {
    .shape = ANSWER_RECORD, .forms = ANSWER_IN_JSON, ANSWER_COLUMNS(head_columns)};

/* ---- For people ---------------------------------------------------------------------- */

static void say_count(struct answer *answer, const struct points *points)
{
    const char *name = plain(points->report->input.name);
    if (points->all.count == 0)
        answer_say(answer, "%s: no rule applies", name);
    else
        answer_say(answer, "%s: %zu point%s of interest%s", name, points->all.count,
                   points->all.count > 1 ? "s" : "",
                   points->shown < points->all.count ? ", the first of them below" : "");
}

/* Where the first point's file is not at hand, advice knows less than it could. */
static void say_missing(struct answer *answer, const struct points *points)
{
    const struct advice *first = points->all.count > 0 ? &points->all.items[0] : NULL;
    const struct symbol *symbol = first ? &first->symbol : NULL;
    if (first && symbol->file && symbol->line > 0 && !*first->line)
        answer_say(
            answer,
            "%s was not read: sources are read below the current folder only; run it there, or give --source-path DIR",
            plain(symbol->file));
}

static void say_title(struct answer *answer, size_t number, const struct advice *advice)
{
    const struct symbol *symbol = &advice->symbol;
    const char *name = plain(symbol_name(symbol)), *title = advice_title(advice);
    const char *file = symbol->function && symbol->file ? plain(symbol->file) : "";
    char through[SITE_THROUGH_BYTES] = "";
    if (!advice->cause)
        site_through_text(through, symbol, advice->site);
    if (*file && symbol->line > 0)
        answer_say(answer, "%2zu. %s: %s (%s:%u)%s", number, title, name, file,
                   (unsigned)symbol->line, plain(through));
    else if (*file)
        answer_say(answer, "%2zu. %s: %s (%s)%s", number, title, name, file, plain(through));
    else
        answer_say(answer, "%2zu. %s: %s%s", number, title, name, plain(through));
}

/* The line of the source, without its indentation. */
static void say_source(struct answer *answer, const struct advice *advice)
{
    const char *line = advice->line + strspn(advice->line, " \t");
    if (*line)
        answer_explain(answer, plain_as(line, PLAIN_KEEP_TABS));
}

static void say_example(struct answer *answer, const struct advice *advice)
{
    char text[ADVICE_TEXT_BYTES];
    snprintf(text, sizeof text, "before: %s", advice->example.before);
    answer_explain(answer, text);
    snprintf(text, sizeof text, "after:  %s", advice->example.after);
    answer_explain(answer, text);
    answer_explain(answer, advice_verify(advice->cause));
}

static void say_point(struct answer *answer, const struct points *points, size_t number)
{
    const struct advice *advice = &points->all.items[number - 1];
    char text[ADVICE_TEXT_BYTES];
    answer_say(answer, "%s", "");
    say_title(answer, number, advice);
    say_source(answer, advice);
    answer_explain(answer, advice_evidence(text, advice, &points->all.sites));
    answer_explain(answer, advice_remedy(advice, &points->all.sites));
    if (advice->cause)
        say_example(answer, advice);
}

/* ---- The answer ---------------------------------------------------------------------- */

static void put_points(struct answer *answer, const struct points *points)
{
    unsigned has = points->all.sites.model->info.sample_rate < 1 ? IS_SAMPLED : 0;
    struct answer_section section = {.table = &points_table, .context = points, .has = has},
                          figures = section;
    figures.table = &figures_table;
    answer_begin(answer, &section);
    for (size_t i = 0; i < points->shown; i++) {
        struct point point = {points->all.items[i].symbol, &points->all.items[i],
                              points->all.items[i].site};
        say_point(answer, points, i + 1);
        answer_row(answer, &point);
        answer_record(answer, &figures, &point);
    }
    answer_end(answer);
}

static void put_heads(struct answer *answer, const struct points *points)
{
    struct advice_head heads[ADVICE_HEADS];
    size_t count = advice_heads(heads, &points->all.fates, points->all.items, points->all.count);
    answer_begin(answer, &(struct answer_section){.table = &advice_heads_table});
    for (size_t i = 0; i < count; i++) {
        if (heads[i].point > points->shown)
            heads[i].point = 0;
        const struct site *leak = heads[i].kind == HEAD_LEAK ? heads[i].site : NULL;
        fates_say_caution(answer, &points->all.fates, leak, true);
        advice_head_say(answer, &heads[i]);
        fates_say_caution(answer, &points->all.fates, leak, false);
        answer_row(answer, &heads[i]);
    }
    answer_end(answer);
}

static void put(struct answer *answer, const struct points *points)
{
    say_count(answer, points);
    say_missing(answer, points);
    report_say_its_hidden(answer, points->report);
    report_say_filter(answer, points->report);
    report_head(answer, points->report);
    answer_record(answer, &(struct answer_section){.table = &head_table}, points);
    put_heads(answer, points);
    put_points(answer, points);
}

enum report_outcome advice_put(struct answer *answer, const struct report *report)
{
    struct points points = {.report = report};
    advised_init(&points.all, report);
    bool done = advised_find(&points.all, report, report->options->grain);
    points.shown = question_rows(report->options, POINTS_SHOWN, points.all.count);
    if (done)
        put(answer, &points);
    advised_release(&points.all);
    return report_outcome_of(done);
}

const struct answer_table *const advice_tables[] = {&head_table, &advice_heads_table, &points_table,
                                                    &figures_table, NULL};
