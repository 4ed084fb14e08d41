#include "report/change/line_twins.h"

#include <stdlib.h>

#include "base/array.h"
#include "report/change/line_match.h"

struct twin_line {
    const char *function, *file;
    uint32_t line;
    bool is_newer;
    double weight, samples; /* what it has itself, and of how many this is an estimate */
};

static const uint32_t CAME = 1U << 31; /* in the numbers of lines that the base does not have */

static uint64_t key_of(const struct twin_line *line)
{
    uint64_t key = map_mix(0, (uint64_t)(uintptr_t)line->function);
    return map_mix(map_mix(key, (uint64_t)(uintptr_t)line->file), line->line);
}

static uint64_t known_key(const struct twin_line *line, bool is_newer)
{
    return map_mix(key_of(line), is_newer);
}

/* False when there is no memory. */
static bool init(struct twin_line *line, struct line_twins *twins, const char *function,
                 const char *file, uint32_t number)
{
    *line = (struct twin_line){
        names_copy(&twins->names, function), names_copy(&twins->names, file), number, false, 0, 0};
    return line->function && line->file;
}

bool line_twins_add(struct line_twins *twins, const struct heaptap_location *line, const char *file,
                    const struct line_weight *weight, bool is_newer)
{
    struct twin_line added;
    bool fresh;
    if (line->line == 0)
        return true;
    if (!init(&added, twins, line->function, file, line->line) ||
        !ARRAY_RESERVE(&twins->items, &twins->capacity, twins->count + 1))
        return false;
    added.is_newer = is_newer;
    uint32_t *number =
        map_put(&twins->known, known_key(&added, is_newer), (uint32_t)twins->count, &fresh);
    if (!number)
        return false;
    if (fresh)
        twins->items[twins->count++] = added;
    twins->items[*number].weight += weight->weight;
    twins->items[*number].samples += weight->samples;
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

/* Lines of one function and file, and room for them. */
static struct match_lines lines_of(const struct twin_line *lines, size_t count,
                                   struct match_line *room)
{
    for (size_t i = 0; i < count; i++)
        room[i] = (struct match_line){lines[i].line, lines[i].weight, lines[i].samples, MATCH_NONE};
    return (struct match_lines){room, count};
}

/* Lines that are the same, with their two numbers. */
static bool put_twin(struct line_twins *twins, const struct twin_line *base,
                     const struct twin_line *newer)
{
    bool fresh;
    return base->line == newer->line ||
           (map_put(&twins->to_base, key_of(newer), base->line, &fresh) &&
            map_put(&twins->to_newer, key_of(base), newer->line, &fresh));
}

/* A newer line that isn't the base's of that number gets one that the base has not. */
static bool put_came(struct line_twins *twins, const struct twin_line *newer)
{
    bool fresh;
    struct twin_line stand_in = *newer;
    stand_in.line |= CAME;
    return map_put(&twins->to_base, key_of(newer), stand_in.line, &fresh) &&
           map_put(&twins->to_newer, key_of(&stand_in), newer->line, &fresh);
}

static bool put_lines(struct line_twins *twins, const struct twin_line *first,
                      const struct match_lines *base, const struct match_lines *newer)
{
    bool fresh, done = true;
    for (size_t i = 0; done && i < base->count; i++)
        done = base->items[i].twin == MATCH_NONE
                   ? map_put(&twins->gone, key_of(&first[i]), 0, &fresh) != NULL
                   : put_twin(twins, &first[i], &first[base->count + base->items[i].twin]);
    for (size_t i = 0; done && i < newer->count; i++) {
        const struct twin_line *line = &first[base->count + i];
        if (newer->items[i].twin == MATCH_NONE && map_find(&twins->known, known_key(line, false)))
            done = put_came(twins, line);
    }
    return done;
}

/* Of the `count` lines of a function, of which the first are the base's. */
static bool match(struct line_twins *twins, const struct twin_line *first, size_t count,
                  struct match_line *room)
{
    size_t base_count = 0;
    while (base_count < count && !first[base_count].is_newer)
        base_count++;
    struct match_lines base = lines_of(first, base_count, room),
                       newer = lines_of(first + base_count, count - base_count, room + base_count);
    return line_match(&base, &newer) && put_lines(twins, first, &base, &newer);
}

bool line_twins_find(struct line_twins *twins)
{
    struct match_line *room = malloc((twins->count + 1) * sizeof *room);
    bool done = room;
    if (twins->count > 1)
        qsort(twins->items, twins->count, sizeof *twins->items, compare_lines);
    for (size_t i = 0, end; done && i < twins->count; i = end) {
        const struct twin_line *first = &twins->items[i];
        for (end = i; end < twins->count && twins->items[end].function == first->function &&
                      twins->items[end].file == first->file;)
            end++;
        done = match(twins, first, end - i, room);
    }
    free(room);
    return done;
}

void line_twins_release(struct line_twins *twins)
{
    names_release(&twins->names);
    map_release(&twins->known);
    free(twins->items);
    map_release(&twins->to_base);
    map_release(&twins->to_newer);
    map_release(&twins->gone);
    *twins = (struct line_twins){0};
}

/* The number of a line in the other file; without memory, or where it is in neither map, its own. */
uint32_t line_twins_base(struct line_twins *twins, const char *function, const char *file,
                         uint32_t line)
{
    struct twin_line newer;
    const uint32_t *base = twins->count > 0 && init(&newer, twins, function, file, line)
                               ? map_find(&twins->to_base, key_of(&newer))
                               : NULL;
    return base ? *base : line;
}

struct line_twin line_twins_newer(struct line_twins *twins, const char *function, const char *file,
                                  uint32_t line)
{
    struct twin_line base;
    if (twins->count == 0 || !init(&base, twins, function, file, line))
        return (struct line_twin){.line = line};
    const uint32_t *newer = map_find(&twins->to_newer, key_of(&base));
    return (struct line_twin){.line = newer ? *newer : line,
                              .base_line = newer && *newer != (line & ~CAME) ? line : 0,
                              .is_gone = map_find(&twins->gone, key_of(&base))};
}
