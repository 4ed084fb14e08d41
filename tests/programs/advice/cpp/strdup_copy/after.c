#include <stdio.h>

__attribute__((noinline)) static int is_upper(const char *name)
{
    return name[0] >= 'A' && name[0] <= 'Z';
}

int main(void)
{
    long count = 0;
    for (int i = 0; i < 20000; i++)
        count += is_upper(i % 2 ? "A name of some length" : "another name of some length");
    printf("%ld\n", count);
    return 0;
}
