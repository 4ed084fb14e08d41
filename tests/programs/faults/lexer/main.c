#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

/* The length of the word at the front. */
static size_t word(const char *text)
{
    size_t size = 0;
    while (isalnum((unsigned char)text[size]) || text[size] == '_')
        size++;
    return size;
}

static long sum_of(const char *text)
{
    char name[64];
    long sum = 0;
    while (*text) {
        size_t size = word(text);
        if (size > 0 && size < sizeof name) {
            memcpy(name, text, size);
            name[size] = '\0';
            sum += name_number(name);
        }
        text += size > 0 ? size : 1;
    }
    return sum;
}

static char *make_text(int words)
{
    char *text = malloc((size_t)words * 16 + 1), *end = text;
    for (int i = 0; i < words; i++)
        end += sprintf(end, "variable_%d + ", i * 7 % 300);
    return text;
}

int main(void)
{
    char *text = make_text(2000);
    long sum = 0;
    for (int i = 0; i < 10; i++)
        sum += sum_of(text);
    free(text);
    printf("%ld of %d\n", sum, name_count());
}
