/* A buffer for each row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static long blur(const unsigned char *row, size_t size)
{
    unsigned char *next = malloc(size); /* here: scratch-blocks */
    for (size_t i = 1; i + 1 < size; i++)
        next[i] = (unsigned char)((row[i - 1] + row[i] + row[i + 1]) / 3);
    long sum = next[size / 2];
    free(next);
    return sum;
}

int main(void)
{
    unsigned char row[2000];
    long sum = 0;
    memset(row, 7, sizeof row);
    for (int i = 0; i < 5000; i++)
        sum += blur(row, sizeof row);
    printf("%ld\n", sum);
    return 0;
}
