#include "cli/memtracer/options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "cli/cli.h"
#include "cli/parse.h"
#include "cli/report_options.h"
#include "profile/filter_words.h"

enum {
    OPTION_FAST = 1000,
    OPTION_OUTPUT_FILE,
    OPTION_INTERPRETER,
    OPTION_REPORT,
    OPTION_MEMTRACER,
};

static const struct argp_option option_table[] = {
    {"code", 'c', "CODE", 0, "Run CODE, a program in Lox or for the given interpreter", 0},
    {"interpreter", OPTION_INTERPRETER, "PROGRAM", 0,
     "Run the script or CODE with PROGRAM (default: by its #! line or its extension, .lox, .lua, "
     ".py)",
     0},
    {"output-file", OPTION_OUTPUT_FILE, "FILE", 0,
     "Write the report to FILE instead of standard output", 1},
    {"report", OPTION_REPORT, "COMMAND", 0,
     "Instead of the table, print another report on the run: leaks, 'top -n 5', 'compare --long old.ctf {}'. Can be "
     "given several times",
     1},
    {"quiet", 'q', 0, 0, "Print no report; --output-file still writes it", 1},
    {"rate", 'r', "RATE", 0, "Draw samples, RATE per 8-byte word, instead of recording every block",
     3},
    {"fast", OPTION_FAST, 0, 0, "Lines may be approximate if exact ones slow the program down", 3},
    {"output", 'o', "FILE", 0,
     "Also write a trace, for heaptap's other commands; further processes put their pid into its "
     "name",
     3},
    {"memtracer", OPTION_MEMTRACER, 0, OPTION_HIDDEN, NULL, 0},
    {"memtracer.OutputFile", OPTION_OUTPUT_FILE, "FILE", OPTION_HIDDEN, NULL, 0},
    {0},
};

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

/* ---- Values --------------------------------------------------------------------------------- */

static const char *rate_of(const char *text, struct argp_state *state)
{
    double value;
    if (!amount_plain(text, &value) || value <= 0 || value > 1)
        argp_error(state, "--rate takes a number over 0 and at most 1, not '%s'", text);
    return text;
}

static const char *file_of(const char *text, const char *name, struct argp_state *state)
{
    if (!*text)
        argp_error(state, "%s takes the name of a file", name);
    return text;
}

/* ---- Parsing ---------------------------------------------------------------------- */

static void add_question(struct memtracer_settings *settings, const char *text,
                         struct argp_state *state)
{
    const char *fault;
    if (settings->question_count == MEMTRACER_QUESTIONS_MAX)
        argp_error(state, "--report can be given %d times", MEMTRACER_QUESTIONS_MAX);
    if (!question_words_split(&settings->questions[settings->question_count++], text, &fault))
        argp_error(state, "--report '%s': %s", text, fault ? fault : "out of memory");
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

static void check_end(struct memtracer_settings *settings, struct argp_state *state)
{
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

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct memtracer_settings *settings = state->input;
    switch (key) {
    case 'c':
        settings->code = argument;
        return 0;
    case OPTION_INTERPRETER:
        settings->interpreter = file_of(argument, "--interpreter", state);
        return 0;
    case OPTION_REPORT:
        add_question(settings, argument, state);
        return 0;
    case OPTION_OUTPUT_FILE:
        settings->output_file = file_of(argument, "--output-file", state);
        return 0;
    case 'q':
        settings->quiet = true;
        return 0;
    case 'r':
        settings->rate = rate_of(argument, state);
        return 0;
    case OPTION_FAST:
        settings->fast = true;
        return 0;
    case 'o':
        settings->trace = file_of(argument, "-o", state);
        return 0;
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &settings->expectation;
        state->child_inputs[1] = &settings->continuous;
        state->child_inputs[2] = &settings->question;
        return 0;
    case OPTION_MEMTRACER:
        return 0;
    case ARGP_KEY_ARG: /* the program: what follows is its own */
        settings->command = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        check_end(settings, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The last but one is of the table. */
static struct argp_child children[] = {
    {&expectation_argp, 0, NULL, 0}, {&continuous_argp, 0, NULL, 0}, {0}, {0}};

static const struct argp argp = {
    option_table,
    parse,
    "[--] SCRIPT|COMMAND [ARGUMENT...]",
    "Runs a program in an interpreted language and shows what each of its lines allocates.\v"
    "Lua 5.4, CPython from 3.11 on, Lox, and interpreters that embed heaptap/guest.h. The program "
    "is run as it is; its standard streams, signals and exit status are passed through. heaptap's "
    "own option `--memtracer` means this command.",
    children,
    0,
    0};

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
    children[2].argp = report_options_argp(entry);
    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, settings);
}
