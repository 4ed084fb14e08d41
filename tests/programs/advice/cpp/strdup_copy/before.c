/* Names that are copied to be looked at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int is_upper(const char *name)
{
    char *copy = strdup(name); /* here: copied-strings */
    int result = copy[0] >= 'A' && copy[0] <= 'Z';
    copy[0] = 0;
    free(copy);
    return result;
}

int main(void)
{
    long count = 0;
    for (int i = 0; i < 20000; i++)
        count += is_upper(i % 2 ? "A name of some length" : "another name of some length");
    printf("%ld\n", count);
    return 0;
}
