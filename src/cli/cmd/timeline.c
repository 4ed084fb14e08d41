/* heaptap timeline: what is alive and what is allocated, over time. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "profile/range_text.h"
#include "export/range_json.h"
#include "base/plain.h"
#include "render/charset.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/report_output.h"
#include "render/table.h"
#include "export/csv.h"
#include "export/timeline_svg.h"
#include "export/timeline_text.h"

struct options {
    struct question report;
    const char *output; /* NULL or "-" for standard output */
    bool svg;
    long steps; /* 0: as the output has room */
};

enum { OPTION_SVG = 1000, OPTION_STEPS, STEPS_MAX = 1000000, PLAIN_COLUMNS = 80, ROWS = 12 };

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0,
     "Write to FILE, as a picture if its name ends with .svg; - for standard output, the default",
     0},
    {"svg", OPTION_SVG, NULL, 0, "A picture, as one SVG file", 0},
    {"steps", OPTION_STEPS, "N", 0,
     "Cut the time into N steps (default: as many as there is room "
     "for)",
     0},
    {0},
};

static void set_steps(struct options *options, const char *text, struct argp_state *state)
{
    uint64_t steps;
    if (!cli_parse_whole(text, 1, STEPS_MAX, &steps))
        argp_error(state, "--steps takes a whole number from 1 to %d, not '%s'", STEPS_MAX, text);
    options->steps = (long)steps;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] = &options->report;
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case OPTION_SVG:
        options->svg = true;
        return 0;
    case OPTION_STEPS:
        set_steps(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (options->svg && options->report.format != REPORT_TEXT)
            argp_error(state, "one format at a time");
        options->svg |= report_output_ends_with(options->output, ".svg");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&report_filter_argp, 0, NULL, 0},
                                             {&report_sample_argp, 0, NULL, 0},
                                             {&report_format_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    option_table,
    parse,
    "TRACE [CLAUSE...]",
    "Shows the live bytes of TRACE over time, with the peak, and what is allocated per second.\v"
    "With a filter, what passes it is filled, and the whole is dotted. Bytes are estimates from "
    "the samples; at rate 1 they are exact.",
    children,
    0,
    0};

/* ---- Output ---------------------------------------------------------------------------- */

/* What is shown, and where. */
struct timeline {
    const struct options *options;
    const struct report *report;
    struct series series, all;
    const struct series *whole; /* &all where there is a filter, else NULL */
};

static const char *quantity(const struct timeline *timeline, char *text,
                            const struct series_sum *sum)
{
    return timeline->report->weight == WEIGHT_OBJECTS ? units_count(text, sum->objects)
                                                      : units_bytes(text, sum->bytes);
}

/* Its bounds, of what is shown. */
static const char *bounds(const struct timeline *timeline, char text[RANGE_TEXT_BYTES],
                          const struct series_sum *sum)
{
    bool is_objects = timeline->report->weight == WEIGHT_OBJECTS;
    struct estimate_range range = is_objects ? series_objects_range(&timeline->series, sum)
                                             : series_bytes_range(&timeline->series, sum);
    return range_text(text, &range, is_objects ? units_count : units_bytes);
}

static void add_sum(struct series_sum *to, const struct series_sum *sum)
{
    to->bytes += sum->bytes;
    to->objects += sum->objects;
    to->samples += sum->samples;
    to->squares += sum->squares;
}

static void describe(const struct timeline *timeline, char *text, size_t size)
{
    const struct series *series = &timeline->series;
    char duration[UNITS_TEXT_BYTES], peak[UNITS_TEXT_BYTES], time[UNITS_TEXT_BYTES];
    char all[UNITS_TEXT_BYTES], end[UNITS_TEXT_BYTES];
    char ranges[3][RANGE_TEXT_BYTES];
    bool is_objects = timeline->report->weight == WEIGHT_OBJECTS;
    struct series_sum allocated = {0};
    const struct series_sum *left = &series->steps[series->count - 1].live;
    for (size_t i = 0; i < series->count; i++)
        add_sum(&allocated, &series->steps[i].allocated);
    snprintf(text, size,
             "%s%s%s allocated in %s; %s%s live at the peak, after %s; %s%s at the end%s",
             quantity(timeline, all, &allocated), bounds(timeline, ranges[0], &allocated),
             is_objects ? " objects" : "",
             units_duration(duration, (double)(series->to_us - series->from_us) * 1e-6),
             quantity(timeline, peak, &series->peak),
             range_text(ranges[1], is_objects ? &series->peak_objects_range : &series->peak_range,
                        is_objects ? units_count : units_bytes),
             units_duration(time, (double)series->peak_us * 1e-6), quantity(timeline, end, left),
             bounds(timeline, ranges[2], left),
             report_status(timeline->report) == CLI_DONE ? "" : " of what there is of the trace");
}

static void print_text(const struct timeline *timeline, FILE *file)
{
    int width = table_width();
    char about[512];
    struct timeline_text_style style = {
        .columns = width > 0 ? width : PLAIN_COLUMNS,
        .rows = ROWS,
        .utf8 = charset_stdout_is_utf8(),
        .colour = table_stdout_has_colour(),
        .objects = timeline->report->weight == WEIGHT_OBJECTS,
    };
    describe(timeline, about, sizeof about);
    fprintf(file, "%s: %s\n", plain(timeline->report->input.name), about);
    if (*timeline->report->filter.text)
        fprintf(file, "Filter: %s\n", plain(timeline->report->filter.text));
    fputc('\n', file);
    timeline_text_print(file, &timeline->series, timeline->whole, &style);
}

static void print_svg(const struct timeline *timeline, FILE *file)
{
    char title[512], about[512];
    const char *filter = timeline->report->filter.text;
    snprintf(title, sizeof title, "%s over time%s%s", timeline->report->input.name,
             *filter ? ": " : "", filter);
    describe(timeline, about, sizeof about);
    struct timeline_svg_options how = {title, about, timeline->report->weight == WEIGHT_OBJECTS};
    timeline_svg_print(file, &timeline->series, timeline->whole, &how);
}

static bool is_sampled(const struct series *series)
{
    return series->estimate.sample_rate < 1;
}

static void put_sum(struct json *json, const char *key, const struct series *series,
                    const struct series_sum *sum)
{
    json_key(json, key);
    json_object(json);
    json_put_double(json, "bytes", sum->bytes);
    json_put_double(json, "objects", sum->objects);
    if (is_sampled(series))
        json_put_double(json, "samples", sum->samples);
    json_end(json);
}

static void put_series(struct json *json, const struct series *series)
{
    json_object(json);
    json_put_int(json, "from_us", series->from_us);
    json_put_int(json, "to_us", series->to_us);
    put_sum(json, "live_before", series, &series->before);
    json_put_int(json, "peak_us", series->peak_us);
    put_sum(json, "peak", series, &series->peak);
    range_json_put(json, "peak_bytes_", series->peak_range);
    range_json_put(json, "peak_objects_", series->peak_objects_range);
    json_put_double(json, "peak_samples", series->peak.samples);
    json_key(json, "steps");
    json_array(json);
    for (size_t i = 0; i < series->count; i++) {
        json_object(json);
        json_put_int(json, "from_us", series_step_us(series, i));
        put_sum(json, "live", series, &series->steps[i].live);
        put_sum(json, "allocated", series, &series->steps[i].allocated);
        put_sum(json, "collected", series, &series->steps[i].collected);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void print_json(const struct timeline *timeline, FILE *file)
{
    struct json json;
    json_init(&json, file);
    json_object(&json);
    report_put_head(timeline->report, &json);
    json_key(&json, "series");
    put_series(&json, &timeline->series);
    if (timeline->whole) {
        json_key(&json, "whole");
        put_series(&json, timeline->whole);
    }
    json_end(&json);
}

static void put_csv_sum(struct csv *csv, const struct series_sum *sum)
{
    csv_double(csv, sum->bytes, 3);
    csv_double(csv, sum->objects, 3);
}

static void print_csv(const struct timeline *timeline, FILE *file)
{
    const struct series *series = &timeline->series;
    struct csv csv;
    csv_init(&csv, file);
    fputs("from_us,live_bytes,live_objects,allocated_bytes,allocated_objects,collected_bytes,"
          "collected_objects",
          file);
    fputs(is_sampled(series) ? ",live_samples,allocated_samples,collected_samples\n" : "\n", file);
    for (size_t i = 0; i < series->count; i++) {
        csv_uint(&csv, (uint64_t)series_step_us(series, i));
        put_csv_sum(&csv, &series->steps[i].live);
        put_csv_sum(&csv, &series->steps[i].allocated);
        put_csv_sum(&csv, &series->steps[i].collected);
        if (is_sampled(series)) {
            csv_double(&csv, series->steps[i].live.samples, 3);
            csv_double(&csv, series->steps[i].allocated.samples, 3);
            csv_double(&csv, series->steps[i].collected.samples, 3);
        }
        csv_end_row(&csv);
    }
}

static bool print(void *context, FILE *file)
{
    const struct timeline *timeline = context;
    switch (timeline->options->report.format) {
    case REPORT_JSON:
        print_json(timeline, file);
        return true;
    case REPORT_CSV:
        print_csv(timeline, file);
        return true;
    default:
        timeline->options->svg ? print_svg(timeline, file) : print_text(timeline, file);
        return true;
    }
}

/* ---- The command ----------------------------------------------------------------------- */

static size_t steps_of(const struct options *options)
{
    int width = table_width();
    if (options->steps > 0)
        return (size_t)options->steps;
    if (options->svg)
        return TIMELINE_SVG_STEPS;
    return timeline_text_steps(width > 0 ? width : PLAIN_COLUMNS);
}

/* All of the trace, whatever the filter.  False when there is no memory. */
static bool series_of_all(struct series *series, const struct model *model, size_t steps)
{
    struct filter everything;
    struct matcher matcher;
    struct heaptap_error error;
    if (filter_parse(&everything, "", NULL, &error) != HEAPTAP_OK)
        return false;
    bool done = matcher_init(&matcher, model, &everything, NULL, &error) == HEAPTAP_OK;
    if (done) {
        done = series_init(series, &matcher, 0, model->end_us + 1, steps);
        matcher_release(&matcher);
    }
    filter_release(&everything);
    return done;
}

static int show(struct timeline *timeline)
{
    const struct report *report = timeline->report;
    const struct model *model = report->input.model;
    size_t steps = steps_of(timeline->options);
    bool has_filter = *report->filter.text;
    int status = CLI_FAILED;
    if (!series_init(&timeline->series, &report->matcher, 0, model->end_us + 1, steps)) {
        cli_warn("out of memory");
        return CLI_FAILED;
    }
    if (!has_filter || series_of_all(&timeline->all, model, steps)) {
        timeline->whole = has_filter ? &timeline->all : NULL;
        status = report_output_write(timeline->options->output, print, timeline);
        if (has_filter)
            series_release(&timeline->all);
    } else {
        cli_warn("out of memory");
    }
    series_release(&timeline->series);
    return status != CLI_DONE ? status : report_status(report);
}

int cmd_timeline(int argc, char **argv)
{
    struct options options = {.report = question_default()};
    struct report report;
    int status = CLI_DONE;
    cli_parse(&argp, argc, argv, 0, &options);
    if (report_open(&report, &options.report, &status)) {
        struct timeline timeline = {.options = &options, .report = &report};
        status = report_needs_objects(&report) ? show(&timeline) : CLI_BAD_INPUT;
        report_close(&report);
    }
    question_release(&options.report);
    return status;
}
