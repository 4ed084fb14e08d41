#include "cli/memtracer/options.h"

#include <argp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/parse.h"
#include "profile/filter_words.h"
#include "report/reports.h"

void memtracer_print_help(void)
{
    puts(
        "usage: heaptap --memtracer [OPTION...] SCRIPT [ARGUMENT...]\n"
        "       heaptap --memtracer [OPTION...] -c CODE\n\n"
        "  --memtracer.Output=FORMAT             table, histogram, typehistogram, calltree, json, csv, "
        "markdown\n"
        "  --memtracer.OutputFile=FILE           write the report to FILE\n"
        "  --memtracer.TraceStackTraces[=BOOLEAN]  true (also without =): keep call stacks, show "
        "them\n"
        "  --memtracer.TraceMem=BYTES            show rows of at least this many bytes\n"
        "  --memtracer.StackLimit=N              show at most N calls of a stack\n"
        "  --memtracer.FilterRootName=LIST       only functions that match one of these patterns\n"
        "  --memtracer.FilterFile=LIST           only files that match one of these patterns\n"
        "  --memtracer.FilterLanguage=LIST       only languages that match one of these patterns\n\n"
        "A LIST has patterns separated by commas; * is any text, ? any letter.\n"
        "`heaptap memtracer --help` lists all options; `man heaptap-memtracer` explains them.");
}

/* ---- Parsing ---------------------------------------------------------------------- */

static bool take_question(void *target, const char *text, struct heaptap_error *error)
{
    struct memtracer_settings *settings = target;
    const char *fault;
    bool fits = settings->question_count < MEMTRACER_QUESTIONS_MAX;
    if (fits &&
        question_words_split(&settings->questions[settings->question_count++], text, &fault))
        return true;
    if (fits)
        error_set(error, HEAPTAP_BAD_ARGUMENT, "'%s': %s", text, fault ? fault : "out of memory");
    else
        error_set(error, HEAPTAP_BAD_ARGUMENT, "can be given %d times", MEMTRACER_QUESTIONS_MAX);
    return false;
}

/* Rows are stacks with a type and labels: clauses on anything else are for a trace. */
static bool is_of_rows(const struct filter_clause *clause)
{
    unsigned stage = filter_word_info(clause->word)->stage;
    return stage == STAGE_STACKS || clause->word == FILTER_TAG;
}

static void parse_clauses(struct memtracer_settings *settings, struct argp_state *state)
{
    struct heaptap_error error;
    struct text *clauses = &settings->question.filter;
    text_put_char(clauses, 0);
    if (clauses->failed)
        argp_failure(state, CLI_FAILED, 0, "out of memory");
    if (filter_parse(&settings->filter, clauses->bytes, NULL, &error) != HEAPTAP_OK)
        argp_error(state, "--filter: %s", error.message);
    for (size_t i = 0; i < settings->filter.count; i++)
        if (!is_of_rows(&settings->filter.clauses[i]))
            argp_error(
                state,
                "the table takes clauses on frames and types, focus, ignore, site and type; give %s "
                "to a report: --report 'top %.*s'",
                filter_word_name(settings->filter.clauses[i].word),
                (int)settings->filter.clauses[i].length,
                settings->filter.text + settings->filter.clauses[i].offset);
}

/* The folder that -o names is no trace. */
static void check_continuous(struct memtracer_settings *settings, struct argp_state *state)
{
    struct continuous_options *options = &settings->continuous;
    const char *stray = continuous_stray(options);
    if (stray)
        argp_error(state, "--%s needs --push URL", stray);
    if (!continuous_is_asked(options))
        return;
    if (settings->question_count > 0)
        argp_error(state, "--every and --report exclude each other");
    if (!settings->trace && !options->push)
        argp_error(state, "--every needs -o FOLDER, where the profiles go, or --push URL");
    if (!options->every[0])
        strcpy(options->every, "60");
    options->folder = settings->trace;
    options->quiet = settings->quiet;
    settings->trace = NULL;
}

static void check(struct argp_state *state)
{
    struct memtracer_settings *settings = state->input;
    parse_clauses(settings, state);
    if (!settings->command && !settings->code)
        argp_error(state, "no program given: name a script, or a command with its arguments, after "
                          "the options");
    if (settings->question_count > 0 && memtracer_own(&settings->question)->has_format)
        argp_error(state, "the table is not printed with --report; give the form to the report: "
                          "--report 'leaks --json'");
    if (settings->trace && strcmp(settings->trace, "-") == 0)
        argp_error(state, "-o takes a file: standard output is the program's");
    check_continuous(settings, state);
}

#define FIELD(name) offsetof(struct memtracer_settings, name)

static const struct question_option rows[] = {
    {.kind = OPTION_QUESTION, .field = FIELD(question)},
    {"code", 'c', OPTION_TEXT, 0, "CODE", "Run CODE, a program in Lox or for the given interpreter",
     FIELD(code)},
    {"interpreter", 0, OPTION_FILE, 0, "PROGRAM",
     "Run the script or CODE with PROGRAM (default: by its #! line or its extension, .lox, .lua, "
     ".py)",
     FIELD(interpreter)},
    {"output-file", 0, OPTION_FILE, 0, "FILE",
     "Write the report to FILE instead of standard output", FIELD(output_file), .group = 1},
    {"report", 0, OPTION_TAKEN, 0, "COMMAND",
     "Instead of the table, print another report on the run: leaks, 'top -n 5', 'compare --long old.ctf {}'. Can be "
     "given several times",
     .take = take_question, .group = 1},
    {"quiet", 'q', OPTION_FLAG, 0, NULL, "Print no report; --output-file still writes it",
     FIELD(quiet), .group = 1},
    {"rate", 'r', OPTION_TAKEN, 0, "RATE",
     "Draw samples, RATE per 8-byte word, instead of recording every block", FIELD(rate),
     .take = option_take_rate, .group = 3},
    {"fast", 0, OPTION_FLAG, 0, NULL,
     "Lines may be approximate if exact ones slow the program down", FIELD(fast), .group = 3},
    {"output", 'o', OPTION_FILE, 0, "FILE",
     "Also write a trace, for heaptap's other commands; further processes put their pid into its "
     "name",
     FIELD(trace), .group = 3},
    {"memtracer", 0, OPTION_FLAG, 0, NULL, NULL, FIELD(is_asked)},
    {"memtracer.OutputFile", 0, OPTION_FILE, 0, "FILE", NULL, FIELD(output_file)},
    {.kind = OPTION_ROWS, .rows = expectation_rows, .field = FIELD(expectation)},
    {.kind = OPTION_ROWS, .rows = continuous_rows, .field = FIELD(continuous)},
    {.kind = OPTION_COMMAND, .field = FIELD(command)},
    {0}};

static const struct command_line line = {
    .check = check,
    .arguments = "[--] SCRIPT|COMMAND [ARGUMENT...]",
    .about =
        "Runs a program in an interpreted language and shows what each of its lines allocates.\v"
        "Lua 5.4, CPython from 3.11 on, Lox, and interpreters that embed heaptap/guest.h. The program "
        "is run as it is; its standard streams, signals and exit status are passed through. heaptap's "
        "own option `--memtracer` means this command.",
};

/* It is no report that can be asked by its name. */
static const struct report_entry *table_entry(void)
{
    size_t row = 0;
    while (strcmp(report_entry_at(row)->name, "memtracer") != 0)
        row++;
    return report_entry_at(row);
}

void memtracer_parse(int argc, char **argv, struct memtracer_settings *settings)
{
    const struct report_entry *entry = table_entry();
    *settings = (struct memtracer_settings){.expectation = EXPECTATION_NONE,
                                            .question = question_of(entry)};
    cli_parse(rows, &line, argc, argv, ARGP_IN_ORDER, settings);
}
