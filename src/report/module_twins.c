#include "report/module_twins.h"

#include <string.h>

#include "base/path.h"

static uint64_t key_of(const char *kept)
{
    return (uint64_t)(uintptr_t)kept;
}

static bool add_name(struct module_twins *twins, const char *path)
{
    const char *name = names_copy(&twins->names, path_file(path));
    return name && only_texts_add(&twins->by_name, name, path);
}

bool module_twins_add_path(struct module_twins *twins, const char *path)
{
    bool fresh;
    const char *kept = names_copy(&twins->names, path);
    return kept && map_put(&twins->paths, key_of(kept), 1, &fresh) &&
           (!fresh || add_name(twins, kept));
}

bool module_twins_add(struct module_twins *twins, const struct frame_source *source)
{
    const char *last = NULL;
    twins->program = names_copy(&twins->names, source->program);
    bool done = twins->program || !source->program;
    for (uint32_t frame = 0; done && source->module && frame < source->frame_count; frame++) {
        const char *path = source->module(source->context, frame);
        if (path && path != last)
            done = module_twins_add_path(twins, path);
        last = path;
    }
    return done;
}

void module_twins_release(struct module_twins *twins)
{
    map_release(&twins->paths);
    only_texts_release(&twins->by_name);
    names_release(&twins->names);
    *twins = (struct module_twins){0};
}

/* Without memory, none: the text is only told apart then. */
bool module_twins_have(struct module_twins *twins, const char *path)
{
    const char *kept = names_copy(&twins->names, path);
    return kept && map_find(&twins->paths, key_of(kept));
}

/* The only path that ends with that name; NULL for none. */
static const char *only_path(struct module_twins *twins, const char *name)
{
    return only_texts_find(&twins->by_name, names_copy(&twins->names, name));
}

const char *module_twins_of(struct module_twins *to, struct module_twins *from, const char *path)
{
    const char *name = path_file(path);
    if (from->program && to->program && strcmp(path, from->program) == 0)
        return to->program;
    if (module_twins_have(to, path) || !only_path(from, name))
        return path;
    const char *twin = only_path(to, name);
    return twin ? twin : path;
}
