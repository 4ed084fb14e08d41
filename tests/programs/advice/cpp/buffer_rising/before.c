/* A buffer for each request, larger each time: no array that grows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static long serve(size_t size)
{
    unsigned char *buffer = malloc(size); /* here: scratch-blocks */
    memset(buffer, 1, size);
    long sum = buffer[size / 2];
    free(buffer);
    return sum;
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += serve(100 + (size_t)(i % 500) * 8);
    printf("%ld\n", sum);
    return 0;
}
