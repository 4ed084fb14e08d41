/* Buffers for requests by a function that counts: larger each time, or twice as large, but no array that grows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t total;

__attribute__((noinline)) static void *counted(size_t size)
{
    total += size;
    return malloc(size);
}

__attribute__((noinline)) static long serve(size_t size)
{
    unsigned char *buffer = counted(size);
    memset(buffer, 1, size);
    long sum = buffer[size / 2];
    free(buffer);
    return sum;
}

__attribute__((noinline)) static long measure(size_t size)
{
    unsigned char *buffer = counted(size);
    memset(buffer, 2, size);
    long sum = buffer[size / 2];
    free(buffer);
    return sum;
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += serve(100 + (size_t)(i % 500) * 8);
    for (int i = 0; i < 5000; i++)
        sum += measure((size_t)64 << i % 8);
    printf("%ld of %zu\n", sum, total);
    return 0;
}
