#include "report/sites/leaks.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/sites/hot_sites.h"
#include "report/sites/fates.h"
#include "report/sites/filling.h"
#include "report/sites/site_place.h"
#include "report/sites/sites.h"
#include "base/error.h"
#include "base/plain.h"
#include "base/units.h"
#include "profile/range_text.h"
#include "report/head.h"
#include "report/symbol_columns.h"
#include "report/tally_columns.h"

enum { SITES_SHOWN = 20, ACCUSED_SHOWN = 5 };

/* Shares of a site. */
static const double CALLER_EXPLAINS = 0.5, CALLER_COUNTS = 0.1;

/* ---- Options ------------------------------------------------------------------------- */

const struct leaks_question leaks_usual = {.callers = 5};
_Static_assert(sizeof(struct leaks_question) <= QUESTION_OWN_BYTES, "room for it");

static const struct option_word samples[] = {{"inuse_space", 0}, {"inuse_objects", 0}, {NULL, 0}};

const struct question_option leaks_options[] = {
    {"sample", 's', OPTION_TEXT, 0, "TYPE",
     "Which values: inuse_space (the default) or inuse_objects; for a pprof profile, one of its own that is in use",
     offsetof(struct question, sample), .words = samples},
    {"node-count", 'n', OPTION_NUMBER, 0, "N", "Show N places at most (20); 0 for all",
     offsetof(struct question, node_count)},
    {"callers", 0, OPTION_NUMBER, PART_OWN, "N", "Show N callers of each place at most (5)",
     offsetof(struct leaks_question, callers)},
    {"limit", 0, OPTION_TAKEN, PART_OWN, "SIZE",
     "Memory that the process may have, such as 2GB: say when what grows has filled it; by default what it was recorded with",
     offsetof(struct leaks_question, limit), .take = option_take_bytes},
    {NULL},
};

bool leaks_check(struct question *question, struct heaptap_error *error)
{
    const char *word = question->sample;
    question->asks_moments = true;
    if (!word || strcmp(word, "space") == 0 || strcmp(word, "inuse") == 0)
        question->sample = "inuse_space";
    else if (strcmp(word, "objects") == 0)
        question->sample = "inuse_objects";
    else if (strncmp(word, "inuse_", strlen("inuse_")) != 0)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "leaks are in use at the end: --sample takes inuse_space or "
                         "inuse_objects, not '%s'",
                         word),
               false;
    return true;
}

/* ---- Leaks --------------------------------------------------------------------------- */

struct leaks {
    struct tally_rows rows;
    const struct leaks_question *question;
    const struct report *report;
    struct hotspots hotspots;
    struct sites sites;         /* of a trace */
    struct fates fates;         /* of these */
    struct library_calls calls; /* of all that these allocated */
    bool has_times;
};

/* A row of places; of callers, without `times`. */
struct leak {
    struct tally_row row;
    const struct site *times;        /* NULL where there are none */
    const struct survival *survival; /* of that; NULL where nothing can be said */
    double own_share; /* of a caller: what comes here of all that passes through it */
    double distance;  /* of a caller: calls between it and the place */
    size_t through;   /* of a caller: the one before it that it always comes through */
};

/* ---- Columns ------------------------------------------------------------------------- */

enum {
    HAS_TIMES = 1,
    HAS_VALUES = 2,
    IS_SAMPLED = 4,
    HAS_FATES = 8, /* places are judged, ... */
    HAS_NO_FATES = 16,
    MAY_HAVE_FATES = 32, /* ... or could have been */
    HAS_VERDICTS = 64    /* of some, perhaps only that they are lost */
};

/* Of what has times: nothing where a place has none. */
#define TIME_GETTER(name, expression)                                                              \
    ANSWER_GET(name, const struct site *site = ((const struct leak *)row)->times,                  \
               const struct leaks *leaks = context, site ? expression : answer_nothing())

static int64_t end_us(const struct leaks *leaks)
{
    return leaks->report->input.model->end_us;
}

TIME_GETTER(get_kept, answer_number(site->live_bytes / site->bytes))
TIME_GETTER(get_oldest, answer_number((double)(end_us(leaks) - site->oldest_us)))
TIME_GETTER(get_youngest, answer_number((double)(end_us(leaks) - site->youngest_us)))
TIME_GETTER(get_age, answer_number(site_mean_age_us(site)))

#define FATE_GETTER(name, expression)                                                              \
    ANSWER_GET(name, const struct leak *leak = row, const struct leaks *leaks = context,           \
               leak->survival ? expression : answer_nothing())

static struct answer_value evidence_of_fate(const struct leaks *leaks, const struct site *site)
{
    char text[FATE_TEXT_BYTES];
    return fates_of(&leaks->fates, site) == FATE_UNKNOWN
               ? answer_nothing()
               : answer_made(strdup(fates_evidence(text, &leaks->fates, site)));
}

static struct answer_value verdict_of(const struct leaks *leaks, const struct site *site)
{
    const char *word = fate_word(fates_of(&leaks->fates, site));
    return word ? answer_text(word) : answer_nothing();
}

TIME_GETTER(get_verdict, verdict_of(leaks, site))
TIME_GETTER(get_evidence, evidence_of_fate(leaks, site))
FATE_GETTER(get_stays_us, answer_number(leak->survival->late_steps * leak->survival->step_us))

/* What the bytes of a sampled place may be. */
static struct answer_value get_bounds(const void *row, const void *context)
{
    const struct leak *leak = row;
    const struct leaks *leaks = context;
    struct estimate_range range = stack_tally_bytes_range(leak->row.tally, leaks->rows.estimate);
    char text[RANGE_TEXT_BYTES];
    return answer_made(strdup(range_ends_text(text, &range, units_bytes)));
}

#define FIGURE_COLUMNS                                                                             \
    {"bytes",   "BYTES",         ANSWER_BYTES, tally_column_bounded_bytes, "alive at the end",     \
     HAS_TIMES, ANSWER_HAS_RANGE},                                                                 \
        {"objects",                                                                                \
         "OBJECTS",                                                                                \
         ANSWER_COUNT,                                                                             \
         tally_column_bounded_objects,                                                             \
         "blocks alive at the end",                                                                \
         HAS_TIMES,                                                                                \
         ANSWER_WIDE | ANSWER_HAS_RANGE},                                                          \
        {"value",   "VALUE", ANSWER_AMOUNT, TALLY_COLUMN(value), "of a profile of values",         \
         HAS_VALUES},                                                                              \
    {                                                                                              \
        "share", "SHARE", ANSWER_SHARE, TALLY_SHARE, "part of all; of a caller, of the place's"    \
    }

#define OF_LEAK(member) ANSWER_FIELD(struct leak, member)
#define OF_TIMES(member) ANSWER_FIELD_OF(struct leak, times, member)
#define OF_SURVIVAL(member) ANSWER_FIELD_OF(struct leak, survival, member)

static const struct answer_column site_columns[] = {
    SYMBOL_COLUMNS,
    SYMBOL_CALL_KEYS,
    FIGURE_COLUMNS,
    {NULL, "95 % BOUNDS", ANSWER_TEXT, get_bounds, NULL, HAS_TIMES | IS_SAMPLED, ANSWER_SPARE},
    {"kept", "KEPT", ANSWER_SHARE, get_kept, "part of all bytes allocated here that is still alive",
     HAS_TIMES, ANSWER_COARSE},
    {"oldest_us", "OLDEST", ANSWER_TIME, get_oldest, "age of the oldest block", HAS_TIMES,
     ANSWER_WIDE},
    {"mean_age_us", "MEAN AGE", ANSWER_TIME, get_age, "mean age of the blocks", HAS_TIMES},
    {"allocated_bytes", NULL, ANSWER_BYTES, OF_TIMES(bytes), "allocated here in all", HAS_TIMES},
    {"youngest_us", NULL, ANSWER_TIME, get_youngest, "age of the youngest block", HAS_TIMES},
    {"samples", NULL, ANSWER_WHOLE, TALLY_COLUMN(samples), "samples that the figures rest on",
     IS_SAMPLED},
    {NULL, "VERDICT", ANSWER_TEXT, get_verdict, NULL, HAS_VERDICTS},
    {"verdict", NULL, ANSWER_TEXT, get_verdict,
     "leaks, grows, cache, from start, loaded, at exit, in use, lost or too few, of a store grows or steady (heaptap-leaks(1)); null where "
     "the run is too short, or the filter chooses blocks by what becomes of them",
     MAY_HAVE_FATES},
    {"evidence", NULL, ANSWER_TEXT, get_evidence, "why, in a sentence", MAY_HAVE_FATES,
     ANSWER_NO_CSV},
    {"p_of_all", NULL, ANSWER_DECIMAL, OF_SURVIVAL(p_of_all),
     "probability of such lives, or more telling ones, at any place, if old blocks turned over at all of them; leaks and "
     "grows have 0.05 at most",
     MAY_HAVE_FATES, ANSWER_NO_CSV},
    {"growth", NULL, ANSWER_BYTES,
     ANSWER_BOUNDED_OF(struct leak, survival, growth_bytes, growth_range),
     "bytes a second by which old blocks have grown in the second half of the run, or since they began to, where that is later",
     MAY_HAVE_FATES, ANSWER_HAS_RANGE},
    {"stays", NULL, ANSWER_SHARE, ANSWER_BOUNDED_OF(struct leak, survival, kept, kept_range),
     "part of the blocks that live longer than stays_us (Kaplan-Meier)", HAS_TIMES,
     ANSWER_HAS_RANGE},
    {"stays_us", NULL, ANSWER_TIME, get_stays_us, "the age that stays is about", HAS_TIMES},
    {"freed_at_exit_bytes", NULL, ANSWER_BYTES, OF_SURVIVAL(at_exit_bytes),
     "freed as the program ended, of what was alive until then", HAS_TIMES},
    {"live_bytes", NULL, ANSWER_SERIES, OF_SURVIVAL(live_curve),
     "alive at the end of each 16th of the run, until the program begins to free what is left",
     MAY_HAVE_FATES, ANSWER_NO_CSV},
    {"survives", NULL, ANSWER_SERIES, OF_SURVIVAL(survives_curve),
     "part of the blocks that live longer than a 16th of the run, two, ... (Kaplan-Meier)",
     HAS_TIMES, ANSWER_NO_CSV},
    {"born_bytes", NULL, ANSWER_SERIES, OF_TIMES(born_live),
     "bytes alive at the end by the eighth of the run in which they were born", HAS_TIMES,
     ANSWER_NO_CSV},
    {NULL, "LIVE", ANSWER_SERIES, OF_SURVIVAL(live_shown), NULL, HAS_FATES, ANSWER_SPARE},
    {NULL, "BORN", ANSWER_SERIES, OF_TIMES(born_live), NULL, HAS_TIMES | HAS_NO_FATES,
     ANSWER_SPARE},
};

static const struct answer_column caller_columns[] = {
    SYMBOL_COLUMNS,
    FIGURE_COLUMNS,
    {"samples", NULL, ANSWER_WHOLE, TALLY_COLUMN(samples), "samples that the figures rest on",
     IS_SAMPLED},
    {"share_of_caller", NULL, ANSWER_SHARE, OF_LEAK(own_share),
     "the place's part of all that comes through this caller"},
    {"distance", NULL, ANSWER_COUNT, OF_LEAK(distance),
     "mean number of calls between the caller and the place"},
};

static const struct answer_table sites_table =
    ANSWER_TABLE(ANSWER_ROWS, "sites", ANSWER_IN_ALL, site_columns,
                 "a place that allocated what is alive at the end");
/* A caller stands below the one that it always comes through. */
static long row_above(const void *row)
{
    const struct leak *leak = row;
    return leak->through == HOTSPOT_NO_CALLER ? ANSWER_NO_ROW : (long)leak->through;
}

static const struct answer_table callers_table = {"callers",
                                                  ANSWER_ROWS,
                                                  ANSWER_FITTED,
                                                  ANSWER_IN_TEXT | ANSWER_IN_JSON,
                                                  ANSWER_COLUMNS(caller_columns),
                                                  "a caller through which it was allocated",
                                                  row_above};

/* ---- Totals -------------------------------------------------------------------------- */

static const struct answer_column total_columns[] = {
    {"bytes", NULL, ANSWER_BYTES, tally_column_bounded_bytes, "alive at the end",
     .flags = ANSWER_HAS_RANGE},
    {"objects", NULL, ANSWER_COUNT, tally_column_bounded_objects, "blocks alive at the end",
     .flags = ANSWER_HAS_RANGE},
    {"samples", NULL, ANSWER_WHOLE, TALLY_COLUMN(samples), "samples that these rest on"},
};
static const struct answer_table total_table =
    ANSWER_JSON(ANSWER_RECORD, "at_end", total_columns, "what is alive at the end");

ANSWER_GET(get_patterns, const void *of = row, const struct leaks *leaks = context,
           answer_number((double)leaks->report->suppressed.patterns))

static const struct answer_column suppressed_columns[] = {
    {"patterns", NULL, ANSWER_WHOLE, get_patterns, "patterns in the file of suppressions"},
    FIGURE_COLUMNS,
};
static const struct answer_table suppressed_table =
    ANSWER_JSON(ANSWER_RECORD, "suppressed", suppressed_columns, "what suppressions leave out");

static const struct answer_column count_columns[] = {
    {"site_count", NULL, ANSWER_WHOLE, ANSWER_FIELD(struct leaks, hotspots.count),
     "how many places there are, shown or not"},
};
static const struct answer_table count_table =
    ANSWER_JSON(ANSWER_RECORD, NULL, count_columns, NULL);

/* ---- Callers ------------------------------------------------------------------------- */

static int compare_distances(const void *left, const void *right)
{
    double a = ((const struct hotspot_caller *)left)->distance;
    double b = ((const struct hotspot_caller *)right)->distance;
    return (a > b) - (a < b);
}

/* Does a caller that stands out explain the site?  Under a focus, say, none of the callers that all
 * stacks have in common stands out. */
static bool is_explained(const struct hotspot *site, const struct hotspot_caller *callers,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (callers[i].share >= CALLER_EXPLAINS && hotspot_caller_is_telling(site, &callers[i]))
            return true;
    return false;
}

/* The callers that stand out; where these don't explain the site, the nearest. */
static bool callers_of(const struct leaks *leaks, size_t site, struct hotspot_caller **callers,
                       size_t *kept)
{
    const struct hotspot *spot = &leaks->hotspots.sites[site];
    size_t count, most = (size_t)leaks->question->callers;
    *callers = NULL;
    *kept = 0;
    if (most == 0)
        return true;
    if (!hotspots_callers(&leaks->hotspots, site, callers, &count))
        return false;
    bool explained = is_explained(spot, *callers, count);
    if (!explained)
        qsort(*callers, count, sizeof **callers, compare_distances);
    for (size_t i = 0; i < count && *kept < most; i++)
        if (explained ? hotspot_caller_is_telling(spot, &(*callers)[i])
                      : (*callers)[i].share >= CALLER_COUNTS)
            (*callers)[(*kept)++] = (*callers)[i];
    return true;
}

/* ---- The answer ---------------------------------------------------------------------- */

static struct answer_section section_of(const struct leaks *leaks, const struct answer_table *table)
{
    unsigned has = leaks->has_times ? HAS_TIMES : HAS_VALUES;
    if (leaks->has_times && leaks->rows.estimate->sample_rate < 1)
        has |= IS_SAMPLED;
    if (leaks->has_times || leaks->fates.span.steps > 0)
        has |= MAY_HAVE_FATES | (leaks->fates.span.steps > 0 ? HAS_FATES : HAS_NO_FATES);
    if (fates_are_known(&leaks->fates))
        has |= HAS_VERDICTS;
    return (struct answer_section){
        .table = table, .context = leaks, .has = has, .unit = leaks->hotspots.measure.unit};
}

static bool put_callers(struct answer *answer, const struct leaks *leaks, size_t number,
                        bool *overlap)
{
    struct hotspot_caller *callers;
    size_t count;
    struct answer_section section = section_of(leaks, &callers_table);
    if (!callers_of(leaks, number, &callers, &count))
        return false;
    size_t *through = malloc((count + 1) * sizeof *through);
    bool done = through && hotspots_chains(&leaks->hotspots, number, callers, count, through);
    *overlap |= done && hotspots_callers_overlap(callers, count, through);
    answer_begin(answer, &section);
    for (size_t i = 0; done && i < count; i++)
        answer_row(answer, &(struct leak){{callers[i].symbol, &callers[i].tally, callers[i].share},
                                          NULL,
                                          NULL,
                                          callers[i].own_share,
                                          callers[i].distance,
                                          through[i]});
    answer_end(answer);
    free(through);
    free(callers);
    return done;
}

static const struct survival *survival_at(const struct leaks *leaks, const struct site *site)
{
    const struct survival *survival = site ? fates_survival(&leaks->fates, site) : NULL;
    bool is_judged = leaks->fates.span.steps > 0 && survival && survival->blocks > 0;
    return is_judged ? survival : NULL;
}

/* What is kept of a place is told of all that it allocated. */
static struct symbol called(const struct leaks *leaks, const struct hotspot *spot)
{
    struct symbol symbol = spot->symbol;
    const struct symbol_call whole = library_calls_of(&leaks->calls, symbol.function);
    if (leaks->has_times)
        symbol_call_beside(&symbol.call, &whole);
    return symbol;
}

static bool put_sites(struct answer *answer, const struct leaks *leaks, size_t shown)
{
    struct answer_section section = section_of(leaks, &sites_table);
    bool done = true, overlap = false;
    answer_begin(answer, &section);
    for (size_t i = 0; done && i < shown; i++) {
        const struct hotspot *spot = &leaks->hotspots.sites[i];
        const struct site *times = sites_find(&leaks->sites, &spot->symbol);
        answer_row(answer, &(struct leak){.row = {called(leaks, spot), &spot->tally, spot->share},
                                          .times = times,
                                          .survival = survival_at(leaks, times)});
        done = put_callers(answer, leaks, i, &overlap);
    }
    answer_end(answer);
    if (overlap)
        answer_say(answer, HOTSPOTS_OVERLAP_NOTE);
    return done;
}

static void say_blocks(struct answer *answer, const struct leaks *leaks)
{
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES], all[UNITS_TEXT_BYTES];
    char run[UNITS_TEXT_BYTES], sizes[RANGE_TEXT_BYTES], counts[RANGE_TEXT_BYTES];
    const struct stack_tally *total = &leaks->hotspots.total;
    struct estimate_range of_bytes = stack_tally_bytes_range(total, leaks->rows.estimate);
    struct estimate_range of_objects = stack_tally_objects_range(total, leaks->rows.estimate);
    bool is_one = leaks->report->input.model->process_count <= 1;
    answer_say(answer, "%s: %s%s in %s%s objects %s %s; %s allocated",
               plain(leaks->report->input.name),
               units_bytes(bytes, stack_tally_bytes(total, leaks->rows.estimate)),
               range_text(sizes, &of_bytes, units_bytes),
               units_count(objects, stack_tally_objects(total, leaks->rows.estimate)),
               range_text(counts, &of_objects, units_count),
               is_one ? "alive at the end, after" : "left as their processes ended, the last after",
               units_duration(run, (double)end_us(leaks) * 1e-6),
               units_bytes(all, leaks->sites.whole.bytes));
}

static void say_values(struct answer *answer, const struct leaks *leaks)
{
    char value[UNITS_TEXT_BYTES];
    answer_say(answer, "%s: %s of %s", plain(leaks->report->input.name),
               units_value(value, leaks->hotspots.total.value, leaks->hotspots.measure.unit),
               plain(leaks->hotspots.measure.type));
}

static void put_suppressed(struct answer *answer, const struct leaks *leaks)
{
    struct answer_section section = section_of(leaks, &suppressed_table);
    const struct stack_tally *tally = &leaks->report->suppressed.sum;
    double whole = leaks->report->whole, part = report_value(leaks->report, tally);
    answer_record(answer, &section,
                  &(struct tally_row){.tally = tally, .share = whole != 0 ? part / whole : 0});
}

static void put_totals(struct answer *answer, const struct leaks *leaks)
{
    struct answer_section total = section_of(leaks, &total_table),
                          count = section_of(leaks, &count_table);
    report_head(answer, leaks->report);
    if (leaks->has_times)
        answer_record(answer, &total, &(struct tally_row){.tally = &leaks->hotspots.total});
    if (leaks->report->suppressed.is_asked)
        put_suppressed(answer, leaks);
    answer_record(answer, &count, leaks);
    filling_put(answer, &leaks->fates, leaks->question->limit);
}

/* What leaks or grows, the fastest first; also what was freed as the program ended, which the table lacks. */
static void say_accused(struct answer *answer, const struct fates *fates)
{
    char text[FATE_TEXT_BYTES], line[SYMBOL_LINE_BYTES], through[SITE_THROUGH_BYTES];
    const struct site *site = NULL;
    for (int i = 0; i < ACCUSED_SHOWN && (site = fates_next(fates, site)); i++) {
        const struct symbol place = fates_place(fates, site);
        answer_say(answer, "%s%s%s %s:", plain(symbol_name(&place)),
                   symbol_line_text(line, plain(place.file), place.line),
                   plain(site_through_text(through, &place, site)),
                   fate_word(fates_of(fates, site)));
        answer_explain(answer, fates_evidence(text, fates, site));
        if (*fates_say_lost(text, fates, site))
            answer_explain(answer, text);
    }
}

/* What the sentence must not hide. */
static void say_none_accused(struct answer *answer, const struct fates *fates)
{
    char line[SYMBOL_LINE_BYTES], at_half[UNITS_TEXT_BYTES], at_end[UNITS_TEXT_BYTES];
    char through[SITE_THROUGH_BYTES];
    static const char none[] = "No place is found that grew until the run ended";
    double half;
    const struct site *site = fates_risen(fates, &half);
    if (!site) {
        answer_say(answer, none);
        return;
    }
    const struct symbol place = fates_place(fates, site);
    answer_say(
        answer,
        "%s; %s%s%s ends at its largest, %s, from %s at half of the run: too few "
        "changes to tell",
        none, plain(symbol_name(&place)), symbol_line_text(line, plain(place.file), place.line),
        plain(site_through_text(through, &place, site)),
        units_bytes(at_end, fates_survival(fates, site)->live_bytes), units_bytes(at_half, half));
}

/* "6 places grew until the run ended ...; the 5 fastest:" */
static void say_accused_count(struct answer *answer, const struct fates *fates)
{
    char shown[40] = "";
    if (fates->accused > ACCUSED_SHOWN)
        snprintf(shown, sizeof shown, "; the %d fastest:", ACCUSED_SHOWN);
    if (fates->accused == 0)
        say_none_accused(answer, fates);
    else
        answer_say(answer,
                   "%zu place%s grew until the run ended (by chance in at most 5 of 100 %s)%s",
                   fates->accused, fates->accused > 1 ? "s" : "",
                   fates->levels.items ? "stores whose levels come and go"
                                       : "programs that replace their old blocks",
                   shown);
}

static void say_fates(struct answer *answer, const struct leaks *leaks)
{
    const struct fates *fates = &leaks->fates;
    char why[FATE_TEXT_BYTES];
    if (*fates_unjudged(why, fates))
        answer_say(answer, "No verdict on what grows: %s", why);
    if (fates->span.steps == 0)
        return;
    const struct site *first = fates_next(fates, NULL);
    fates_say_caution(answer, fates, first, true);
    say_accused_count(answer, fates);
    fates_say_caution(answer, fates, first, false);
    say_accused(answer, fates);
}

/* Blocks of an interpreter, and of stacks that were cut, have no place: what holds them says more. */
static void say_nowhere(struct answer *answer, const struct leaks *leaks)
{
    static const double least = 0.05; /* of what is alive */
    double share = 0;
    for (size_t i = 0; i < leaks->hotspots.count; i++) {
        const char *name = symbol_name(&leaks->hotspots.sites[i].symbol);
        bool is_nowhere = strcmp(name, "(no location)") == 0 || strcmp(name, "<truncated>") == 0;
        share += is_nowhere ? leaks->hotspots.sites[i].share : 0;
    }
    if (leaks->has_times && share >= least)
        answer_say(
            answer,
            "%.1f %% has no place in the program: `heaptap holders` of %s tells what holds it",
            100 * share,
            leaks->report->input.model->holders ? "this recording" : "one made with --holders");
}

static bool put(struct answer *answer, const struct leaks *leaks)
{
    size_t count = leaks->hotspots.count,
           shown = question_rows(leaks->report->options, SITES_SHOWN, count);
    leaks->has_times ? say_blocks(answer, leaks) : say_values(answer, leaks);
    report_say_filter(answer, leaks->report);
    say_fates(answer, leaks);
    put_totals(answer, leaks);
    if (count > 0)
        answer_say(answer, "%zu of %zu places%s", shown, count,
                   leaks->question->callers > 0 ? "; callers below" : "");
    report_say_its_hidden(answer, leaks->report);
    say_nowhere(answer, leaks);
    return put_sites(answer, leaks, shown);
}

enum report_outcome leaks_put(struct answer *answer, const struct report *report)
{
    const struct model *model = report->input.model;
    enum symbol_grain grain = report->options->grain;
    struct leaks leaks = {.rows = {&model->estimate},
                          .question = (const struct leaks_question *)report->options->own,
                          .report = report,
                          .has_times = model->kind == MODEL_OBJECTS};
    struct hotspots_options how = {.grain = grain, .weight = report->weight};
    if (!hotspots_init(&leaks.hotspots, &report->selection.profile, &report->selection.frames,
                       &how))
        return REPORT_UNFINISHED;
    while (leaks.hotspots.count > 0 && leaks.hotspots.sites[leaks.hotspots.count - 1].weight == 0)
        leaks.hotspots.count--; /* of these, nothing is left */
    bool done = sites_init(&leaks.sites, report, grain, report->options->no_inlines, true) &&
                fates_init(&leaks.fates, &leaks.sites, &report->matcher) &&
                site_calls_init(&leaks.calls, &leaks.sites, SITE_ALLOCATED) && put(answer, &leaks);
    library_calls_release(&leaks.calls);
    fates_release(&leaks.fates);
    sites_release(&leaks.sites);
    hotspots_release(&leaks.hotspots);
    return report_outcome_of(done);
}

const struct answer_table *const leaks_tables[] = {
    &total_table, &suppressed_table, &count_table, &filling_table,
    &sites_table, &callers_table,    NULL};
