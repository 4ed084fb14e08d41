#include "profile/quantity.h"

#include <string.h>

static const struct quantity quantities[QUANTITY_COUNT] = {
    {"alloc_space", "bytes", SELECT_ALLOCATED, WEIGHT_BYTES},
    {"alloc_objects", "count", SELECT_ALLOCATED, WEIGHT_OBJECTS},
    {"inuse_space", "bytes", SELECT_LIVE, WEIGHT_BYTES},
    {"inuse_objects", "count", SELECT_LIVE, WEIGHT_OBJECTS},
    {"promoted_space", "bytes", SELECT_PROMOTED, WEIGHT_BYTES},
    {"promoted_objects", "count", SELECT_PROMOTED, WEIGHT_OBJECTS},
    {"collected_space", "bytes", SELECT_COLLECTED, WEIGHT_BYTES},
    {"collected_objects", "count", SELECT_COLLECTED, WEIGHT_OBJECTS},
};

const struct quantity *quantity_at(size_t number)
{
    return number < QUANTITY_COUNT ? &quantities[number] : NULL;
}

const struct quantity *quantity_find(const char *name)
{
    const struct quantity *quantity;
    for (size_t i = 0; name && (quantity = quantity_at(i)); i++)
        if (strcmp(name, quantity->name) == 0)
            return quantity;
    return name ? NULL : &quantities[0];
}
