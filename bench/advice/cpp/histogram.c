/* A table of counts taken from the heap for each text. */
#include <stdio.h>
#include <stdlib.h>

static int commonest(const unsigned char *text, size_t size)
{
    int *counts = calloc(256, sizeof *counts), most = 0; /* here: scratch-blocks */
    for (size_t i = 0; i < size; i++)
        counts[text[i]]++;
    for (int c = 0; c < 256; c++)
        most = counts[c] > counts[most] ? c : most;
    free(counts);
    return most;
}

int main(void)
{
    unsigned char text[100];
    long all = 0;
    for (int i = 0; i < 100; i++)
        text[i] = (unsigned char)(i * i);
    for (int i = 0; i < 5000; i++)
        all += commonest(text, 100);
    printf("%ld\n", all);
}
