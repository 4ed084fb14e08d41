#include "cli/option_rows.h"

#include <stdlib.h>
#include <string.h>

#include "answer/short_name.h"
#include "cli/cli.h"
#include "cli/given_files.h"
#include "cli/report_arguments.h"
#include "report/reports.h"

enum { ROWS_MAX = 160, FIRST_KEY = 7000 };

/* Those of the command that is parsed: a process runs one at a time, as memtracer puts its questions after it. */
static struct entry {
    const struct question_option *option;
    char *target;     /* the struct that its fields are in */
    bool is_question; /* that is a struct question */
} entries[ROWS_MAX];
static struct argp_option table[ROWS_MAX + 1]; /* made of the entries */
static size_t count;
static const struct command_line *own;

/* The option that was given by another name, and that name; NULL for none. */
static const char *synonym_of, *synonym;

void option_rows_call(const char *word, const char *other)
{
    synonym_of = word;
    synonym = other;
}

static const char *name_of(const struct question_option *option)
{
    return synonym_of && strcmp(option->word, synonym_of) == 0 ? synonym : option->word;
}

/* Whose the arguments are; NULL for none. */
static struct question *asked;
static const char **trace;
static char ***command;

/* ---- The table ------------------------------------------------------------------------- */

static void add_option(const struct question_option *option, char *target, bool is_question)
{
    if (count == ROWS_MAX)
        return;
    entries[count] = (struct entry){option, target, is_question};
    table[count] = (struct argp_option){
        .name = option->word,
        .key = option->letter ? option->letter : FIRST_KEY + (int)count,
        .arg = option->value,
        .flags = (option->help ? 0 : OPTION_HIDDEN) |
                 (option->kind == OPTION_TRUTH ? OPTION_ARG_OPTIONAL : 0),
        .doc = option->help,
        .group = option->group,
    };
    count++;
}

static void add_question(struct question *question, unsigned parts)
{
    const struct report_entry shared = {.parts = parts};
    const struct report_entry *report = question->report ? question->report : &shared;
    const struct question_option *option;
    for (size_t i = 0; (option = report_entry_option(report, i)); i++)
        add_option(option, (char *)question, true);
    if (!(parts & PART_FILES))
        return;
    asked = question;
    for (size_t i = 0; report->parts & PART_FILTER && (option = question_clause_at(i)); i++)
        add_option(option, (char *)question, true);
}

static void add(const struct question_option *rows, char *target)
{
    for (const struct question_option *row = rows; row && (row->word || row->kind); row++)
        if (row->kind == OPTION_ROWS)
            add(row->rows, target + row->field);
        else if (row->kind == OPTION_TRACE)
            trace = (const char **)(void *)(target + row->field);
        else if (row->kind == OPTION_COMMAND)
            command = (char ***)(void *)(target + row->field);
        else if (row->kind == OPTION_QUESTION)
            add_question((struct question *)(void *)(target + row->field), row->parts);
        else
            add_option(row, target, false);
}

const struct question_option *option_rows_at(size_t i)
{
    return i < count ? entries[i].option : NULL;
}

/* ---- Parsing --------------------------------------------------------------------------- */

/* Does the command read the file that is the option's value? */
static bool is_read(const struct question_option *option)
{
    static const char *const written[] = {"output", "output-file", "memtracer.OutputFile",
                                          "stacks"};
    bool is_file = option->value && strcmp(option->value, "FILE") == 0;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        is_file = is_file && strcmp(option->word, written[i]) != 0;
    return is_file;
}

static error_t set(const struct entry *entry, const char *value, struct argp_state *state)
{
    const struct question_option *option = entry->option;
    struct question *question = entry->is_question ? (void *)entry->target : NULL;
    struct heaptap_error error;
    if (option->kind == OPTION_PRINT) {
        option->print();
        exit(CLI_DONE);
    }
    if (question ? !question_set(question, option, value, &error)
                 : !option_set(entry->target, option, value, &error))
        argp_error(state, "--%s %s", name_of(option), error.message);
    if (is_read(option))
        given_files_add(value);
    if (question && question->full_names)
        short_name_turn_off();
    return 0;
}

static void take_argument(char *argument, struct argp_state *state)
{
    if (!command)
        given_files_add(argument);
    if (own->take) {
        own->take(argument, state);
    } else if (asked) {
        report_arguments_take(asked, argument, state);
    } else if (command) {
        *command = &state->argv[state->next - 1];
        state->next = state->argc;
    } else if (!trace) {
        argp_error(state, "'%s' is one argument too many", argument);
    } else {
        if (*trace)
            argp_error(state, "one trace at a time: '%s' is one too many", argument);
        *trace = *argument ? argument : NULL;
    }
}

static void check(struct argp_state *state)
{
    if (asked)
        report_arguments_end(asked, state);
    if (trace && !*trace)
        argp_error(state, "no trace given: name a file, or - for standard input");
    if (own->check)
        own->check(state);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].key == key)
            return set(&entries[i], argument, state);
    if (key == ARGP_KEY_ARG)
        take_argument(argument, state);
    else if (key == ARGP_KEY_END)
        check(state);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

const struct argp *option_rows(const struct question_option *rows,
                               const struct question_option *more, const struct command_line *line,
                               void *input)
{
    static struct argp argp;
    own = line;
    asked = NULL;
    trace = NULL;
    command = NULL;
    count = 0;
    add(rows, input);
    add(more, input);
    argp = (struct argp){
        table, parse, line->arguments, line->about, .help_filter = line->help,
    };
    return &argp;
}
