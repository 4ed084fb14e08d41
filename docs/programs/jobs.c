/* Jobs that come and go: some memory is kept, some is scratch, some is a cache that grows. */
#include <stdlib.h>
#include <string.h>

static char *cache[4000];
static size_t cached;

static void *grow(size_t size)
{
    return malloc(size);
}

static void remember(int key)
{
    cache[cached] = grow(1500);
    memset(cache[cached++], key, 1500);
}

static size_t scratch(int job)
{
    char *text = malloc(4000);
    memset(text, job, 4000);
    size_t length = (size_t)text[job % 4000];
    free(text);
    return length;
}

static char *queue_up(int job)
{
    char *task = malloc(200);
    memset(task, job, 200);
    return task;
}

int main(void)
{
    static char *queue[1000];
    size_t sum = 0;
    for (int job = 0; job < 4000; job++) {
        free(queue[job % 1000]);
        queue[job % 1000] = queue_up(job);
        sum += scratch(job);
        remember(job);
    }
    for (int i = 0; i < 1000; i++)
        free(queue[i]);
    return sum == 0;
}
