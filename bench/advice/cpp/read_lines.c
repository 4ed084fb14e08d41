/* Lines in an array that grows by one for each. */
#include <stdio.h>
#include <stdlib.h>

struct lines {
    char **items;
    size_t count;
};

static void add(struct lines *lines, char *text)
{
    lines->items =
        realloc(lines->items, (lines->count + 1) * sizeof *lines->items); /* here: realloc-steps */
    lines->items[lines->count++] = text;
}

int main(void)
{
    struct lines lines = {0};
    for (int i = 0; i < 2000; i++)
        add(&lines, "text");
    printf("%zu\n", lines.count);
    free(lines.items);
}
