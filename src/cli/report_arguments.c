#include "cli/report_arguments.h"

#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/report_output.h"
#include "cli/store_input.h"
#include "cli/written_form.h"
#include "profile/filter.h"

/* ---- Each argument --------------------------------------------------------------------- */

static void add_path(struct question *options, const char *path, struct argp_state *state)
{
    if (!ARRAY_RESERVE(&options->more, &options->more_capacity, options->more_count + 1))
        argp_failure(state, CLI_FAILED, 0, "out of memory");
    options->more[options->more_count++] = path;
}

static bool has_trait(const struct question *question, enum report_trait trait)
{
    return question->report && question->report->traits & trait;
}

static void set_path(const struct question *options, const char **path, const char *argument,
                     struct argp_state *state)
{
    if (has_trait(options, REPORT_OF_STORE) && !store_input_is(argument))
        argp_error(state, "'%s' is not a store: name one as store:FILE", argument);
    *path = argument;
}

static const char **last_path(struct question *options)
{
    return options->more_count > 0 ? &options->more[options->more_count - 1]
           : options->other        ? &options->other
                                   : &options->path;
}

/* `live-at peak` and its kin: a clause of which the = was forgotten, and no file. */
static void refuse_bare_word(const char *argument, struct argp_state *state)
{
    const char *value = state->next < state->argc ? state->argv[state->next] : "VALUE";
    if (filter_find_word(argument, strlen(argument)) == FILTER_WORD_COUNT ||
        access(argument, F_OK) == 0)
        return;
    argp_error(state,
               "'%s' is a clause of a filter: write = and a value after it, without spaces: %s=%s",
               argument, argument, value);
}

/* A clause where the functions should stand. */
static void refuse_clause(const char *argument, struct argp_state *state)
{
    size_t size = strcspn(argument, "=<>!:");
    bool is_name = strncmp(argument + size, "::", 2) == 0; /* of C++ */
    if (!is_name && strpbrk(argument + size, "=<>") &&
        filter_find_word(argument, size) != FILTER_WORD_COUNT)
        argp_error(state,
                   "'%s' is a clause of a filter: in front of it, after the trace, a regular "
                   "expression (REGEX) is missing that names functions",
                   argument);
}

/* Or the name of one that isn't there? */
static bool is_file(const char *argument)
{
    return strpbrk(argument, "./") || strcmp(argument, "-") == 0 || store_input_is(argument) ||
           access(argument, F_OK) == 0;
}

void report_arguments_take(struct question *options, const char *argument, struct argp_state *state)
{
    const char **last = last_path(options);
    refuse_bare_word(argument, state);
    if (!options->path)
        set_path(options, &options->path, argument, state);
    else if (store_input_takes(*last, argument))
        *last = store_input_with(*last, argument);
    else if (has_trait(options, REPORT_TAKES_TWO) && !options->other)
        set_path(options, &options->other, argument, state);
    else if (has_trait(options, REPORT_OF_STORE))
        argp_error(state,
                   store_input_is(argument) ? "'%s' is one store too many"
                                            : "'%s' is neither a label nor a time",
                   argument);
    else if (options->takes_pattern && !options->pattern) {
        refuse_clause(argument, state);
        options->pattern = argument;
    } else if (strpbrk(argument, "=<>"))
        question_add_clauses(&options->filter, argument);
    else if (options->takes_many && is_file(argument))
        add_path(options, argument, state);
    else if (options->takes_many)
        argp_error(state, "'%s' is neither a file nor a clause of a filter", argument);
    else
        argp_error(state, "'%s' is one file too many, and not a clause of a filter", argument);
}

static void check_arguments(const struct question *options, struct argp_state *state)
{
    bool is_of_store = has_trait(options, REPORT_OF_STORE);
    if (has_trait(options, REPORT_TAKES_TWO) && !options->other)
        argp_error(state,
                   is_of_store
                       ? "two stores are needed: store:app.db version=1.3 store:app.db version=1.4"
                       : "two files are needed: the one from before, then the one from after");
    if (options->other && strcmp(options->path, "-") == 0 && strcmp(options->other, "-") == 0)
        argp_error(state, "standard input can be one of the two, not both");
    if (is_of_store && !options->path)
        argp_error(state, "no store given: name one as store:FILE");
    else if ((!options->path && !options->list) || (options->path && !*options->path))
        argp_error(state, "no trace given: name a file, or - for standard input");
    else if (options->takes_pattern && !options->pattern)
        argp_error(state, "no functions given: name them by a regular expression after the trace");
}

/* ---- All of them ------------------------------------------------------------------------ */

/* A file's name says what it is to be, where nothing else does. */
static void choose_format(struct question *question)
{
    static const struct {
        const char *end;
        enum report_format format;
    } names[] = {
        {".svg", REPORT_SVG}, {".png", REPORT_PNG}, {".json", REPORT_JSON}, {".csv", REPORT_CSV}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (question->format == REPORT_TEXT &&
            report_output_ends_with(question->output, names[i].end) &&
            (names[i].format == REPORT_SVG || written_form_find(question->report, names[i].format)))
            question->format = names[i].format;
}

/* `--svg FILE.svg TRACE`: the picture's name, taken for a trace's. */
static void refuse_picture(const struct question *question, struct argp_state *state)
{
    if (question->format == REPORT_SVG && !question->output &&
        report_output_ends_with(question->path, ".svg"))
        argp_error(state, "'%s' is not a trace; to draw a picture into it, give -o %s",
                   question->path, question->path);
}

void report_arguments_end(struct question *question, struct argp_state *state)
{
    const struct report_entry *report = question->report;
    struct heaptap_error error;
    check_arguments(question, state);
    if (!report)
        return;
    refuse_picture(question, state);
    choose_format(question);
    question->hides_suppressed = has_trait(question, REPORT_OF_LEAKS) && !question->suppressions;
    if (report->check && !report->check(question, &error))
        argp_error(state, "%s", error.message);
}
