#include "base/map.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

void map_release(struct map *map)
{
    free(map->slots);
    *map = (struct map){0};
}

bool map_grow(struct map *map)
{
    size_t slots = map->slots ? (map->mask + 1) * 2 : FIRST_SLOTS;
    struct map grown = {calloc(slots, sizeof *grown.slots), slots - 1, map->count};
    if (!grown.slots)
        return false;
    for (size_t i = 0; map->slots && i <= map->mask; i++)
        if (map->slots[i].used)
            *map_slot_of(&grown, map->slots[i].key) = map->slots[i];
    free(map->slots);
    *map = grown;
    return true;
}
