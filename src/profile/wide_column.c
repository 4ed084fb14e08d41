#include "profile/wide_column.h"

#include <stdlib.h>

void wide_column_release(struct wide_column *column)
{
    free(column->low);
    free(column->high);
    *column = (struct wide_column){0};
}

static bool resize_half(uint32_t **half, size_t capacity)
{
    uint32_t *grown =
        *half ? realloc(*half, capacity * sizeof *grown) : calloc(capacity, sizeof *grown);
    if (grown)
        *half = grown;
    return grown;
}

bool wide_column_resize(struct wide_column *column, size_t capacity)
{
    if (!resize_half(&column->low, capacity) ||
        (column->high && !resize_half(&column->high, capacity)))
        return false;
    column->capacity = capacity;
    return true;
}

bool wide_column_widen(struct wide_column *column)
{
    column->high = calloc(column->capacity, sizeof *column->high);
    return column->high;
}
