/* A server that keeps what it has answered, and forgets to throw it away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct answer {
    struct answer *next;
    char text[1000];
};

static struct answer *kept;

static char *answer(int request)
{
    struct answer *answer = malloc(sizeof *answer);
    snprintf(answer->text, sizeof answer->text, "the answer to %d", request);
    answer->next = kept;
    return (kept = answer)->text;
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
