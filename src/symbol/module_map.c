#include "symbol/module_map.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/code.h"
#include "base/order.h"

void module_map_release(struct module_map *map)
{
    free(map->modules);
    *map = (struct module_map){0};
}

bool module_map_add(struct module_map *map, const struct heaptap_metadata *record, uint32_t file)
{
    if (!ARRAY_RESERVE(&map->modules, &map->capacity, map->count + 1))
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
    int order = ORDER_OF(a->address, b->address);
    return order ? order : ORDER_OF(a->loaded_us, b->loaded_us);
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

struct candidate {
    uint32_t module; /* index, or NO_MODULE */
    enum code_fit fit;
    uint64_t distance; /* in time */
    int64_t loaded_us;
};

static struct candidate candidate_of(const struct module_map *map, uint32_t module, uint64_t code,
                                     int64_t time_us)
{
    const struct heaptap_metadata *record = &map->modules[module].record;
    return (struct candidate){
        .module = module,
        .fit = code_fit(code, record->address, record->size_bytes, record->number),
        .distance = time_distance(record, time_us),
        .loaded_us = record->loaded_us,
    };
}

static bool is_better(const struct candidate *a, const struct candidate *than)
{
    if (a->fit != than->fit)
        return a->fit > than->fit;
    if (a->fit == CODE_OUTSIDE)
        return false;
    return a->distance != than->distance ? a->distance < than->distance
                                         : a->loaded_us > than->loaded_us;
}

/* How many modules begin at the address or below. */
static size_t count_up_to(const struct module_map *map, uint64_t address)
{
    return ARRAY_SEARCH(middle, map->count, map->modules[middle].record.address <= address);
}

uint32_t module_map_find(struct module_map *map, uint64_t code, int64_t time_us)
{
    struct candidate best = {.module = NO_MODULE, .fit = CODE_OUTSIDE};
    uint64_t address = code_address(code);
    if (!map->sorted)
        sort(map);
    for (size_t i = count_up_to(map, address); i > 0 && map->modules[i - 1].reach >= address; i--) {
        struct candidate next = candidate_of(map, (uint32_t)(i - 1), code, time_us);
        if (is_better(&next, &best))
            best = next;
    }
    return best.module;
}
