#include "cli/complete.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/option_rows.h"
#include "report/reports.h"

/* ---- Values ------------------------------------------------------------------------------ */

/* A parser's row is made of a row of report/options.h, or of a report's own: they share the help. */
static const struct option_word *words_of(const struct argp_option *row)
{
    const struct question_option *option;
    const struct report_entry *entry;
    const struct option_word *own = option_rows_words(row->doc);
    if (own)
        return own;
    for (size_t i = 0; (option = question_option_at(i)); i++)
        if (option->help == row->doc)
            return option->words;
    for (size_t i = 0; (entry = report_entry_at(i)); i++)
        for (option = entry->options; option && option->word; option++)
            if (option->help == row->doc)
                return option->words;
    return NULL;
}

/* Other rows that take one of a few words name them, "none|gzip|zstd"; or, where there are so many that --help would be
 * unreadable, a hidden row of the same name after them does. */
static void put_named(const struct argp_option *row)
{
    bool has_hidden = row[1].name && strcmp(row[1].name, row->name) == 0;
    const char *name = has_hidden ? row[1].arg : row->arg;
    if (!name || !strchr(name, '|'))
        return;
    for (; *name; name++)
        putchar(*name == '|' ? ' ' : *name);
}

static void put_values(const struct argp_option *row)
{
    const struct option_word *words = row->doc ? words_of(row) : NULL;
    if (!words)
        put_named(row);
    for (size_t i = 0; words && words[i].word; i++)
        printf("%s%s", i > 0 ? " " : "", words[i].word);
}

/* ---- Options ----------------------------------------------------------------------------- */

/* The help's first words, up to what explains them. */
static void put_summary(const char *help)
{
    size_t size = help ? strcspn(help, ".:;(\n") : 0;
    while (size > 0 && help[size - 1] == ' ')
        size--;
    printf("%.*s", (int)size, help ? help : "");
}

static void put_option(const struct argp_option *row)
{
    bool has_letter = row->key > ' ' && row->key < 0x7f;
    printf("--%s\t", row->name);
    if (has_letter)
        printf("-%c", row->key);
    printf("\t%s\t", row->arg ? strchr(row->arg, '|') ? "WORD" : row->arg : "");
    put_values(row);
    putchar('\t');
    put_summary(row->doc);
    putchar('\n');
}

void complete_print(const struct argp *argp)
{
    for (const struct argp_option *row = argp->options; row && (row->name || row->key); row++)
        if (row->name && !(row->flags & OPTION_HIDDEN))
            put_option(row);
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        complete_print(child->argp);
}
