#include "pool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *get_bytes(size_t size)
{
    void *bytes = malloc(size);
    if (!bytes) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return bytes;
}

char *get_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(get_bytes(size), text, size);
}

void put_back(void *bytes)
{
    free(bytes);
}
