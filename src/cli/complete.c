#include "cli/complete.h"

#include <stdio.h>
#include <string.h>

#include "cli/option_rows.h"

static void put_values(const struct option_word *words)
{
    for (size_t i = 0; words && words[i].word; i++)
        printf("%s%s", i > 0 ? " " : "", words[i].word);
}

/* The help's first words, up to what explains them. */
static void put_summary(const char *help)
{
    size_t size = strcspn(help, ".:;(\n");
    while (size > 0 && help[size - 1] == ' ')
        size--;
    printf("%.*s", (int)size, help);
}

static void put_option(const struct question_option *option)
{
    const char *value = option->value ? option->value : "";
    printf("--%s\t", option->word);
    if (option->letter)
        printf("-%c", option->letter);
    printf("\t%s\t", strchr(value, '|') ? "WORD" : value);
    put_values(option->words);
    putchar('\t');
    put_summary(option->help);
    putchar('\n');
}

void complete_print(void)
{
    const struct question_option *option;
    for (size_t i = 0; (option = option_rows_at(i)); i++)
        if (option->help)
            put_option(option);
}
