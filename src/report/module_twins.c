#include "report/module_twins.h"

#include <string.h>

#include "base/path.h"

static uint64_t key_of(const char *kept)
{
    return (uint64_t)(uintptr_t)kept;
}

enum { PARTS_MOST = 16 }; /* of a path, from its end: what tells it from others */

/* The part of a path that has one name more than `tail`, which is its end; NULL where there is none. */
static const char *longer_tail(const char *path, const char *tail)
{
    if (tail <= path + 1)
        return NULL;
    for (tail -= 2; tail > path && *tail != '/';)
        tail--;
    return *tail == '/' ? tail + 1 : tail;
}

/* By each of its ends: the file's name, that in its folder, and so on. */
static bool add_tails(struct module_twins *twins, const char *path)
{
    bool done = true;
    const char *tail = path_file(path);
    for (int i = 0; done && tail && i < PARTS_MOST; i++, tail = longer_tail(path, tail)) {
        const char *kept = names_copy(&twins->names, tail);
        done = kept && only_texts_add(&twins->by_tail, kept, path);
    }
    return done;
}

bool module_twins_add_path(struct module_twins *twins, const char *path)
{
    bool fresh;
    const char *kept = names_copy(&twins->names, path);
    return kept && map_put(&twins->paths, key_of(kept), 1, &fresh) &&
           (!fresh || add_tails(twins, kept));
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
    only_texts_release(&twins->by_tail);
    names_release(&twins->names);
    *twins = (struct module_twins){0};
}

/* Without memory, none: the text is only told apart then. */
bool module_twins_have(struct module_twins *twins, const char *path)
{
    const char *kept = names_copy(&twins->names, path);
    return kept && map_find(&twins->paths, key_of(kept));
}

/* The only path with that end; NULL for none. */
static const char *only_path(struct module_twins *twins, const char *tail)
{
    return only_texts_find(&twins->by_tail, names_copy(&twins->names, tail));
}

const char *module_twins_of(struct module_twins *to, struct module_twins *from, const char *path)
{
    if (from->program && to->program && strcmp(path, from->program) == 0)
        return to->program;
    if (module_twins_have(to, path))
        return path;
    const char *tail = path_file(path);
    for (int i = 0; tail && i < PARTS_MOST; i++, tail = longer_tail(path, tail)) {
        const char *twin = only_path(from, tail) ? only_path(to, tail) : NULL;
        if (twin)
            return twin;
    }
    return path;
}
