/* heaptap view: the viewer's page as one file. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/model_input.h"
#include "cli/filtering.h"
#include "cli/report_output.h"
#include "cli/source_lookup.h"
#include "cli/viewed_files.h"
#include "page/report.h"
#include "profile/anonymous.h"

struct options {
    struct question report;
    const char *output; /* NULL until it has been seen */
    const char *base;   /* NULL for none */
    const char *source_path;
    long nodes;
    bool is_anonymous;
};

enum { NODES = 200000, NODES_MAX = 1000000 };

static bool refuse_live(void *field, const char *value, struct heaptap_error *error)
{
    (void)field;
    (void)value;
    error_set(error, HEAPTAP_BAD_ARGUMENT,
              "follows a trace in the browser, and -o writes a page once: leave out one of them");
    return false;
}

#define FIELD(name) offsetof(struct options, name)

static const struct question_option rows[] = {
    {"output", 'o', OPTION_TEXT, 0, "FILE", "Write to FILE; - for standard output. Required",
     FIELD(output)},
    {"base", 0, OPTION_TEXT, 0, "FILE", "Compare with FILE", FIELD(base)},
    {"anonymous", 0, OPTION_FLAG, 0, NULL,
     "Leave out the host, process numbers, the recording's context and the folders of absolute paths",
     FIELD(is_anonymous)},
    {"nodes", 0, OPTION_NUMBER, 0, "N", "Keep the N heaviest nodes of the tree of stacks (200000)",
     FIELD(nodes), .least = 1, .most = NODES_MAX},
    {"source-path", 0, OPTION_TEXT, 0, "FOLDERS",
     "Look for sources below these folders, separated by colons (default: the current one)",
     FIELD(source_path)},
    {"live", 0, OPTION_TAKEN, .take = refuse_live}, /* not the beginning of --live-at */
    {.kind = OPTION_QUESTION, .parts = PART_FILES | PART_FILTER, .field = FIELD(report)},
    {0}};

static void check(struct argp_state *state)
{
    struct options *options = state->input;
    if (!options->output)
        argp_error(state, "no output file: use -o FILE");
}

static const struct command_line line = {
    .check = check,
    .arguments = "TRACE... [CLAUSE...]",
    .about =
        "Writes what heaptap view shows of TRACE to one HTML file, which needs nothing else.\v"
        "Its size is bounded: the lightest parts are left out, and the page shows how much they are. With "
        "a filter, the whole page is about what passes it.",
};

static struct viewer_dataset *new_dataset(const struct model_input *input,
                                          const struct filter *filter)
{
    struct viewer_dataset *file = viewer_dataset_new(input->model, trace_input_name(&input->trace),
                                                     viewed_remark(&input->trace));
    if (file && viewer_dataset_set_filter(file, filter->text))
        return file;
    viewer_dataset_free(file);
    cli_warn("out of memory");
    return NULL;
}

/* Does the filter fit the model? */
static bool fits(const struct model_input *input, const struct filter *filter, int *status)
{
    struct matcher matcher;
    if (!filtering_match(&matcher, input->model, filter, status))
        return false;
    if (matcher_leaves_nothing(&matcher))
        filtering_note_empty(trace_input_subject(&input->trace));
    matcher_release(&matcher);
    return true;
}

static bool prepare(struct model_input *input, const struct options *options)
{
    if (!model_input_to_base_units(input))
        return false;
    if (!options->is_anonymous || model_make_anonymous(input->model))
        return true;
    model_input_close(input);
    return cli_fail_memory(&input->trace.exit_status);
}

/* NULL with a message; the worst exit status so far in `*status`. */
static struct viewer_dataset *read_files(const struct options *options,
                                         const struct input_names *names,
                                         const struct filter *filter, int *status)
{
    struct model_input input;
    bool done = model_input_open(&input, &(struct model_wanted){.files = *names}) &&
                prepare(&input, options);
    *status = input.trace.exit_status > *status ? input.trace.exit_status : *status;
    if (!done)
        return NULL;
    if (!fits(&input, filter, status)) {
        model_input_close(&input);
        return NULL;
    }
    struct viewer_dataset *file = new_dataset(&input, filter);
    if (!file)
        *status = CLI_FAILED;
    return file;
}

/* ---- Progress ---------------------------------------------------------------------------- */

/* On a terminal from the start; elsewhere when it takes long. */
enum { LONG_SECONDS = 5 };

struct progress {
    double began, told;
    bool is_terminal;
};

static void tell_progress(void *context, size_t done, size_t whole)
{
    struct progress *progress = context;
    double now = 1e-6 * (double)clock_us(CLOCK_MONOTONIC);
    if (progress->is_terminal)
        fprintf(stderr, "\rreport: %.0f %%   ", 100.0 * (double)done / (double)whole);
    else if (now - progress->told >= LONG_SECONDS)
        fprintf(stderr, "report: %.0f %% after %.0f s\n", 100.0 * (double)done / (double)whole,
                now - progress->began);
    else
        return;
    progress->told = now;
}

/* ---- The file ---------------------------------------------------------------------------- */

struct page {
    const struct viewer_state *state;
    const struct options *options;
};

static bool write_page(void *context, FILE *file)
{
    const struct page *page = context;
    double now = 1e-6 * (double)clock_us(CLOCK_MONOTONIC);
    struct progress progress = {now, now, isatty(STDERR_FILENO)};
    struct report_progress telling = {tell_progress, &progress};
    bool done = viewer_report_write(file, page->state, (uint32_t)page->options->nodes, &telling);
    if (progress.is_terminal)
        fputs("\r\033[K", stderr);
    return done;
}

/* Whoever sends the page to others is to know it. */
static void tell_origin(const struct options *options, const struct model *model)
{
    const char *name = strcmp(options->output, "-") == 0 ? "the page" : options->output;
    if (!options->is_anonymous && model->kind == MODEL_OBJECTS)
        cli_warn("%s: note: it names the host, the process, its program and absolute paths; "
                 "--anonymous leaves them out",
                 name);
    else if (!options->is_anonymous)
        cli_warn("%s: note: it has absolute paths; --anonymous leaves them out", name);
}

static int show(const void *command_options, const struct filter *filter)
{
    const struct options *options = command_options;
    int status = CLI_DONE;
    const struct input_names names = question_files(&options->report),
                             base_names = {.path = options->base};
    struct viewer_dataset *file = read_files(options, &names, filter, &status);
    struct viewer_dataset *base =
        file && options->base ? read_files(options, &base_names, filter, &status) : NULL;
    if (file && (base || !options->base)) {
        struct source_lookup lookup = {.folders = options->source_path};
        struct viewer_sources sources = {source_lookup_lines, &lookup};
        struct viewer_state state = {.name = file->name,
                                     .files = &file,
                                     .file_count = 1,
                                     .base = base,
                                     .sources = &sources,
                                     .generation = 1};
        struct page page = {&state, options};
        int written = report_output_write(options->output, write_page, &page);
        source_lookup_release(&lookup);
        status = written != CLI_DONE ? written : status;
        if (written == CLI_DONE)
            tell_origin(options, file->model);
    }
    viewer_dataset_free(file);
    viewer_dataset_free(base);
    return status;
}

int cmd_report(int argc, char **argv)
{
    struct options options = {.report = question_many(), .nodes = NODES, .source_path = "."};
    cli_parse(rows, &line, argc, argv, 0, &options);
    return filtering_run(&options.report, show, &options);
}
