#include "cli/memtracer/options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/amount.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/parse.h"

enum {
    OPTION_STACKS = 1000,
    OPTION_STACK_LIMIT,
    OPTION_FAST,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_MARKDOWN,
    OPTION_OUTPUT_FILE,
    OPTION_MIN_SIZE,
    OPTION_MIN_COUNT,
    OPTION_INCLUDE,
    OPTION_EXCLUDE,
    OPTION_FUNCTION,
    OPTION_LANGUAGE,
    OPTION_SORT,
    OPTION_INTERPRETER,
    OPTION_REPORT,
    OPTION_MEMTRACER,
    OPTION_TRACE_STACK_TRACES,
    OPTION_TRACE_MEM,
};

static const struct argp_option option_table[] = {
    {"code", 'c', "CODE", 0, "Run CODE, a program in Lox or for the given interpreter", 0},
    {"interpreter", OPTION_INTERPRETER, "PROGRAM", 0,
     "Run the script or CODE with PROGRAM (default: by its #! line or its extension, .lox, .lua, "
     ".py)",
     0},
    {"format", 'f', "FORMAT", 0,
     "Which rows: table (the default: lines), histogram (functions), typehistogram or calltree; in what form: json, csv "
     "or markdown. May be given for both",
     1},
    {"format", 'f', "table|histogram|typehistogram|calltree|json|csv|markdown", OPTION_HIDDEN, NULL,
     0}, /* for completion */
    {"json", OPTION_JSON, 0, 0, "The same as --format json", 1},
    {"csv", OPTION_CSV, 0, 0, "The same as --format csv", 1},
    {"markdown", OPTION_MARKDOWN, 0, 0, "The same as --format markdown", 1},
    {"output-file", OPTION_OUTPUT_FILE, "FILE", 0,
     "Write the report to FILE instead of standard output", 1},
    {"wide", 'w', 0, 0,
     "Also show columns for live blocks, the peak, promoted and temporary "
     "blocks, and age",
     1},
    {"stacks", OPTION_STACKS, 0, 0, "Keep whole call stacks, and show them below each row", 1},
    {"stack-limit", OPTION_STACK_LIMIT, "N", 0, "Show at most N calls of a stack", 1},
    {"report", OPTION_REPORT, "COMMAND", 0,
     "In place of the table, ask another command of heaptap about the run: leaks, 'top -n 5', 'diff old.ctf {}'; may be "
     "given several times",
     1},
    {"quiet", 'q', 0, 0, "Print no report; --output-file still gets it", 1},
    {"min-size", OPTION_MIN_SIZE, "BYTES", 0, "Hide smaller rows (kB, MB, GB: powers of 1024)", 2},
    {"min-count", OPTION_MIN_COUNT, "N", 0, "Hide rows with fewer allocations (k, M: thousands)",
     2},
    {"sort", OPTION_SORT, "KEY", 0,
     "Sort by size (the default), count, live (bytes) or peak (bytes), the largest first", 1},
    {"sort", OPTION_SORT, "size|count|live|peak", OPTION_HIDDEN, NULL, 0}, /* for completion */
    {"top", 't', "N", 0, "Show the first N rows", 2},
    {"filter", 'F', "CLAUSES", 0,
     "Only stacks that pass: focus=REGEX (some call), ignore=REGEX (no call), type=REGEX", 2},
    {"include", OPTION_INCLUDE, "LIST", 0,
     "Only files that match one of these patterns, separated by commas (* any text, ? any letter)",
     2},
    {"exclude", OPTION_EXCLUDE, "LIST", 0, "No files that match one of these patterns", 2},
    {"type", 'T', "LIST", 0, "Only types that match one of these patterns", 2},
    {"function", OPTION_FUNCTION, "LIST", 0, "Only functions that fit one of these patterns", 2},
    {"language", OPTION_LANGUAGE, "LIST", 0, "Only languages that fit one of these patterns", 2},
    {"rate", 'r', "RATE", 0, "Draw samples, RATE per 8-byte word, instead of recording every block",
     3},
    {"fast", OPTION_FAST, 0, 0, "Lines may be approximate where exact ones slow the program down",
     3},
    {"output", 'o', "FILE", 0,
     "Also write a trace, for heaptap's other commands; further processes put their pid into its "
     "name",
     3},
#define HIDDEN(name, key, argument)                                                                \
    {                                                                                              \
        name, key, argument, OPTION_HIDDEN, NULL, 0                                                \
    }
    HIDDEN("memtracer", OPTION_MEMTRACER, NULL),
    HIDDEN("memtracer.Output", 'f', "FORMAT"),
    HIDDEN("memtracer.OutputFile", OPTION_OUTPUT_FILE, "FILE"),
    {"memtracer.TraceStackTraces", OPTION_TRACE_STACK_TRACES, "BOOLEAN",
     OPTION_HIDDEN | OPTION_ARG_OPTIONAL, NULL, 0},
    HIDDEN("memtracer.TraceMem", OPTION_TRACE_MEM, "BYTES"),
    HIDDEN("memtracer.StackLimit", OPTION_STACK_LIMIT, "N"),
    HIDDEN("memtracer.FilterRootName", OPTION_FUNCTION, "LIST"),
    HIDDEN("memtracer.FilterFile", OPTION_INCLUDE, "LIST"),
    HIDDEN("memtracer.FilterLanguage", OPTION_LANGUAGE, "LIST"),
#undef HIDDEN
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
        "  --memtracer.FilterRootName=LIST       only functions that fit one of these patterns\n"
        "  --memtracer.FilterFile=LIST           only files that fit one of these patterns\n"
        "  --memtracer.FilterLanguage=LIST       only languages that fit one of these patterns\n\n"
        "A LIST has patterns separated by commas; * is any text, ? any letter.\n"
        "`heaptap memtracer --help` lists all options; `man heaptap-memtracer` explains them.");
}

/* ---- Values --------------------------------------------------------------------------------- */

/* A word says which rows there are, or in what form. */
static void parse_format(struct memtracer_settings *settings, const char *text,
                         struct argp_state *state)
{
    static const struct {
        const char *word;
        enum memtracer_rows rows;
    } tables[] = {{"table", MEMTRACER_LINES},
                  {"histogram", MEMTRACER_FUNCTIONS},
                  {"typehistogram", MEMTRACER_TYPES},
                  {"calltree", MEMTRACER_CALLS}};
    static const struct {
        const char *word;
        enum report_format form;
    } forms[] = {{"json", REPORT_JSON}, {"csv", REPORT_CSV}, {"markdown", REPORT_MARKDOWN}};
    settings->has_format = true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(text, tables[i].word) == 0) {
            settings->table.rows = tables[i].rows;
            return;
        }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(text, forms[i].word) == 0) {
            settings->form = forms[i].form;
            return;
        }
    argp_error(state,
               "the format takes table, histogram, typehistogram, calltree, json, csv or markdown, "
               "not '%s'",
               text);
}

static enum guest_order order_of(const char *text, struct argp_state *state)
{
    static const char *const names[] = {[GUEST_SIZE_FIRST] = "size",
                                        [GUEST_COUNT_FIRST] = "count",
                                        [GUEST_LIVE_FIRST] = "live",
                                        [GUEST_PEAK_FIRST] = "peak"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return (enum guest_order)i;
    argp_error(state, "--sort takes size, count, live or peak, not '%s'", text);
    return GUEST_SIZE_FIRST;
}

/* Without a value, true: NULL is. */
static bool boolean_of(const char *text, struct argp_state *state)
{
    if (!text)
        return true;
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        argp_error(state, "TraceStackTraces takes true or false, not '%s'", text);
    return strcmp(text, "true") == 0;
}

static double bytes_of(const char *text, const char *name, struct argp_state *state)
{
    double value;
    if (!amount_bytes(text, &value))
        argp_error(state, "%s takes a size such as 400, 64k or 1.5MB, not '%s'", name, text);
    return value;
}

/* Rows of this size or more: one that is rounded keeps the row that is printed so. */
static double least_of(const char *text, const char *name, struct argp_state *state)
{
    bool is_rounded;
    double value = bytes_of(text, name, state);
    return amount_bytes_rounded(text, &value, &is_rounded) && is_rounded ? units_size_least(value)
                                                                         : value;
}

static double number_of(const char *text, const char *name, struct argp_state *state)
{
    double value;
    if (!amount_count(text, &value))
        argp_error(state, "--%s takes a number such as 500, 100k or 2M, not '%s'", name, text);
    return value;
}

static size_t whole_of(const char *text, const char *name, struct argp_state *state)
{
    uint64_t value;
    if (!cli_parse_whole(text, 1, SIZE_MAX, &value))
        argp_error(state, "%s takes a whole number from 1 on, not '%s'", name, text);
    return value;
}

static const char *rate_of(const char *text, struct argp_state *state)
{
    double value;
    if (!amount_plain(text, &value) || value <= 0 || value > 1)
        argp_error(state, "--rate takes a number over 0 and at most 1, not '%s'", text);
    return text;
}

static const char *list_of(const char *text, const char *name, struct argp_state *state)
{
    if (!*text)
        argp_error(state, "%s takes patterns with commas between, not nothing", name);
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

static bool is_of_rows(const struct filter_clause *clause)
{
    return clause->word == FILTER_FOCUS || clause->word == FILTER_IGNORE ||
           clause->word == FILTER_TYPE;
}

/* Rows are stacks with a type: clauses on anything else are for a trace. */
static void parse_clauses(struct memtracer_settings *settings, struct argp_state *state)
{
    struct heaptap_error error;
    text_put_char(&settings->clauses, 0);
    if (settings->clauses.failed)
        argp_failure(state, CLI_FAILED, 0, "out of memory");
    if (filter_parse(&settings->filter, settings->clauses.bytes, NULL, &error) != HEAPTAP_OK)
        argp_error(state, "--filter: %s", error.message);
    for (size_t i = 0; i < settings->filter.count; i++)
        if (!is_of_rows(&settings->filter.clauses[i]))
            argp_error(
                state,
                "the table takes clauses on frames and types, focus, ignore and type; give %s to a "
                "report: --report 'top %.*s'",
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
    if (settings->question_count > 0 && settings->has_format)
        argp_error(state, "the table is not printed with --report; give the form to the report: "
                          "--report 'leaks --json'");
    if (settings->trace && strcmp(settings->trace, "-") == 0)
        argp_error(state, "-o takes a file: standard output is the program's");
    check_continuous(settings, state);
}

static error_t parse_filter(int key, char *argument, struct guest_filter *filter,
                            struct argp_state *state)
{
    switch (key) {
    case OPTION_MIN_SIZE:
        filter->min_bytes = least_of(argument, "--min-size", state);
        return 0;
    case OPTION_TRACE_MEM:
        filter->min_bytes = least_of(argument, "--memtracer.TraceMem", state);
        return 0;
    case OPTION_MIN_COUNT:
        filter->min_count = number_of(argument, "min-count", state);
        return 0;
    case 't':
        filter->top = whole_of(argument, "--top", state);
        return 0;
    case OPTION_SORT:
        filter->order = order_of(argument, state);
        return 0;
    case OPTION_INCLUDE:
        filter->include = list_of(argument, "--include", state);
        return 0;
    case OPTION_EXCLUDE:
        filter->exclude = list_of(argument, "--exclude", state);
        return 0;
    case 'T':
        filter->types = list_of(argument, "--type", state);
        return 0;
    case OPTION_FUNCTION:
        filter->functions = list_of(argument, "--function", state);
        return 0;
    case OPTION_LANGUAGE:
        filter->languages = list_of(argument, "--language", state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
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
    case 'f':
        parse_format(settings, argument, state);
        return 0;
    case OPTION_JSON:
        parse_format(settings, "json", state);
        return 0;
    case OPTION_CSV:
        parse_format(settings, "csv", state);
        return 0;
    case OPTION_MARKDOWN:
        parse_format(settings, "markdown", state);
        return 0;
    case OPTION_REPORT:
        add_question(settings, argument, state);
        return 0;
    case OPTION_OUTPUT_FILE:
        settings->output_file = file_of(argument, "--output-file", state);
        return 0;
    case 'w':
        settings->table.is_wide = true;
        return 0;
    case 'q':
        settings->quiet = true;
        return 0;
    case OPTION_STACKS:
        settings->table.stacks = true;
        return 0;
    case OPTION_TRACE_STACK_TRACES:
        settings->table.stacks = boolean_of(argument, state);
        return 0;
    case OPTION_STACK_LIMIT:
        settings->table.stack_limit = whole_of(argument, "the stack limit", state);
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
        return 0;
    case 'F':
        text_put_string(&settings->clauses, argument);
        text_put_char(&settings->clauses, ' ');
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
        return parse_filter(key, argument, &settings->table.filter, state);
    }
}

static const struct argp_child children[] = {
    {&expectation_argp, 0, NULL, 0}, {&continuous_argp, 0, NULL, 0}, {0}};

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

void memtracer_parse(int argc, char **argv, struct memtracer_settings *settings)
{
    *settings = (struct memtracer_settings){.expectation = EXPECTATION_NONE};
    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, settings);
}
