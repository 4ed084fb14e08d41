#include "report/sites/free_lists.h"

#include <string.h>

/* Of blocks of that type. */
static bool has_list(const char *type)
{
    static const char *const types[] = {"float",           "tuple",  "list",      "dict",
                                        "frame",           "slice",  "generator", "coroutine",
                                        "async_generator", "Context"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

/* The table of a dict of five entries at most, of which there is a free list, too: of texts as keys in CPython 3.11 and later, and before. */
static bool is_small_table(const char *type, uint64_t bytes)
{
    return strcmp(type, "(internal)") == 0 && (bytes == 120 || bytes == 168);
}

/* Samples of what is alive of a site. */
struct alive {
    uint64_t all, of_lists, tables;
    uint64_t dict_blocks, table_blocks;
};

static void add_row(struct alive *alive, const struct model *model, size_t row)
{
    uint32_t number = model_stack_type(model, model->objects.stack[row]),
             blocks = model_row_blocks(model, row);
    const char *type = number != MODEL_NONE ? model->types[number] : "";
    const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
    uint64_t samples = blocks * shape->samples;
    alive->all += samples;
    alive->of_lists += has_list(type) ? samples : 0;
    if (strcmp(type, "dict") == 0)
        alive->dict_blocks += blocks;
    if (is_small_table(type, shape->words)) {
        alive->tables += samples;
        alive->table_blocks += blocks;
    }
}

bool free_lists_may_hold(const struct sites *sites, const struct site *site)
{
    const struct model *model = sites->model;
    struct alive alive = {0};
    for (size_t row = 0; model->is_guest && row < model->objects.count; row++) {
        uint32_t index = sites->site_of[model->objects.stack[row]];
        if (model_row_died_us(model, row) == MODEL_NEVER && index != STACK_NONE &&
            &sites->items[index] == site)
            add_row(&alive, model, row);
    }
    if (2 * alive.dict_blocks >= alive.table_blocks) /* else they may be tables of other things */
        alive.of_lists += alive.tables;
    return alive.all > 0 && 2 * alive.of_lists >= alive.all;
}
