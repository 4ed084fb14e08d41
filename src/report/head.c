#include "report/head.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/measure.h"

#include "base/plain.h"

/* ---- For programs -------------------------------------------------------------------- */

enum { OF_BLOCKS = 1, IS_SAMPLED = 2, HIDES = 4, ANSWER_SCHEMA = 1 };

#define GETTER(name, expression)                                                                   \
    ANSWER_GET(name, const struct report *report = row, const void *all = context, expression)

GETTER(get_grain, answer_text(report_grain_name(report->options->grain)))

struct answer_value report_column_schema(const void *row, const void *context)
{
    (void)row, (void)context;
    return answer_number(ANSWER_SCHEMA);
}

GETTER(get_hidden_share,
       answer_number(report_hidden_share(&report->selection.hidden, &report->selection.profile,
                                         report->weight)))

/* 95 % bounds of all that passes the filter. */
static struct estimate_range selected_range(const struct report *report)
{
    const struct stack_profile *profile = &report->selection.profile;
    return report->weight == WEIGHT_OBJECTS
               ? stack_tally_objects_range(&profile->total, &profile->estimate)
               : stack_tally_bytes_range(&profile->total, &profile->estimate);
}

struct answer_value report_bounded(const struct report *report, double number,
                                   struct estimate_range range)
{
    struct answer_value value = answer_number(number);
    value.range = range;
    value.has_no_range = !report_is_sampled(report);
    return value;
}

static struct answer_value get_selected(const void *row, const void *context)
{
    const struct report *report = row;
    struct answer_value value =
        report_bounded(report, report_total(report), selected_range(report));
    value.has_no_range |= report->divisor != NULL;
    return value;
}

#define OF_REPORT(member) ANSWER_FIELD(struct report, member)
#define OF_MODEL(member) ANSWER_FIELD_OF(struct report, input.model, member)

static const struct answer_column columns[] = {
    SCHEMA_COLUMN,
    {"trace", NULL, ANSWER_TEXT, OF_REPORT(input.name), "the file's name"},
    {"complete", NULL, ANSWER_FLAG, OF_REPORT(input.is_whole), REPORT_COMPLETE_HELP},
    {"executable", NULL, ANSWER_TEXT, OF_MODEL(info.executable), "the program", OF_BLOCKS},
    {"sample_rate", NULL, ANSWER_SHARE, OF_MODEL(info.sample_rate),
     "the part of all words that was sampled; 1: figures are exact", OF_BLOCKS},
    {"sample_type", NULL, ANSWER_TEXT, OF_REPORT(sample), "what is counted, by pprof's names"},
    {"unit", NULL, ANSWER_TEXT, OF_REPORT(unit),
     "the unit of all values whose key does not name theirs"},
    {"granularity", NULL, ANSWER_TEXT, get_grain, "what each row stands for"},
    {"filter", NULL, ANSWER_TEXT, OF_REPORT(filter.text), "the filter; empty for none"},
    {"total", NULL, ANSWER_AMOUNT, OF_REPORT(whole), "the total that shares are parts of"},
    {"selected", NULL, ANSWER_AMOUNT, get_selected,
     "what passes the filter (an exact figure has no bounds)", .flags = ANSWER_HAS_RANGE},
    {"samples", NULL, ANSWER_WHOLE, OF_REPORT(selection.profile.total.samples),
     "samples that it rests on", IS_SAMPLED},
    {"sample_bytes", NULL, ANSWER_BYTES, OF_MODEL(estimate.bytes_per_sample),
     "the bytes that one sample stands for: a value in bytes, divided by this, is the number of samples that it "
     "rests on",
     IS_SAMPLED},
    {"library_functions", NULL, ANSWER_WHOLE, OF_REPORT(selection.hidden.functions),
     "functions of libraries that are left out at the inner ends of stacks", HIDES},
    {"library_share", NULL, ANSWER_SHARE, get_hidden_share,
     "the share of what passes the filter that comes through them", HIDES},
};

static const struct answer_table head_table = {
    .shape = ANSWER_RECORD, .forms = ANSWER_IN_JSON, ANSWER_COLUMNS(columns)};
const struct answer_table *const report_head_tables[] = {&head_table, NULL};

void report_head(struct answer *answer, const struct report *report)
{
    const struct model *model = report->input.model;
    bool has_blocks = model->kind == MODEL_OBJECTS;
    bool is_sampled = report_is_sampled(report);
    struct answer_section section = {
        .table = &head_table,
        .has = (has_blocks ? OF_BLOCKS : 0) | (is_sampled ? IS_SAMPLED : 0) |
               (report->filter.hides_libraries ? HIDES : 0),
        .unit = report->unit,
    };
    answer_record(answer, &section, report);
}

/* ---- For people ---------------------------------------------------------------------- */

static void say_file(struct answer *answer, const struct model *model)
{
    const struct model_module *program = model_program(model);
    const char *name = model_program_name(model);
    if (*name)
        answer_say(answer, "File: %s", plain(name));
    if (program && *program->build_id)
        answer_say(answer, "Build ID: %s", plain(program->build_id));
}

/* As pprof writes it: "Nov 2, 2026 at 3:04pm (UTC)". */
static void say_time(struct answer *answer, int64_t start_us)
{
    char month[16];
    time_t seconds = (time_t)(start_us / 1000000);
    struct tm local;
    if (start_us == 0 || !localtime_r(&seconds, &local) ||
        strftime(month, sizeof month, "%b", &local) == 0)
        return;
    answer_say(answer, "Time: %s %d, %d at %d:%02d%s (%s)", month, local.tm_mday,
               local.tm_year + 1900, (local.tm_hour + 11) % 12 + 1, local.tm_min,
               local.tm_hour < 12 ? "am" : "pm", local.tm_zone);
}

void report_say_filter(struct answer *answer, const struct report *report)
{
    if (*report->filter.text)
        answer_say(answer, "Filter: %s", plain(report->filter.text));
}

/* Tables in pprof's form have no room for the error of each row: they get what it is worked out from. */
void report_samples_text(char text[REPORT_SAMPLES_BYTES], const struct report *report)
{
    char each[MEASURE_TEXT_BYTES], low[MEASURE_TEXT_BYTES], high[MEASURE_TEXT_BYTES];
    struct estimate_range range = selected_range(report);
    double sample_bytes = report->input.model->estimate.bytes_per_sample;
    uint64_t samples = report->selection.profile.total.samples;
    int size = snprintf(text, REPORT_SAMPLES_BYTES, "Samples: %" PRIu64 " of %s each", samples,
                        measure_text(each, sample_bytes, "bytes", "minimum"));
    if (range.is_few)
        snprintf(text + size, REPORT_SAMPLES_BYTES - (size_t)size, ", too few to tell more");
    else if (!report->divisor)
        snprintf(text + size, REPORT_SAMPLES_BYTES - (size_t)size,
                 "; 95 %% bounds of their sum: %s to %s",
                 measure_text(low, round(range.low), report->unit, "minimum"),
                 measure_text(high, round(range.high), report->unit, "minimum"));
}

void report_say_samples(struct answer *answer, const struct report *report)
{
    char text[REPORT_SAMPLES_BYTES];
    if (!report_is_sampled(report))
        return;
    report_samples_text(text, report);
    answer_say(answer, "%s", text);
}

void report_say_head(struct answer *answer, const struct report *report)
{
    const struct model *model = report->input.model;
    say_file(answer, model);
    answer_say(answer, "Type: %s", plain(report->sample));
    say_time(answer, model->info.start_us);
    report_say_filter(answer, report);
    report_say_samples(answer, report);
}

double report_hidden_share(const struct library_hidden *hidden, const struct stack_profile *profile,
                           enum stack_weight weight)
{
    double all = stack_tally_weight(&profile->total, &profile->estimate, weight);
    double part = stack_tally_weight(&hidden->tally, &profile->estimate, weight);
    return all != 0 ? part / all : 0;
}

void report_say_hidden(struct answer *answer, const struct library_hidden *hidden, double share)
{
    if (hidden->functions > 0 && fabs(share) >= 0.0005)
        answer_say(answer,
                   "%.1f %% comes through %zu function%s of libraries, left out (libraries=show)",
                   100 * share, hidden->functions, hidden->functions == 1 ? "" : "s");
}

void report_say_its_hidden(struct answer *answer, const struct report *report)
{
    const struct selection *selection = &report->selection;
    report_say_hidden(answer, &selection->hidden,
                      report_hidden_share(&selection->hidden, &selection->profile, report->weight));
}
