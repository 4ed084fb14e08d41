#include "report/source_twins.h"

#include <string.h>

static uint64_t key_of(const char *kept)
{
    return (uint64_t)(uintptr_t)kept;
}

static uint64_t pair_key(const char *function, const char *file)
{
    return map_mix(map_mix(0, key_of(function)), key_of(file));
}

bool source_twins_add(struct source_twins *twins, const char *function, const char *file)
{
    bool fresh;
    const char *name = names_copy(&twins->files.names, function);
    const char *path = names_copy(&twins->files.names, file);
    return name && path && map_put(&twins->pairs, pair_key(name, path), 1, &fresh) &&
           (!fresh || (only_texts_add(&twins->by_function, name, path) &&
                       module_twins_add_path(&twins->files, path)));
}

bool source_twins_add_frames(struct source_twins *twins, const struct frame_source *source)
{
    bool done = true;
    for (uint32_t frame = 0; done && frame < source->frame_count; frame++) {
        size_t count;
        const char *module = source->module ? source->module(source->context, frame) : NULL;
        const struct heaptap_location *at = source->locations(source->context, frame, &count);
        for (size_t i = 0; done && i < count; i++)
            if (at[i].file && *at[i].file && (!module || strcmp(at[i].file, module) != 0))
                done = source_twins_add(twins, at[i].function ? at[i].function : "", at[i].file);
    }
    return done;
}

void source_twins_release(struct source_twins *twins)
{
    module_twins_release(&twins->files);
    map_release(&twins->pairs);
    only_texts_release(&twins->by_function);
    *twins = (struct source_twins){0};
}

/* Without memory, none: the function is only told apart then. */
static bool has(struct source_twins *twins, const char *function, const char *file)
{
    const char *name = names_copy(&twins->files.names, function);
    const char *path = names_copy(&twins->files.names, file);
    return name && path && map_find(&twins->pairs, pair_key(name, path));
}

/* NULL where it has none, or several. */
static const char *only_file(struct source_twins *twins, const char *function)
{
    return *function
               ? only_texts_find(&twins->by_function, names_copy(&twins->files.names, function))
               : NULL;
}

const char *source_twins_of(struct source_twins *to, struct source_twins *from,
                            const char *function, const char *file)
{
    if (has(to, function, file))
        return file;
    bool is_told = !to->by_name && only_file(from, function);
    const char *twin = is_told ? only_file(to, function) : NULL;
    return twin ? twin : module_twins_of(&to->files, &from->files, file);
}
