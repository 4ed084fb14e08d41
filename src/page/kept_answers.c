#include "page/kept_answers.h"

#include <stdlib.h>
#include <string.h>

static void clear(struct kept_answers *kept, struct kept_answer *item)
{
    kept->bytes -= item->size;
    free(item->url);
    free(item->text);
    *item = (struct kept_answer){0};
}

static struct kept_answer *find(struct kept_answers *kept, const char *url)
{
    for (int i = 0; i < KEPT_ANSWERS; i++)
        if (kept->items[i].url && strcmp(kept->items[i].url, url) == 0)
            return &kept->items[i];
    return NULL;
}

/* An empty one, or that not asked for the longest. */
static struct kept_answer *oldest(struct kept_answers *kept)
{
    struct kept_answer *found = &kept->items[0];
    for (int i = 1; i < KEPT_ANSWERS; i++)
        if (kept->items[i].used < found->used)
            found = &kept->items[i];
    return found;
}

static struct kept_answer *oldest_in_use(struct kept_answers *kept)
{
    struct kept_answer *found = NULL;
    for (int i = 0; i < KEPT_ANSWERS; i++)
        if (kept->items[i].url && (!found || kept->items[i].used < found->used))
            found = &kept->items[i];
    return found;
}

static char *copy_of(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = 0;
    }
    return copy;
}

struct net_answer kept_answers_find(struct kept_answers *kept, const char *url)
{
    struct kept_answer *item = find(kept, url);
    if (!item)
        return (struct net_answer){0};
    item->used = ++kept->clock;
    return (struct net_answer){.status = 200,
                               .type = "application/json",
                               .text = copy_of(item->text, item->size),
                               .size = item->size};
}

void kept_answers_put(struct kept_answers *kept, const char *url, const struct net_answer *answer)
{
    if (!answer->text || answer->size > KEPT_ANSWERS_BYTES / 2 || find(kept, url))
        return;
    while (kept->bytes + answer->size > KEPT_ANSWERS_BYTES)
        clear(kept, oldest_in_use(kept));
    struct kept_answer *item = oldest(kept);
    clear(kept, item);
    *item = (struct kept_answer){.url = strdup(url),
                                 .text = copy_of(answer->text, answer->size),
                                 .size = answer->size,
                                 .used = ++kept->clock};
    kept->bytes += item->size;
    if (!item->url || !item->text)
        clear(kept, item);
}

void kept_answers_clear(struct kept_answers *kept)
{
    for (int i = 0; i < KEPT_ANSWERS; i++)
        clear(kept, &kept->items[i]);
}
