/* Names copied to be put into lower case. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_same(const char *a, const char *b)
{
    char *first = strdup(a), *second = strdup(b); /* here: copied-strings */
    for (char *c = first; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    for (char *c = second; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    int same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

int main(void)
{
    const char *names[] = {"Content-Type", "content-type", "Accept", "Host"};
    int same = 0;
    for (int i = 0; i < 10000; i++)
        same += is_same(names[i % 4], names[(i + 1) % 4]);
    printf("%d\n", same);
}
