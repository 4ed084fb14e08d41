/* The same, with a cache that is bounded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 100 };

static char *kept[KEPT];

static char *answer(int request)
{
    char **place = &kept[request % KEPT];
    free(*place);
    *place = malloc(1000);
    snprintf(*place, 1000, "the answer to %d", request);
    return *place;
}

static void serve(int request)
{
    char *line = malloc(256);
    strncpy(line, answer(request), 255);
    free(line);
}

int main(void)
{
    for (int request = 0; request < 10000; request++) {
        serve(request);
        if (request % 100 == 99)
            usleep(1000);
    }
    puts("10000 requests");
}
