#include "report/sites/hotspots.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/head.h"
#include "report/symbol_columns.h"
#include "report/tally_columns.h"

/* ---- Options ------------------------------------------------------------------------- */

enum { SITES_SHOWN = 10, CALLERS_SHOWN = 5 };

const struct hotspots_choice hotspots_usual = {
    .by = WEIGHT_BYTES, .grain = GRAIN_FUNCTION, .callers = -1};
_Static_assert(sizeof(struct hotspots_choice) <= QUESTION_OWN_BYTES, "room for it");
_Static_assert(sizeof(enum stack_weight) == sizeof(int), "options set ints");

static const struct option_word weights[] = {
    {"bytes", WEIGHT_BYTES}, {"samples", WEIGHT_SAMPLES}, {"objects", WEIGHT_OBJECTS}, {NULL, 0}};
static const struct option_word grains[] = {
    {"files", GRAIN_FILE}, {"functions", GRAIN_FUNCTION}, {"lines", GRAIN_LINE}, {NULL, 0}};
static const struct option_word forms[] = {
    {"text", HOTSPOTS_TEXT},         {"json", HOTSPOTS_JSON},         {"csv", HOTSPOTS_CSV},
    {"markdown", HOTSPOTS_MARKDOWN}, {"memtrace", HOTSPOTS_MEMTRACE}, {NULL, 0}};

#define OWN(name) offsetof(struct hotspots_choice, name)

const struct question_option hotspots_options[] = {
    {"by", 0, OPTION_WORD, PART_OWN, "WHAT",
     "Rank by bytes (the default), samples or objects. Bytes and samples give the same order",
     OWN(by), OWN(by_given), weights},
    {"granularity", 'g', OPTION_WORD, PART_OWN, "UNIT",
     "What a site is: a line (of a function), a function (the default) or a file", OWN(grain),
     OWN(grain_given), grains},
    {"top", 'n', OPTION_NUMBER, 0, "N",
     "Show N sites (10; all of them with --json and --csv); 0 for all",
     offsetof(struct question, node_count)},
    {"callers", 'c', OPTION_NUMBER, PART_OWN, "N",
     "Show N callers of each site (5; none with --csv)", OWN(callers)},
    {"all-callers", 0, OPTION_FLAG, PART_OWN, NULL,
     "Also show callers that are not specific to the site, such as main: by default a caller is left out "
     "if less than 10 % of what comes through it comes here, or hardly more than the site's "
     "share of everything",
     OWN(all_callers)},
    {"format", 'f', OPTION_WORD, PART_OWN, "FORMAT",
     "text (the default), json, csv, markdown, or memtrace: the report of memtrace's hotspots, with "
     "exact callers",
     OWN(form), OWN(form_given), forms},
    {NULL},
};

static const struct hotspots_choice *own(const struct question *question)
{
    return (const struct hotspots_choice *)question->own;
}

/* Makes the question's format that of --format. */
static const char *join_formats(struct question *question)
{
    static const enum report_format formats[] = {[HOTSPOTS_TEXT] = REPORT_TEXT,
                                                 [HOTSPOTS_JSON] = REPORT_JSON,
                                                 [HOTSPOTS_CSV] = REPORT_CSV,
                                                 [HOTSPOTS_MARKDOWN] = REPORT_MARKDOWN,
                                                 [HOTSPOTS_MEMTRACE] = REPORT_MEMTRACE};
    enum report_format format = formats[own(question)->form];
    if (!own(question)->form_given)
        return NULL;
    if (question->format != REPORT_TEXT && question->format != format)
        return "one format at a time";
    question->format = format;
    return NULL;
}

bool hotspots_check(struct question *question, struct heaptap_error *error)
{
    const struct hotspots_choice *choice = own(question);
    bool is_shaped = choice->by_given || choice->grain_given || question->node_count >= 0 ||
                     choice->callers >= 0 || choice->all_callers;
    const char *wrong = join_formats(question);
    if (!wrong && choice->form == HOTSPOTS_MEMTRACE && is_shaped)
        wrong = "--format=memtrace takes no options for ranking, granularity, sites and callers";
    if (choice->form == HOTSPOTS_MEMTRACE) /* it counts by site itself */
        question->by_site = false;
    return question_accept(wrong, error);
}

const char *hotspots_refuse(const struct report *report)
{
    const struct hotspots_choice *choice = own(report->options);
    if (report->input.model->kind == MODEL_OBJECTS)
        return NULL;
    return choice->by_given
               ? "this is a pprof profile: --by is for traces; --sample chooses the values"
           : choice->form == HOTSPOTS_MEMTRACE
               ? "this is a pprof profile: --format=memtrace is for traces"
               : NULL;
}

/* ---- Hot spots ----------------------------------------------------------------------- */

struct spots {
    struct tally_rows rows;
    const struct hotspots *hotspots;
    const struct report *report;
    const struct model *model; /* of it */
    const struct hotspots_options *how;
    size_t top, callers; /* sites, and callers below each, at most */
};

/* A row of sites, of their places, or of callers. */
struct spot {
    struct tally_row row;
    size_t rank;                         /* of the site, from 1 */
    const struct hotspot *site;          /* of a site */
    const struct hotspot_caller *caller; /* of a caller */
    size_t through;                      /* of a caller: the row that it always comes through */
};

/* ---- Columns ------------------------------------------------------------------------- */

enum { HAS_OBJECTS = 1, HAS_VALUES = 2, BY_FILE = 4, BY_FUNCTION = 8, HIDES = 16 };

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(name, const struct spot *spot = row,                                                \
               const struct symbol *symbol = &spot->row.symbol, expression)

/* Of a site: its heaviest place, where sites are no files. */
static struct answer_value of_place(const struct spot *spot, uint32_t number)
{
    return spot->row.symbol.function ? answer_number(number) : answer_nothing();
}

/* "map.ml:115:12-67", with "..." where there are more. */
static struct answer_value exact_place(const struct hotspot *site)
{
    const struct symbol *at = &site->places[0].symbol;
    const char *more = site->place_count > 1 ? " ..." : "", *file = at->file ? at->file : "";
    bool has_chars = at->line > 0 && (at->start_char > 0 || at->end_char > 0);
    char chars[64] = "", line[32] = "", *text;
    if (at->line > 0)
        snprintf(line, sizeof line, ":%" PRIu32, at->line);
    if (has_chars)
        snprintf(chars, sizeof chars, ":%" PRIu32 "-%" PRIu32, at->start_char, at->end_char);
    return asprintf(&text, "%s%s%s%s", file, line, chars, more) < 0 ? answer_nothing()
                                                                    : answer_made(text);
}

GETTER(get_kind, answer_text(spot->caller ? "caller" : "site"))
GETTER(get_site_line, of_place(spot, spot->site->places[0].symbol.line))
GETTER(get_site_start, of_place(spot, spot->site->places[0].symbol.start_char))
GETTER(get_site_end, of_place(spot, spot->site->places[0].symbol.end_char))
GETTER(get_site_place, exact_place(spot->site))
GETTER(get_caller_file, answer_text(symbol->function ? symbol->file : NULL))

#define FIGURE_COLUMNS(help_of_figures)                                                            \
    {"bytes", NULL, ANSWER_BYTES, TALLY_BYTES, help_of_figures, HAS_OBJECTS},                      \
        {"value", NULL, ANSWER_AMOUNT, TALLY_COLUMN(value), "of a profile of values", HAS_VALUES}, \
        {"samples", NULL, ANSWER_WHOLE, TALLY_COLUMN(samples),                                     \
         "samples that the figures rest on"},                                                      \
        {"sampled_objects",          NULL,       ANSWER_WHOLE, TALLY_COLUMN(events),               \
         "blocks that were sampled", HAS_OBJECTS},                                                 \
    {                                                                                              \
        "objects", NULL, ANSWER_COUNT, tally_column_objects, "the same in blocks", HAS_OBJECTS     \
    }

/* For people: the figures in the order in which they read them. */
#define SHOWN_COLUMNS                                                                              \
    {NULL, "BYTES", ANSWER_BYTES, TALLY_BYTES, NULL, HAS_OBJECTS},                                 \
        {NULL, "VALUE", ANSWER_AMOUNT, TALLY_COLUMN(value), NULL, HAS_VALUES},                     \
        {NULL, "SHARE", ANSWER_SHARE, TALLY_SHARE},                                                \
        {NULL, "OBJECTS", ANSWER_COUNT, tally_column_objects, NULL, HAS_OBJECTS},                  \
        {NULL, "SAMPLES", ANSWER_WHOLE, TALLY_COLUMN(samples), NULL, HAS_OBJECTS, ANSWER_WIDE},    \
        {NULL, "FILE", ANSWER_NAME, symbol_column_name, NULL, BY_FILE},                            \
    {                                                                                              \
        NULL, "FUNCTION", ANSWER_NAME, symbol_column_name, NULL, BY_FUNCTION                       \
    }

#define SITE_KEYS                                                                                  \
    {"function",                                                                                   \
     NULL,                                                                                         \
     ANSWER_TEXT,                                                                                  \
     SYMBOL_FUNCTION,                                                                              \
     "name of the function, where rows are no files",                                              \
     .flags = ANSWER_OMIT},                                                                        \
        {"file", NULL, ANSWER_TEXT, SYMBOL_FILE, "source file"},                                   \
    {                                                                                              \
        "line", NULL, ANSWER_WHOLE, SYMBOL_LINE, "line of the file, where rows are lines",         \
            .flags = ANSWER_OMIT | ANSWER_NO_CSV                                                   \
    }

#define OF_SPOT(member) ANSWER_FIELD(struct spot, member)
#define OF_CALLER(member) ANSWER_FIELD_OF(struct spot, caller, member)

static const struct answer_column site_columns[] = {
    {"rank", NULL, ANSWER_WHOLE, OF_SPOT(rank), "of the site, from 1", .flags = ANSWER_NO_JSON},
    {"kind", NULL, ANSWER_TEXT, get_kind, "`site`, or `caller` of the site above",
     .flags = ANSWER_NO_JSON},
    SITE_KEYS,
    SYMBOL_CALL_KEYS,
    {"line", NULL, ANSWER_WHOLE, get_site_line, "line of its heaviest place",
     .flags = ANSWER_NO_JSON},
    {"start_char", NULL, ANSWER_WHOLE, get_site_start, "where it begins in that line",
     .flags = ANSWER_NO_JSON},
    {"end_char", NULL, ANSWER_WHOLE, get_site_end, "where it ends in that line",
     .flags = ANSWER_NO_JSON},
    FIGURE_COLUMNS("what comes from the site"),
    {"share", NULL, ANSWER_SHARE, TALLY_SHARE, "part of all; in CSV, of a caller, of its site's"},
    SHOWN_COLUMNS,
    {NULL, "PLACE", ANSWER_PLACE, get_site_place, NULL, BY_FUNCTION},
};

static const struct answer_column place_columns[] = {
    {"function", NULL, ANSWER_TEXT, SYMBOL_FUNCTION, "name of the function", BY_FILE},
    {"line", NULL, ANSWER_WHOLE, OF_SPOT(row.symbol.line), "line of the file"},
    {"start_char", NULL, ANSWER_WHOLE, OF_SPOT(row.symbol.start_char),
     "where in the line it begins"},
    {"end_char", NULL, ANSWER_WHOLE, OF_SPOT(row.symbol.end_char), "where in the line it ends"},
    FIGURE_COLUMNS("what comes from the place"),
};

static const struct answer_column caller_columns[] = {
    {"rank", NULL, ANSWER_WHOLE, OF_SPOT(rank), "of its site", .flags = ANSWER_NO_JSON},
    {"kind", NULL, ANSWER_TEXT, get_kind, "`caller`", .flags = ANSWER_NO_JSON},
    SITE_KEYS,
    FIGURE_COLUMNS("of the site's, what comes through the caller"),
    {"share", NULL, ANSWER_SHARE, TALLY_SHARE, "part of the site's", .flags = ANSWER_NO_JSON},
    {"share_of_site", NULL, ANSWER_SHARE, TALLY_SHARE, "part of the site's",
     .flags = ANSWER_NO_CSV},
    {"share_of_caller", NULL, ANSWER_SHARE, OF_CALLER(own_share),
     "the site's part of all that comes through this caller"},
    {"distance", NULL, ANSWER_COUNT, OF_CALLER(distance),
     "mean number of calls between the caller and the site"},
    SHOWN_COLUMNS,
    {NULL, "PLACE", ANSWER_PLACE, get_caller_file, NULL, BY_FUNCTION},
};

/* A caller stands below the one that it always comes through. */
static long row_above(const void *row)
{
    const struct spot *spot = row;
    return spot->through == HOTSPOT_NO_CALLER ? ANSWER_NO_ROW : (long)spot->through;
}

static const struct answer_table sites_table =
    ANSWER_TABLE(ANSWER_ROWS, "sites", ANSWER_IN_ALL, site_columns,
                 "a place where the innermost function of stacks allocates");
static const struct answer_table places_table =
    ANSWER_JSON(ANSWER_ROWS, "places", place_columns, "an exact place of the site");
static const struct answer_table callers_table = {"callers",
                                                  ANSWER_ROWS,
                                                  ANSWER_FITTED,
                                                  ANSWER_IN_ALL,
                                                  ANSWER_COLUMNS(caller_columns),
                                                  "a function that the site allocates for",
                                                  row_above};

/* ---- The head ------------------------------------------------------------------------ */

#define HEAD_GETTER(name, expression)                                                              \
    ANSWER_GET(name, const struct spots *spots = context,                                          \
               const struct report *report = spots->report, expression)

static const char *grain_name(enum symbol_grain grain)
{
    static const char *const names[] = {"name", "file", "function", "line", "place"};
    return names[grain];
}

HEAD_GETTER(get_by, answer_text(stack_weight_name(spots->how->weight)))
HEAD_GETTER(get_grain, answer_text(grain_name(spots->how->grain)))
HEAD_GETTER(get_hidden_share,
            answer_number(report_hidden_share(&report->selection.hidden, &report->selection.profile,
                                              report->weight)))

#define OF_REPORT(member) ANSWER_FIELD_OF(struct spots, report, member)
#define OF_MODEL(member) ANSWER_FIELD_OF(struct spots, model, member)
#define OF_HOTSPOTS(member) ANSWER_FIELD_OF(struct spots, hotspots, member)

static const struct answer_column head_columns[] = {
    SCHEMA_COLUMN,
    {"trace", NULL, ANSWER_TEXT, OF_REPORT(input.name), "the file's name"},
    {"executable", NULL, ANSWER_TEXT, OF_MODEL(info.executable), "the program", HAS_OBJECTS},
    {"pid", NULL, ANSWER_WHOLE, OF_MODEL(info.pid), "its process", HAS_OBJECTS},
    {"sample_rate", NULL, ANSWER_SHARE, OF_MODEL(info.sample_rate),
     "the part of all words that was sampled; 1: figures are exact", HAS_OBJECTS},
    {"sample_type", NULL, ANSWER_TEXT, OF_REPORT(sample), "what is counted, by pprof's names"},
    {"unit", NULL, ANSWER_TEXT, OF_HOTSPOTS(measure.unit), "the unit of values", HAS_VALUES},
    {"filter", NULL, ANSWER_TEXT, OF_REPORT(filter.text), "the filter; empty for none"},
    {"complete", NULL, ANSWER_FLAG, OF_REPORT(input.is_whole),
     "whether all that the program did is in the figures"},
    {"by", NULL, ANSWER_TEXT, get_by, "what sites are ranked by"},
    {"granularity", NULL, ANSWER_TEXT, get_grain, "what a site is"},
    {"site_count", NULL, ANSWER_WHOLE, OF_HOTSPOTS(count),
     "how many sites there are, shown or not"},
    {"library_functions", NULL, ANSWER_WHOLE, OF_REPORT(selection.hidden.functions),
     "functions of libraries that are left out at the inner ends of stacks", HIDES},
    {"library_share", NULL, ANSWER_SHARE, get_hidden_share,
     "the share of all that comes through them", HIDES},
};
static const struct answer_table head_table = ANSWER_JSON(ANSWER_RECORD, NULL, head_columns, NULL);

static const struct answer_column total_columns[] = {
    {"bytes", NULL, ANSWER_BYTES, tally_column_bounded_bytes, "all of them", HAS_OBJECTS,
     ANSWER_HAS_RANGE},
    {"value", NULL, ANSWER_AMOUNT, TALLY_COLUMN(value), "of a profile of values", HAS_VALUES},
    {"samples", NULL, ANSWER_WHOLE, TALLY_COLUMN(samples), "samples that these rest on"},
    {"sampled_objects", NULL, ANSWER_WHOLE, TALLY_COLUMN(events), "blocks that were sampled",
     HAS_OBJECTS},
    {"objects", NULL, ANSWER_COUNT, tally_column_bounded_objects, "blocks", HAS_OBJECTS,
     ANSWER_HAS_RANGE},
};
static const struct answer_table total_table =
    ANSWER_JSON(ANSWER_RECORD, "total", total_columns, "what the filter lets pass");

/* ---- For people ---------------------------------------------------------------------- */

/* What has become of a trace's blocks that are told of. */
static const char *fate_of(const char *sample)
{
    return strncmp(sample, "inuse", 5) == 0       ? "alive at the end"
           : strncmp(sample, "promoted", 8) == 0  ? "promoted"
           : strncmp(sample, "collected", 9) == 0 ? "collected"
                                                  : "allocated";
}

/* Exact figures say nothing of samples. */
static void say_total(struct answer *answer, const struct spots *spots)
{
    const struct report *report = spots->report;
    const struct stack_tally *total = &spots->hotspots->total;
    const struct estimate *estimate = spots->rows.estimate;
    char bytes[UNITS_TEXT_BYTES], objects[UNITS_TEXT_BYTES], samples[64] = "";
    if (estimate->sample_rate < 1)
        snprintf(samples, sizeof samples, ", by %" PRIu64 " samples", total->samples);
    answer_say(answer, "%s: %s %s in %s%s%s", plain(report->input.name),
               units_bytes(bytes, stack_tally_bytes(total, estimate)), fate_of(report->sample),
               units_counted(objects, stack_tally_objects(total, estimate), "object"), samples,
               report->input.is_whole ? "" : REPORT_LACKS_A_PART);
}

static void say_value(struct answer *answer, const struct spots *spots)
{
    const struct hotspots *hotspots = spots->hotspots;
    char value[UNITS_TEXT_BYTES];
    answer_say(answer, "%s: %s of %s", plain(spots->report->input.name),
               units_value(value, hotspots->total.value, hotspots->measure.unit),
               plain(hotspots->measure.type));
}

static void say_count(struct answer *answer, const struct spots *spots, size_t shown)
{
    static const char *const sites[] = {"places", "files", "functions", "lines", "places"};
    static const char *const what[] = {"all bytes", "all samples", "all objects", "all of it"};
    double share = 0;
    for (size_t i = 0; i < shown; i++)
        share += spots->hotspots->sites[i].share;
    answer_say(answer, "%zu of %zu %s, %.1f %% of %s%s", shown, spots->hotspots->count,
               sites[spots->how->grain], 100 * share, what[spots->how->weight],
               spots->callers > 0 ? "; callers below" : "");
    report_say_its_hidden(answer, spots->report);
}

/* ---- The answer ---------------------------------------------------------------------- */

static struct answer_section section_of(const struct spots *spots, const struct answer_table *table)
{
    const struct hotspots_options *how = spots->how;
    return (struct answer_section){.table = table,
                                   .context = spots,
                                   .has = (how->weight == WEIGHT_VALUE ? HAS_VALUES : HAS_OBJECTS) |
                                          (spots->report->filter.hides_libraries ? HIDES : 0) |
                                          (how->grain == GRAIN_FILE ? BY_FILE : BY_FUNCTION),
                                   .unit = spots->hotspots->measure.unit,
                                   .sample_bytes = spots->rows.estimate->bytes_per_sample};
}

static void put_places(struct answer *answer, const struct spots *spots, const struct hotspot *site)
{
    struct answer_section section = section_of(spots, &places_table);
    answer_begin(answer, &section);
    for (size_t i = 0; i < site->place_count; i++)
        answer_row(answer,
                   &(struct spot){.row = {site->places[i].symbol, &site->places[i].tally, 0}});
    answer_end(answer);
}

/* The callers of a site that are told; `*callers` is to be freed. */
static bool told_callers(const struct spots *spots, size_t site, struct hotspot_caller **callers,
                         size_t *count)
{
    bool all_callers = own(spots->report->options)->all_callers;
    size_t all, kept = 0;
    *callers = NULL;
    *count = 0;
    if (spots->callers == 0)
        return true;
    if (!hotspots_callers(spots->hotspots, site, callers, &all))
        return false;
    for (size_t i = 0; i < all && kept < spots->callers; i++)
        if (all_callers || hotspot_caller_is_telling(&spots->hotspots->sites[site], &(*callers)[i]))
            (*callers)[kept++] = (*callers)[i];
    *count = kept;
    return true;
}

static bool put_callers(struct answer *answer, const struct spots *spots, size_t site,
                        bool *overlap)
{
    struct answer_section section = section_of(spots, &callers_table);
    struct hotspot_caller *callers;
    size_t count;
    bool done = told_callers(spots, site, &callers, &count);
    size_t *through = NULL;
    if (done && answer_is_read(answer)) {
        through = malloc((count + 1) * sizeof *through);
        done = through && hotspots_chains(spots->hotspots, site, callers, count, through);
        *overlap |= done && hotspots_callers_overlap(callers, count, through);
    }
    answer_begin(answer, &section);
    for (size_t i = 0; done && i < count; i++)
        answer_row(answer,
                   &(struct spot){.row = {callers[i].symbol, &callers[i].tally, callers[i].share},
                                  .rank = site + 1,
                                  .caller = &callers[i],
                                  .through = through ? through[i] : HOTSPOT_NO_CALLER});
    answer_end(answer);
    free(through);
    free(callers);
    return done;
}

static bool put_sites(struct answer *answer, const struct spots *spots, size_t shown)
{
    struct answer_section section = section_of(spots, &sites_table);
    bool done = true, overlap = false;
    answer_begin(answer, &section);
    for (size_t i = 0; done && i < shown; i++) {
        const struct hotspot *site = &spots->hotspots->sites[i];
        answer_row(answer, &(struct spot){.row = {site->symbol, &site->tally, site->share},
                                          .rank = i + 1,
                                          .site = site});
        put_places(answer, spots, site);
        done = put_callers(answer, spots, i, &overlap);
    }
    answer_end(answer);
    if (overlap)
        answer_say(answer, HOTSPOTS_OVERLAP_NOTE);
    return done;
}

static bool say(struct answer *answer, const struct spots *spots)
{
    const struct hotspots *hotspots = spots->hotspots;
    size_t shown = spots->top < hotspots->count ? spots->top : hotspots->count;
    struct answer_section head = section_of(spots, &head_table),
                          total = section_of(spots, &total_table);
    spots->how->weight == WEIGHT_VALUE ? say_value(answer, spots) : say_total(answer, spots);
    report_say_filter(answer, spots->report);
    answer_record(answer, &head, spots);
    answer_record(answer, &total, &(struct tally_row){.tally = &hotspots->total});
    if (hotspots->count > 0)
        say_count(answer, spots, shown);
    return put_sites(answer, spots, shown);
}

/* As many sites and callers as the question wants, or as the answer's form has. */
static void size(struct spots *spots, const struct question *question, const struct answer *answer)
{
    long top = question->node_count >= 0 ? question->node_count
               : answer_is_read(answer)  ? SITES_SHOWN
                                         : 0;
    long callers = own(question)->callers >= 0      ? own(question)->callers
                   : question->format == REPORT_CSV ? 0
                                                    : CALLERS_SHOWN;
    spots->top = top > 0 ? (size_t)top : SIZE_MAX;
    spots->callers = (size_t)callers;
}

enum report_outcome hotspots_put(struct answer *answer, const struct report *report)
{
    const struct selection *selection = &report->selection;
    const struct hotspots_choice *choice = own(report->options);
    struct hotspots_options how = {choice->grain, choice->by_given ? choice->by : report->weight};
    struct hotspots hotspots;
    struct spots spots = {
        {&selection->profile.estimate}, &hotspots, report, report->input.model, &how, 0, 0};
    if (!hotspots_init(&hotspots, &selection->profile, &selection->frames, &how))
        return REPORT_UNFINISHED;
    size(&spots, report->options, answer);
    bool done = say(answer, &spots);
    hotspots_release(&hotspots);
    return report_outcome_of(done);
}

const struct answer_table *const hotspots_tables[] = {&head_table,   &total_table,   &sites_table,
                                                      &places_table, &callers_table, NULL};
