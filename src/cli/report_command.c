#include "cli/report_command.h"

#include <stdlib.h>

#include "cli/answer_output.h"
#include "cli/cli.h"
#include "cli/next.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cli/report_output.h"
#include "cli/report_pattern.h"
#include "cli/source_file.h"
#include "cli/store_input.h"
#include "cli/type_file.h"
#include "cli/written_form.h"
#include "report/file.h"

/* ---- Sources --------------------------------------------------------------------------- */

static void open_source(const struct report_sources *sources, struct report_source *source,
                        const char *name)
{
    struct source_file *file = calloc(1, sizeof *file);
    if (file && source_file_open(file, name,
                                 ((const struct report_command_sources *)sources)->folders, false))
        *source = (struct report_source){file->path, file->lines, file->count, file};
    else
        free(file);
}

static void close_source(struct report_source *source)
{
    if (source->owner)
        source_file_release(source->owner);
    free(source->owner);
}

struct report_command_sources report_command_sources(const struct question *question)
{
    const char *folders = question->source_path;
    return (struct report_command_sources){{open_source, close_source, type_file_find},
                                           folders ? folders : ""};
}

enum report_outcome report_command_put(struct answer *answer, struct report *report)
{
    struct report_command_sources sources = report_command_sources(report->options);
    report->sources = &sources.sources;
    enum report_outcome outcome = report->options->report->put(answer, report);
    report->sources = NULL;
    return outcome;
}

/* ---- The command ----------------------------------------------------------------------- */

static int put(struct report *report)
{
    int status = CLI_DONE;
    const struct question *question = report->options;
    const struct written_form *form = written_form_find(question->report, question->format);
    if (form)
        return written_form_write(form, report);
    struct report_output output;
    FILE *file = report_output_begin(&output, question->output, &status);
    struct answer *answer = file ? answer_output_on(file, question->format) : NULL;
    if (!answer)
        return file ? report_output_end(&output, false), cli_out_of_memory() : status;
    enum report_outcome outcome = report_command_put(answer, report);
    status = answer_output_close(answer, outcome != REPORT_UNFINISHED, report_status(report));
    int written = report_output_end(&output, status != CLI_FAILED && outcome == REPORT_SAID);
    return outcome == REPORT_MISSED ? report_pattern_missed(report->pattern, question->pattern)
           : written != CLI_DONE    ? written
                                    : status;
}

static int answer_it(struct report *report)
{
    const struct report_entry *entry = report->options->report;
    const char *refusal = entry->refuse ? entry->refuse(report) : NULL;
    if (entry->traits & REPORT_NEEDS_BLOCKS && !report->file && !report_needs_objects(report))
        return CLI_BAD_INPUT;
    if (refusal) {
        cli_warn("%s: %s", report->input.subject, refusal);
        return CLI_USAGE;
    }
    return put(report);
}

static int refuse_base(const struct report *report, const struct report *base)
{
    cli_warn("%s is a %s, %s is a %s: they can't be compared", base->input.subject,
             base->input.model->kind == MODEL_OBJECTS ? "trace" : "profile", report->input.subject,
             report->input.model->kind == MODEL_OBJECTS ? "trace" : "profile");
    return CLI_USAGE;
}

/* With the question's other file, which is open, too: of a report that takes two, the first is the base. */
static int answer_both(struct report *first, struct report *second)
{
    bool takes_two = first->options->report->traits & REPORT_TAKES_TWO;
    struct report *base = takes_two ? first : second, *report = takes_two ? second : first;
    report->base = base;
    int status = !takes_two && base->input.model->kind != report->input.model->kind
                     ? refuse_base(report, base)
                 : !report_have_one_unit(base, report) ? CLI_USAGE
                                                       : answer_it(report);
    report->base = NULL;
    return status == CLI_DONE ? report_status(base) : status;
}

static int answer_two(struct report *first)
{
    struct question question = *first->options;
    struct report second;
    int status;
    question.path = question.other;
    question.more_count = 0;
    if (report_open(&second, &question, &status)) {
        status = answer_both(first, &second);
        report_close(&second);
    }
    return status;
}

int report_command_answer(const struct question *question)
{
    struct report report;
    int status;
    if (!report_open(&report, question, &status))
        return status;
    status = question->other ? answer_two(&report) : answer_it(&report);
    if (status == CLI_DONE && !(question->report->traits & REPORT_TAKES_TWO))
        next_say(question->report->name, question,
                 report.file ? report.file->model : report.input.model);
    report_close(&report);
    return status;
}

struct command_line report_line(const struct report_entry *entry,
                                void (*check)(struct argp_state *state))
{
    return (struct command_line){
        .arguments = entry->arguments                       ? entry->arguments
                     : entry->traits & REPORT_NEEDS_PATTERN ? "TRACE REGEX [CLAUSE...]"
                                                            : "TRACE... [CLAUSE...]",
        .about = entry->about,
        .check = check,
    };
}

void report_parse(struct question *question, int argc, char **argv)
{
    static const struct question_option rows[] = {{.kind = OPTION_QUESTION, .parts = PART_FILES},
                                                  {0}};
    const struct command_line line = report_line(question->report, NULL);
    cli_parse(rows, &line, argc, argv, 0, question);
}

int report_command_run(const struct report_entry *entry, int argc, char **argv)
{
    struct question question = question_of(entry);
    report_parse(&question, argc, argv);
    if (entry->parts & PART_BASE &&
        !question.other) /* of a store: what grew since the day before */
        question.other = store_input_day_before(question.path);
    int status = report_command_answer(&question);
    question_release(&question);
    return status;
}
