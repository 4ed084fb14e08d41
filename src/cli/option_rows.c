#include "cli/option_rows.h"

enum { ROWS_MAX = 80, FIRST_KEY = 7000 };

/* Those of the command that is parsed: a process runs one. */
static struct {
    const struct question_option *option;
    size_t base; /* of its fields, in the command's struct */
} entries[ROWS_MAX];
static struct argp_option table[ROWS_MAX + 1]; /* made of the entries */
static size_t count;
static const struct argp *own;

struct argp_option option_row_argp(const struct question_option *option, int key)
{
    return (struct argp_option){.name = option->word,
                                .key = key,
                                .arg = option->value,
                                .flags = (option->help ? 0 : OPTION_HIDDEN) |
                                         (option->kind == OPTION_TRUTH ? OPTION_ARG_OPTIONAL : 0),
                                .doc = option->help,
                                .group = option->group};
}

static void add(const struct question_option *rows, size_t base)
{
    for (const struct question_option *row = rows; row->word || row->rows; row++) {
        if (row->kind == OPTION_ROWS) {
            add(row->rows, base + row->field);
        } else if (count < ROWS_MAX) {
            entries[count].option = row;
            entries[count].base = base;
            table[count] = option_row_argp(row, row->letter ? row->letter : FIRST_KEY + (int)count);
            count++;
        }
    }
}

const struct option_word *option_rows_words(const char *help)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].option->help == help)
            return entries[i].option->words;
    return NULL;
}

static error_t refuse_argument(int key, char *argument, struct argp_state *state)
{
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    argp_error(state, "'%s' is one argument too many", argument);
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct heaptap_error error;
    size_t i = 0;
    while (i < count && table[i].key != key)
        i++;
    if (i == count)
        return (own->parser ? own->parser : refuse_argument)(key, argument, state);
    if (!option_set((char *)state->input + entries[i].base, entries[i].option, argument, &error))
        argp_error(state, "--%s %s", entries[i].option->word, error.message);
    return 0;
}

const struct argp *option_rows(const struct question_option *rows, const struct argp *argp)
{
    static struct argp made;
    made = *argp;
    own = argp;
    add(rows, 0);
    made.options = table;
    made.parser = parse;
    return &made;
}
