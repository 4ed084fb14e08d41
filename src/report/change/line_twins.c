#include "report/change/line_twins.h"

#include <stdlib.h>

#include "base/array.h"

struct twin_line {
    const char *function, *file;
    uint32_t line;
    bool is_newer;
    double weight; /* what it has itself */
};

static uint64_t key_of(const struct twin_line *line)
{
    uint64_t key = map_mix(0, (uint64_t)(uintptr_t)line->function);
    return map_mix(map_mix(key, (uint64_t)(uintptr_t)line->file), line->line);
}

/* False when there is no memory. */
static bool init(struct twin_line *line, struct line_twins *twins, const char *function,
                 const char *file, uint32_t number)
{
    *line = (struct twin_line){names_copy(&twins->names, function), names_copy(&twins->names, file),
                               number, false, 0};
    return line->function && line->file;
}

bool line_twins_add(struct line_twins *twins, const struct heaptap_location *line, const char *file,
                    double weight, bool is_newer)
{
    struct twin_line added;
    bool fresh;
    if (line->line == 0)
        return true;
    if (!init(&added, twins, line->function, file, line->line) ||
        !ARRAY_RESERVE(&twins->items, &twins->capacity, twins->count + 1))
        return false;
    added.is_newer = is_newer;
    uint64_t key = map_mix(key_of(&added), is_newer);
    uint32_t *number = map_put(&twins->known, key, (uint32_t)twins->count, &fresh);
    if (!number)
        return false;
    if (fresh)
        twins->items[twins->count++] = added;
    twins->items[*number].weight += weight;
    return true;
}

/* ---- Which have moved ------------------------------------------------------------------ */

static int compare_texts(const char *a, const char *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

/* By function, then the base's lines before the newer ones. */
static int compare_lines(const void *left, const void *right)
{
    const struct twin_line *a = left, *b = right;
    int order = compare_texts(a->function, b->function);
    order = order ? order : compare_texts(a->file, b->file);
    order = order ? order : a->is_newer - b->is_newer;
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int64_t shift_of(const struct twin_line *base, const struct twin_line *newer)
{
    return (int64_t)newer->line - base->line;
}

/* Have the lines of one function, of which there are as many in both, moved in one direction, and each as far as the one above it or
 * farther? */
static bool has_moved(const struct twin_line *base, const struct twin_line *newer, size_t count)
{
    int64_t direction = shift_of(&base[count - 1], &newer[count - 1]) < 0 ? -1 : 1, farthest = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t distance = direction * shift_of(&base[i], &newer[i]);
        if (distance < farthest)
            return false;
        farthest = distance;
    }
    return farthest > 0;
}

enum { COMPARED_MOST = 500 }; /* lines of a function, each with each */

/* Is there another line in the newer file that has what a line of the base had, and that its own one has no more? */
static bool has_changed_places(const struct twin_line *base, const struct twin_line *newer,
                               size_t count)
{
    for (size_t i = 0; i < count && count <= COMPARED_MOST; i++)
        for (size_t k = 0; k < count && newer[i].weight != base[i].weight; k++)
            if (base[i].weight != 0 && newer[k].weight == base[i].weight &&
                base[k].weight != newer[k].weight)
                return true;
    return false;
}

static bool add_moved(struct line_twins *twins, const struct twin_line *base,
                      const struct twin_line *newer, size_t count)
{
    bool fresh, done = true;
    for (size_t i = 0; done && i < count; i++)
        done = map_put(&twins->to_base, key_of(&newer[i]), base[i].line, &fresh) &&
               map_put(&twins->to_newer, key_of(&base[i]), newer[i].line, &fresh);
    return done;
}

bool line_twins_find(struct line_twins *twins)
{
    bool done = true;
    if (twins->count > 1)
        qsort(twins->items, twins->count, sizeof *twins->items, compare_lines);
    for (size_t i = 0, end; done && i < twins->count; i = end) {
        const struct twin_line *first = &twins->items[i];
        size_t base = 0;
        for (end = i; end < twins->count && twins->items[end].function == first->function &&
                      twins->items[end].file == first->file;
             end++)
            base += !twins->items[end].is_newer;
        if (base > 0 && end - i == 2 * base && has_moved(first, first + base, base) &&
            !has_changed_places(first, first + base, base))
            done = add_moved(twins, first, first + base, base);
    }
    return done;
}

void line_twins_release(struct line_twins *twins)
{
    names_release(&twins->names);
    map_release(&twins->known);
    free(twins->items);
    map_release(&twins->to_base);
    map_release(&twins->to_newer);
    *twins = (struct line_twins){0};
}

/* Without memory, it is only told apart. */
static uint32_t line_in(struct line_twins *twins, const struct map *moved, const char *function,
                        const char *file, uint32_t number)
{
    struct twin_line line;
    const uint32_t *other = moved->count > 0 && init(&line, twins, function, file, number)
                                ? map_find(moved, key_of(&line))
                                : NULL;
    return other ? *other : number;
}

uint32_t line_twins_base(struct line_twins *twins, const char *function, const char *file,
                         uint32_t line)
{
    return line_in(twins, &twins->to_base, function, file, line);
}

uint32_t line_twins_newer(struct line_twins *twins, const char *function, const char *file,
                          uint32_t line)
{
    return line_in(twins, &twins->to_newer, function, file, line);
}
