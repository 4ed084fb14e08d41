/* Histograms are bars for people and tables of bins for programs.  Where a block counts as the blocks that it stands for,
 * each bar and bin also has the number of sampled blocks that it rests on. */
#include "base/text.h"
#include "report/blocks/stats_parts.h"

#include <inttypes.h>

#include "report/file.h"
#include "report/head.h"

/* ---- Options ------------------------------------------------------------------------- */

const struct stats_question stats_usual = {.parts = 10};

#define OWN(name) offsetof(struct stats_question, name)

const struct question_option stats_options[] = {
    {"major-only", 'm', OPTION_FLAG, PART_OWN, NULL,
     "Leave out what dies in the minor heap; a promotion counts as the allocation",
     OWN(major_only)},
    {"parts", 'p', OPTION_NUMBER, PART_OWN, "N",
     "Also show sizes in each of N equal parts of the run (10)", OWN(parts), .least = 1,
     .most = 100000},
    {"estimate", 0, OPTION_FLAG, PART_OWN, NULL,
     "Count each sampled block as the blocks it stands for, not as one", OWN(estimate)},
    {NULL},
};

/* ---- Columns ------------------------------------------------------------------------- */

enum { IS_ESTIMATED = 1 };

#define GETTER(type, name, expression)                                                             \
    ANSWER_GET(get_##name, const type *of = row, const void *all = context, expression)

/* A bin of a histogram, for programs. */
struct bin {
    const char *histogram; /* "small" */
    double from, below, count;
    double blocks; /* sampled ones */
};

static struct answer_value percentage_large(const struct size_part *part)
{
    return answer_number(part->spread.count > 0 ? 100 * part->large / part->spread.count : 0);
}

static struct answer_value number_of_part(const struct size_part *part, const void *context)
{
    return answer_number((double)(part - ((const struct stats_report *)context)->parts + 1));
}

static struct answer_value size_key(const struct weighted_value *size)
{
    return answer_made(text_format("%" PRIu64, size->value));
}

GETTER(struct size_part, part, number_of_part(of, context))
GETTER(struct size_part, percentage, percentage_large(of))
GETTER(struct weighted_value, size, size_key(of))

#define OF_REPORT(member) ANSWER_FIELD(struct stats_report, member)
#define OF_STATS(member) ANSWER_FIELD_OF(struct stats_report, stats, member)
#define OF_PART(member) ANSWER_FIELD(struct size_part, member)
#define OF_SIZE(member) ANSWER_FIELD(struct weighted_value, member)
#define OF_LIVES(member) ANSWER_FIELD(struct lifetime_figures, member)
#define OF_BIN(member) ANSWER_FIELD(struct bin, member)

static const struct answer_column head_columns[] = {
    SCHEMA_COLUMN,
    {"trace", NULL, ANSWER_TEXT, OF_REPORT(name), "the file's name"},
    {"complete", NULL, ANSWER_FLAG, OF_REPORT(is_whole), REPORT_COMPLETE_HELP},
    {"filter", NULL, ANSWER_TEXT, OF_REPORT(filter), "the filter; empty for none"},
    {"word_bits", NULL, ANSWER_WHOLE, OF_REPORT(word_bits),
     "of what sizes are counted in: 64 or 32 for OCaml, 8 where they are bytes"},
    {"major_only", NULL, ANSWER_FLAG, OF_STATS(major_only),
     "blocks that die in the minor heap are left out"},
    {"estimated", NULL, ANSWER_FLAG, OF_STATS(estimated),
     "each sampled block counts as the blocks that it stands for"},
};

#define PART_COLUMNS                                                                               \
    {"sampled_blocks", NULL, ANSWER_WHOLE, OF_PART(blocks), "sampled blocks"},                     \
        {"count", "BLOCKS", ANSWER_COUNT, OF_PART(spread.count), "blocks, as they count"},         \
        {"mean_words", "MEAN", ANSWER_DECIMAL, OF_PART(spread.mean), "mean size in words"},        \
        {"standard_deviation", "SD", ANSWER_DECIMAL, OF_PART(spread.standard_deviation),           \
         "of sizes"},                                                                              \
        {"variance", "VARIANCE",          ANSWER_DECIMAL, OF_PART(spread.variance),                \
         "of sizes", .flags = ANSWER_WIDE},                                                        \
        {"max_words", "MAX", ANSWER_WHOLE, OF_PART(spread.max), "the largest block"},              \
        {"large_over_256", "LARGE", ANSWER_COUNT, OF_PART(large),                                  \
         "blocks of more than 256 words"},                                                         \
    {                                                                                              \
        "percentage_large_over_256", NULL, ANSWER_DECIMAL, get_percentage,                         \
            "their percentage of the blocks"                                                       \
    }

static const struct answer_column sizes_columns[] = {PART_COLUMNS};
static const struct answer_column part_columns[] = {{NULL, "PART", ANSWER_WHOLE, get_part},
                                                    PART_COLUMNS};
static const struct answer_column large_columns[] = {
    {"large_over_256", NULL, ANSWER_COUNT, OF_PART(large), "blocks of more than 256 words"}};
static const struct answer_column by_size_columns[] = {
    {"words", NULL, ANSWER_TEXT, get_size, "size in words"},
    {"count", NULL, ANSWER_COUNT, OF_SIZE(weight), "blocks of it"}};
static const struct answer_column bin_columns[] = {
    {"histogram", NULL, ANSWER_TEXT, OF_BIN(histogram),
     "which one: small, medium, large, huge, in_events or in_us", .flags = ANSWER_NO_JSON},
    {"from", NULL, ANSWER_COUNT, OF_BIN(from), "the least value"},
    {"below", NULL, ANSWER_COUNT, OF_BIN(below), "above the greatest"},
    {"count", NULL, ANSWER_COUNT, OF_BIN(count), "blocks"},
    {"sampled_blocks", NULL, ANSWER_WHOLE, OF_BIN(blocks), "sampled blocks that the count rests on",
     IS_ESTIMATED},
};
static const struct answer_column lifetimes_columns[] = {
    {"ticks", NULL, ANSWER_WHOLE, OF_STATS(ticks), "events of the run: beginnings and ends"},
    {"survivors", NULL, ANSWER_COUNT, OF_STATS(survivor_weight), "blocks alive at the end"},
};
static const struct answer_column life_columns[] = {
    {"count", NULL, ANSWER_COUNT, OF_LIVES(count), "blocks"},
    {"mean", NULL, ANSWER_DECIMAL, OF_LIVES(mean), "mean lifetime"},
    {"median", NULL, ANSWER_DECIMAL, OF_LIVES(median), "median lifetime"},
    {"max", NULL, ANSWER_WHOLE, OF_LIVES(max), "the longest"},
};
static const struct answer_column notes_columns[] = {
    {"unknown_promotions", NULL, ANSWER_WHOLE, OF_STATS(unknown_promotions),
     "promotions of blocks not known to be in the minor heap"},
    {"unknown_collections", NULL, ANSWER_WHOLE, OF_STATS(unknown_collections),
     "ends of blocks not known to be alive"},
};

static const struct answer_table head_table = ANSWER_JSON(ANSWER_RECORD, NULL, head_columns, NULL);
static const struct answer_table sizes_table =
    ANSWER_JSON(ANSWER_RECORD, "sizes", sizes_columns, "the sizes of all blocks");
static const struct answer_table by_size_table =
    ANSWER_JSON(ANSWER_PAIRS, "by_size", by_size_columns, "in `sizes`: a size that occurs");
static const struct answer_table histograms_table = {
    "histograms",
    ANSWER_RECORD,
    ANSWER_FITTED,
    ANSWER_IN_JSON,
    NULL,
    0,
    "in `sizes`: an array of bins, as below, for each of `small`, `medium`, `large` and `huge`"};
static const struct answer_table bins_tables[STATS_RANGES] = {
    ANSWER_JSON(ANSWER_ROWS, "small", bin_columns, "a bin of sizes"),
    ANSWER_JSON(ANSWER_ROWS, "medium", bin_columns, "a bin of sizes"),
    ANSWER_JSON(ANSWER_ROWS, "large", bin_columns, "a bin of sizes"),
    ANSWER_JSON(ANSWER_ROWS, "huge", bin_columns, "a bin of sizes"),
};
static const struct answer_table large_table =
    ANSWER_JSON(ANSWER_LIST, "large_per_part", large_columns, "in `sizes`: a part");
static const struct answer_table parts_table =
    ANSWER_JSON(ANSWER_ROWS, "parts", sizes_columns, "in `sizes`: a part of the run");
static const struct answer_table lifetimes_table =
    ANSWER_JSON(ANSWER_RECORD, "lifetimes", lifetimes_columns, "how long blocks live");
static const struct answer_table in_events_table =
    ANSWER_JSON(ANSWER_RECORD, "in_events", life_columns, "in `lifetimes`: counted in events");
static const struct answer_table in_us_table =
    ANSWER_JSON(ANSWER_RECORD, "in_us", life_columns, "in `lifetimes`: in microseconds");
static const struct answer_table life_bins_table =
    ANSWER_JSON(ANSWER_ROWS, "histogram", bin_columns, "in `in_events` and `in_us`: a bin");
static const struct answer_table notes_table =
    ANSWER_JSON(ANSWER_RECORD, "notes", notes_columns, "inconsistencies in the trace");
static const struct answer_table shown_parts_table = {.forms = ANSWER_IN_TEXT,
                                                      ANSWER_COLUMNS(part_columns)};
static const struct answer_table flat_table = {
    .forms = ANSWER_IN_CSV, ANSWER_COLUMNS(bin_columns), .help = "a bin of a histogram"};

const struct answer_table *const stats_tables[] = {
    &head_table,      &sizes_table, &by_size_table,   &histograms_table,
    &bins_tables[0],  &large_table, &parts_table,     &lifetimes_table,
    &in_events_table, &in_us_table, &life_bins_table, &notes_table,
    &flat_table,      NULL};

/* ---- Histograms ---------------------------------------------------------------------- */

static struct answer_section section_of(const struct stats_report *report,
                                        const struct answer_table *table)
{
    return (struct answer_section){
        .table = table, .context = report, .has = stats_is_estimated(report) ? IS_ESTIMATED : 0};
}

/* A bin is a row of whatever section is open. */
static void put_size_bins(struct answer *answer, const struct stats_report *report,
                          enum stats_range range)
{
    static const char *const names[] = {"small", "medium", "large", "huge"};
    struct histogram histogram, blocks;
    stats_report_sizes(report, range, false, &histogram);
    stats_report_size_blocks(report, range, &blocks);
    for (size_t i = 0; i < histogram.count; i++)
        answer_row(answer, &(struct bin){names[range], histogram.edges[i], histogram.edges[i + 1],
                                         histogram.weights[i], blocks.weights[i]});
}

static void put_life_bins(struct answer *answer, const char *name,
                          const struct lifetime_figures *figures, const double *blocks)
{
    for (unsigned i = 0; i < LIFETIMES_BINS; i++)
        if (figures->bins[i] > 0)
            answer_row(answer, &(struct bin){name, (double)lifetimes_bin_begin(i),
                                             (double)lifetimes_bin_begin(i + 1), figures->bins[i],
                                             blocks[i]});
}

/* ---- For programs -------------------------------------------------------------------- */

static void put_sizes(struct answer *answer, const struct stats_report *report)
{
    struct answer_section sizes = section_of(report, &sizes_table);
    struct answer_section by_size = section_of(report, &by_size_table);
    struct answer_section histograms = section_of(report, &histograms_table);
    struct answer_section large = section_of(report, &large_table);
    struct answer_section parts = section_of(report, &parts_table);
    answer_begin(answer, &sizes);
    answer_row(answer, &report->whole);
    ANSWER_ITEMS(answer, &by_size, report->by_size, report->size_count);
    answer_begin(answer, &histograms);
    answer_row(answer, report);
    for (int range = 0; range < STATS_RANGES; range++) {
        struct answer_section bins = section_of(report, &bins_tables[range]);
        answer_begin(answer, &bins);
        put_size_bins(answer, report, (enum stats_range)range);
        answer_end(answer);
    }
    answer_end(answer);
    ANSWER_ITEMS(answer, &large, report->parts, report->part_count);
    ANSWER_ITEMS(answer, &parts, report->parts, report->part_count);
    answer_end(answer);
}

static void put_lives(struct answer *answer, const struct stats_report *report,
                      const struct stats_lives *lives)
{
    struct answer_section section = section_of(report, lives->table);
    struct answer_section bins = section_of(report, &life_bins_table);
    answer_begin(answer, &section);
    answer_row(answer, lives->figures);
    answer_begin(answer, &bins);
    put_life_bins(answer, NULL, lives->figures, lives->blocks);
    answer_end(answer);
    answer_end(answer);
}

static void put_lifetimes(struct answer *answer, const struct stats_report *report,
                          const struct stats_lives lives[2])
{
    struct answer_section section = section_of(report, &lifetimes_table);
    answer_begin(answer, &section);
    answer_row(answer, report);
    put_lives(answer, report, &lives[0]);
    put_lives(answer, report, &lives[1]);
    answer_end(answer);
}

static void put_flat(struct answer *answer, const struct stats_report *report,
                     const struct stats_lives lives[2])
{
    struct answer_section section = section_of(report, &flat_table);
    answer_begin(answer, &section);
    for (int range = 0; range < STATS_RANGES; range++)
        put_size_bins(answer, report, (enum stats_range)range);
    for (int i = 0; i < 2; i++)
        put_life_bins(answer, lives[i].table->key, lives[i].figures, lives[i].blocks);
    answer_end(answer);
}

void stats_show_parts(struct answer *answer, const struct stats_report *report)
{
    struct answer_section parts = section_of(report, &shown_parts_table);
    if (report->part_count < 2)
        return;
    answer_head(answer, "Sizes over the run, in parts of as many blocks each");
    ANSWER_ITEMS(answer, &parts, report->parts, report->part_count);
}

/* ---- All ----------------------------------------------------------------------------- */

static void tell(struct answer *answer, const struct stats_report *report)
{
    struct stats_lives lives[2] = {{&in_events_table, &report->in_events, {0}},
                                   {&in_us_table, &report->in_us, {0}}};
    struct answer_section head = section_of(report, &head_table);
    struct answer_section notes = section_of(report, &notes_table);
    if (stats_is_estimated(report)) {
        stats_report_lifetime_blocks(&report->stats->in_events, lives[0].blocks);
        stats_report_lifetime_blocks(&report->stats->in_us, lives[1].blocks);
    }
    if (answer_is_drawn(answer)) {
        stats_draw(answer, report);
        return;
    }
    if (answer_is_read(answer)) {
        stats_show(answer, report, lives);
        return;
    }
    answer_record(answer, &head, report);
    put_sizes(answer, report);
    put_lifetimes(answer, report, lives);
    answer_record(answer, &notes, report);
    put_flat(answer, report, lives);
}

/* ---- Counting ------------------------------------------------------------------------ */

static const struct stats_question *own(const struct report *report)
{
    return (const struct stats_question *)report->options->own;
}

/* Where a filter wants blocks of the minor heap alone, a promotion ends them, and their later end
 * is nobody's. */
static bool add(struct block_stats *stats, const struct passing_blocks *passing,
                struct heaptap_event *event)
{
    bool moves_deaths = passing && passing->moves_deaths;
    if (event->kind == HEAPTAP_EXIT)
        return true;
    if (moves_deaths && event->kind == HEAPTAP_PROMOTE)
        event->kind = HEAPTAP_COLLECT;
    else if (moves_deaths && event->kind == HEAPTAP_COLLECT &&
             !id_table_find(&stats->blocks, event->id))
        return true;
    return block_stats_add(stats, event);
}

static bool add_all(struct block_stats *stats, struct report_file *file)
{
    struct heaptap_event events[REPORT_EVENTS_AT_ONCE];
    bool enough = true;
    for (size_t count; enough && (count = file->next(file, events, REPORT_EVENTS_AT_ONCE)) > 0;)
        for (size_t i = 0; enough && i < count; i++)
            enough = add(stats, file->passing, &events[i]);
    return enough && block_stats_finish(stats);
}

/* The same events from the first on, once more. */
static enum report_outcome look_again(struct block_stats *stats, const struct report *report)
{
    if (!report->file->again(report->file))
        return REPORT_UNREAD;
    return report_outcome_of(block_stats_look_again(stats, (size_t)own(report)->parts) &&
                             add_all(stats, report->file));
}

static enum report_outcome count_blocks(struct block_stats *stats, const struct report *report)
{
    struct report_file *file = report->file;
    bool moves_births = file->passing && file->passing->moves_births;
    block_stats_init(stats, heaptap_reader_info(file->reader),
                     own(report)->major_only || moves_births, own(report)->estimate,
                     file->is_large); /* what is counted may be much */
    enum report_outcome outcome = report_outcome_of(add_all(stats, file));
    return outcome == REPORT_SAID && file->is_large ? look_again(stats, report) : outcome;
}

enum report_outcome stats_put(struct answer *answer, const struct report *report)
{
    struct block_stats stats;
    struct stats_report told = {0};
    enum report_outcome outcome = count_blocks(&stats, report);
    if (outcome == REPORT_SAID)
        outcome = report_outcome_of(stats_report_init(&told, &stats, (size_t)own(report)->parts));
    told.name = report->input.name;
    told.is_whole = report->input.is_whole;
    told.filter = report->filter.text;
    told.word_bits = heaptap_reader_info(report->file->reader)->word_bits;
    if (outcome == REPORT_SAID)
        tell(answer, &told);
    stats_report_release(&told);
    block_stats_release(&stats);
    return outcome;
}
