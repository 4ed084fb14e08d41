#include "report/sites/free_lists.h"

#include <string.h>

static bool has_list(const struct model *model, uint32_t stack)
{
    static const char *const types[] = {"float",           "tuple",  "list",      "dict",
                                        "frame",           "slice",  "generator", "coroutine",
                                        "async_generator", "Context"};
    uint32_t type = model_stack_type(model, stack);
    for (size_t i = 0; type != MODEL_NONE && i < sizeof types / sizeof *types; i++)
        if (strcmp(model->types[type], types[i]) == 0)
            return true;
    return false;
}

bool free_lists_may_hold(const struct sites *sites, const struct site *site)
{
    const struct model *model = sites->model;
    const struct model_objects *objects = &model->objects;
    uint64_t alive = 0, of_lists = 0;
    for (size_t row = 0; model->is_guest && row < objects->count; row++) {
        uint32_t stack = objects->stack[row], index = sites->site_of[stack];
        if (model_row_died_us(model, row) != MODEL_NEVER || index == STACK_NONE ||
            &sites->items[index] != site)
            continue;
        uint64_t samples = model->shapes[objects->shape[row]].samples;
        alive += samples;
        of_lists += has_list(model, stack) ? samples : 0;
    }
    return alive > 0 && 2 * of_lists >= alive;
}
