/* Every clause of a filter is an option, too: --focus=main is the clause focus=main.  These stand
 * in no --help, but in heaptap-filters(7). */
#include "cli/report_options.h"

#include <unistd.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/option_rows.h"
#include "cli/report_output.h"
#include "cli/store_input.h"
#include "cli/written_form.h"
#include "answer/short_name.h"
#include "profile/filter.h"
#include "profile/filter_words.h"
#include "report/reports.h"

enum {
    OPTION_ROW = 3000,                 /* + the row of report/options.h, where it has no letter */
    OPTION_CLAUSE = 3100,              /* + enum filter_word */
    OPTION_OWN = 3200,                 /* + the row of the report's own options */
    ROWS = 16,                         /* of one part, at most */
    ALL_ROWS = 40 + FILTER_WORD_COUNT, /* of a report, at most */
};

/* ---- Clauses ------------------------------------------------------------------------- */

static void add_space(struct text *filter)
{
    if (filter->size > 0)
        text_put_char(filter, ' ');
}

void report_add_clause(struct text *filter, enum filter_word word, const char *value)
{
    static const char operators[] = "<>=!";
    bool has_operator =
        filter_word_info(word)->traits & WORD_HAS_ORDER && *value && strchr(operators, *value);
    add_space(filter);
    text_put_string(filter, filter_word_name(word));
    if (has_operator) {
        text_put_string(filter, value);
        return;
    }
    text_put_string(filter, "=\"");
    for (; *value; value++) {
        if (*value == '"')
            text_put_char(filter, '"');
        text_put_char(filter, *value);
    }
    text_put_char(filter, '"');
}

static void add_text(struct text *filter, const char *text)
{
    add_space(filter);
    text_put_string(filter, text);
}

/* ---- Parsers ------------------------------------------------------------------------- */

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

/* Or the name of one that isn't there? */
static bool is_file(const char *argument)
{
    return strpbrk(argument, "./") || strcmp(argument, "-") == 0 || store_input_is(argument) ||
           access(argument, F_OK) == 0;
}

static void take_argument(struct question *options, const char *argument, struct argp_state *state)
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
    else if (options->takes_pattern && !options->pattern)
        options->pattern = argument;
    else if (strpbrk(argument, "=<>"))
        add_text(&options->filter, argument);
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

static int key_of(const struct question_option *option, int first, size_t row)
{
    return option->letter ? option->letter : first + (int)row;
}

/* The option of a key: the report's own, or one of report/options.h; NULL where it is neither. */
static const struct question_option *option_of(const struct report_entry *entry, int key)
{
    const struct question_option *option = entry ? entry->options : NULL;
    for (size_t row = 0; option && option->word; row++, option++)
        if (key_of(option, OPTION_OWN, row) == key)
            return option;
    for (size_t row = 0; (option = question_option_at(row)); row++)
        if (key_of(option, OPTION_ROW, row) == key)
            return option;
    return NULL;
}

static error_t parse_row(int key, char *argument, struct argp_state *state)
{
    struct question *question = state->input;
    const struct question_option *option = question ? option_of(question->report, key) : NULL;
    struct heaptap_error error;
    if (!option)
        return ARGP_ERR_UNKNOWN;
    if (option->kind == OPTION_PRINT) {
        option->print();
        exit(CLI_DONE);
    }
    if (!question_set(question, option, argument, &error))
        argp_error(state, "--%s %s", option->word, error.message);
    if (question->full_names)
        short_name_turn_off();
    return 0;
}

static error_t parse_filter(int key, char *argument, struct argp_state *state)
{
    struct question *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        take_argument(options, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_arguments(options, state);
        return 0;
    default:
        if (key < OPTION_CLAUSE || key >= OPTION_CLAUSE + FILTER_WORD_COUNT)
            return parse_row(key, argument, state);
        report_add_clause(&options->filter, (enum filter_word)(key - OPTION_CLAUSE), argument);
        return 0;
    }
}

/* ---- argp's tables, made of the rows ---------------------------------------------------- */

/* Each is ended by a row of zeros; the clauses follow --filter. */
static struct argp_option filter_rows[1 + FILTER_WORD_COUNT + 2], sample_rows[ROWS],
    grain_rows[ROWS], inlines_rows[ROWS];

static const struct {
    enum option_part part;
    struct argp_option *rows;
} tables[] = {
    {PART_FILTER, filter_rows},
    {PART_SAMPLE, sample_rows},
    {PART_GRAIN, grain_rows},
    {PART_INLINES, inlines_rows},
};

static void fill(struct argp_option *rows, unsigned parts, size_t most)
{
    const struct question_option *option;
    size_t count = 0;
    for (size_t row = 0; (option = question_option_at(row)); row++)
        if (option->parts & parts && count + 1 < most)
            rows[count++] = option_row_argp(option, key_of(option, OPTION_ROW, row));
}

static void fill_clauses(struct argp_option *rows)
{
    for (int word = 0; word < FILTER_WORD_COUNT; word++)
        rows[word] = (struct argp_option){filter_word_name((enum filter_word)word),
                                          OPTION_CLAUSE + word,
                                          "VALUE",
                                          OPTION_HIDDEN,
                                          NULL,
                                          0};
    rows[FILTER_WORD_COUNT] = (struct argp_option){
        "allocators", OPTION_CLAUSE + FILTER_LIBRARIES, "VALUE", OPTION_HIDDEN, NULL, 0};
}

void report_options_prepare(void)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        fill(tables[i].rows, tables[i].part, ROWS);
    fill_clauses(filter_rows + 1);
}

const struct argp report_filter_argp = {filter_rows, parse_filter, 0, 0, 0, 0, 0};
const struct argp report_sample_argp = {sample_rows, parse_row, 0, 0, 0, 0, 0};
const struct argp report_grain_argp = {grain_rows, parse_row, 0, 0, 0, 0, 0};
const struct argp report_inlines_argp = {inlines_rows, parse_row, 0, 0, 0, 0, 0};

/* ---- A report's parser ------------------------------------------------------------------- */

static void *extra; /* the input of a child parser */

/* Of one of its own, or of a shared one. */
static int key_of_entry(const struct report_entry *entry, const struct question_option *option)
{
    size_t row = 0;
    for (const struct question_option *own = entry->options; own && own->word; own++)
        if (own == option)
            return key_of(option, OPTION_OWN, (size_t)(own - entry->options));
    while (question_option_at(row) != option)
        row++;
    return key_of(option, OPTION_ROW, row);
}

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

static error_t parse_entry(int key, char *argument, struct argp_state *state)
{
    struct question *question = state->input;
    struct heaptap_error error;
    if (key == ARGP_KEY_INIT && extra)
        state->child_inputs[0] = extra;
    error_t result = parse_filter(key, argument, state);
    if (key == ARGP_KEY_END) {
        choose_format(question);
        question->hides_suppressed =
            has_trait(question, REPORT_OF_LEAKS) && !question->suppressions;
    }
    if (key == ARGP_KEY_END && question->report->check &&
        !question->report->check(state->input, &error))
        argp_error(state, "%s", error.message);
    return result;
}

static struct argp_option entry_rows[ALL_ROWS + 1];

/* Returns how many there are. */
static size_t fill_entry(const struct report_entry *entry)
{
    const struct question_option *option;
    size_t count = 0;
    memset(entry_rows, 0, sizeof entry_rows);
    for (; (option = report_entry_option(entry, count)); count++)
        entry_rows[count] = option_row_argp(option, key_of_entry(entry, option));
    return count;
}

const struct argp *report_options_argp(const struct report_entry *entry)
{
    static const struct argp argp = {entry_rows, parse_row, NULL, NULL, NULL, 0, 0};
    fill_entry(entry);
    return &argp;
}

const struct argp *report_entry_argp(const struct report_entry *entry, const struct argp *child,
                                     void *child_input)
{
    static struct argp_child children[2];
    static struct argp argp = {entry_rows, parse_entry, NULL, NULL, children, 0, 0};
    size_t count = fill_entry(entry);
    if (entry->parts & PART_FILTER)
        fill_clauses(entry_rows + count);
    children[0].argp = child;
    extra = child_input;
    argp.args_doc = entry->arguments                       ? entry->arguments
                    : entry->traits & REPORT_NEEDS_PATTERN ? "TRACE REGEX [CLAUSE...]"
                                                           : "TRACE... [CLAUSE...]";
    argp.doc = entry->about;
    return &argp;
}
