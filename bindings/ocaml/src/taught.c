/* An open hash table of codes, at most half full, that only grows. */
#include "taught.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    uint64_t code;
    struct heaptap_location *locations; /* with their texts behind them; NULL: an empty place */
    size_t count;
};

struct taught {
    size_t used, capacity; /* a power of two */
    struct entry *entries;
};

enum { FIRST_CAPACITY = 256 };

struct taught *taught_new(void)
{
    struct taught *taught = calloc(1, sizeof *taught);
    if (!taught)
        return NULL;
    taught->capacity = FIRST_CAPACITY;
    taught->entries = calloc(taught->capacity, sizeof *taught->entries);
    if (taught->entries)
        return taught;
    free(taught);
    return NULL;
}

void taught_free(struct taught *taught)
{
    if (!taught)
        return;
    for (size_t i = 0; i < taught->capacity; i++)
        free(taught->entries[i].locations);
    free(taught->entries);
    free(taught);
}

/* The code's place, or the empty one where it belongs. */
static struct entry *find(struct entry *entries, size_t capacity, uint64_t code)
{
    size_t at = (size_t)((code * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (capacity - 1);
    while (entries[at].locations && entries[at].code != code)
        at = (at + 1) & (capacity - 1);
    return &entries[at];
}

bool taught_knows(const struct taught *taught, uint64_t code)
{
    return find(taught->entries, taught->capacity, code)->locations;
}

static bool grow(struct taught *taught)
{
    size_t capacity = taught->capacity * 2;
    struct entry *entries = calloc(capacity, sizeof *entries);
    if (!entries)
        return false;
    for (size_t i = 0; i < taught->capacity; i++)
        if (taught->entries[i].locations)
            *find(entries, capacity, taught->entries[i].code) = taught->entries[i];
    free(taught->entries);
    taught->entries = entries;
    taught->capacity = capacity;
    return true;
}

static char *copy_text(char **room, const char *text)
{
    char *copy = *room;
    size_t size = strlen(text) + 1;
    memcpy(copy, text, size);
    *room += size;
    return copy;
}

bool taught_add(struct taught *taught, uint64_t code, const struct heaptap_location *locations,
                size_t count)
{
    if (2 * (taught->used + 1) > taught->capacity && !grow(taught))
        return false;
    size_t bytes = (count + 1) * sizeof *locations; /* never NULL, even for none */
    for (size_t i = 0; i < count; i++)
        bytes += strlen(locations[i].file) + strlen(locations[i].function) + 2;
    struct heaptap_location *copy = malloc(bytes);
    if (!copy)
        return false;
    char *room = (char *)(copy + count + 1);
    for (size_t i = 0; i < count; i++) {
        copy[i] = locations[i];
        copy[i].file = copy_text(&room, locations[i].file);
        copy[i].function = copy_text(&room, locations[i].function);
    }
    *find(taught->entries, taught->capacity, code) = (struct entry){code, copy, count};
    taught->used++;
    return true;
}

size_t taught_describe(const struct taught *taught, uint64_t code,
                       struct heaptap_location *locations, size_t max)
{
    const struct entry *entry = find(taught->entries, taught->capacity, code);
    size_t count = entry->locations ? entry->count : 0;
    if (count > max)
        count = max;
    if (count > 0)
        memcpy(locations, entry->locations, count * sizeof *locations);
    return count;
}
