#include "symbol/module_map.h"

#include <stdlib.h>

#include "symbol/memory.h"

void module_map_release(struct module_map *map)
{
    free(map->modules);
    *map = (struct module_map){0};
}

bool module_map_add(struct module_map *map, const struct heaptap_metadata *record, uint32_t file)
{
    if (!symbol_array_grow(&map->modules, map->count, &map->capacity, sizeof *map->modules))
        return false;
    map->modules[map->count++] = (struct mapped_module){.record = *record, .file = file};
    map->sorted = false;
    return true;
}

static uint64_t last_address(const struct heaptap_metadata *record)
{
    uint64_t last = record->address + (record->size_bytes - 1);
    return last < record->address ? UINT64_MAX : last;
}

static int by_address(const void *left, const void *right)
{
    const struct heaptap_metadata *a = &((const struct mapped_module *)left)->record;
    const struct heaptap_metadata *b = &((const struct mapped_module *)right)->record;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->loaded_us < b->loaded_us ? -1 : a->loaded_us > b->loaded_us;
}

static void sort(struct module_map *map)
{
    uint64_t reach = 0;
    if (map->count)
        qsort(map->modules, map->count, sizeof *map->modules, by_address);
    for (size_t i = 0; i < map->count; i++) {
        uint64_t last = last_address(&map->modules[i].record);
        if (last > reach)
            reach = last;
        map->modules[i].reach = reach;
    }
    map->sorted = true;
}

/* How long before its load or after its end; 0 while the module is there. */
static uint64_t time_distance(const struct heaptap_metadata *record, int64_t time_us)
{
    if (time_us < record->loaded_us)
        return (uint64_t)record->loaded_us - (uint64_t)time_us;
    if (record->unloaded_us >= 0 && time_us >= record->unloaded_us)
        return (uint64_t)time_us - (uint64_t)record->unloaded_us + 1;
    return 0;
}

uint32_t module_map_find(struct module_map *map, uint64_t address, int64_t time_us)
{
    if (!map->sorted)
        sort(map);
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->modules[middle].record.address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t best = NO_MODULE;
    uint64_t best_distance = 0;
    for (size_t i = low; i > 0 && map->modules[i - 1].reach >= address; i--) {
        const struct heaptap_metadata *record = &map->modules[i - 1].record;
        if (last_address(record) < address)
            continue;
        uint64_t distance = time_distance(record, time_us);
        bool better =
            best == NO_MODULE || distance < best_distance ||
            (distance == best_distance && record->loaded_us > map->modules[best].record.loaded_us);
        if (better) {
            best = (uint32_t)(i - 1);
            best_distance = distance;
        }
    }
    return best;
}
