#include "format/export/folded.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/plain.h"

/* Text, and of the path so far where in it each depth ends. */
struct path_text {
    char *text;
    size_t size, capacity;
    size_t *ends; /* by depth; [0] is 0 */
    size_t ends_capacity;
};

static bool append(struct path_text *path, const char *text, size_t size)
{
    if (!ARRAY_RESERVE(&path->text, &path->capacity, path->size + size + 1))
        return false;
    memcpy(path->text + path->size, text, size);
    path->size += size;
    return true;
}

/* What stands for a symbol, made when it is first met. */
struct folded_names {
    struct folded_name {
        uint32_t begin, size; /* in `text` */
        bool is_made;
    } * items; /* by symbol */
    struct path_text text;
};

static bool make_name(struct path_text *text, const struct symbol *symbol,
                      const struct folded_options *options)
{
    unsigned form = options->keeps_semicolons ? PLAIN_NAME : PLAIN_NO_SEMICOLONS;
    const char *name = plain_as(symbol_name(symbol), form);
    char line[16];
    if (!append(text, name, strlen(name)))
        return false;
    if (options->with_positions && symbol->file && *symbol->file && symbol->function) {
        int digits = snprintf(line, sizeof line, ":%" PRIu32 ")", symbol->line);
        const char *file = plain_as(symbol->file, form);
        if (!append(text, " (", 2) || !append(text, file, strlen(file)) ||
            !append(text, line, (size_t)digits))
            return false;
    }
    return true;
}

static bool append_name(struct path_text *path, struct folded_names *names,
                        const struct call_walk *walk, const struct folded_options *options)
{
    struct folded_name *name = &names->items[walk->symbol];
    if (!name->is_made) {
        name->begin = (uint32_t)names->text.size;
        if (!make_name(&names->text, call_walk_symbol(walk), options))
            return false;
        name->size = (uint32_t)names->text.size - name->begin;
        name->is_made = true;
    }
    return append(path, names->text.text + name->begin, name->size);
}

/* Makes the path that of the walk. */
static bool extend(struct path_text *path, struct folded_names *names, const struct call_walk *walk,
                   const struct folded_options *options)
{
    size_t depth = walk->depth;
    if (!ARRAY_RESERVE(&path->ends, &path->ends_capacity, depth + 1))
        return false;
    path->size = depth > 1 ? path->ends[depth - 1] : 0;
    if ((depth > 1 && !append(path, ";", 1)) || !append_name(path, names, walk, options))
        return false;
    path->ends[depth] = path->size;
    return true;
}

bool folded_print(struct call_walk *walk, const struct estimate *estimate,
                  const struct folded_options *options, FILE *file)
{
    struct path_text path = {0};
    struct folded_names names = {.items =
                                     calloc(walk->branches.symbols.count + 1, sizeof *names.items)};
    double least = options->min_share * stack_tally_weight(&walk->all, estimate, options->weight);
    bool done = names.items;
    while (done && call_walk_next(walk)) {
        walk->skip = stack_tally_weight(&walk->total, estimate, options->weight) < least;
        if (walk->skip)
            continue;
        done = extend(&path, &names, walk, options);
        double own = round(stack_tally_weight(&walk->self, estimate, options->weight));
        if (!done || walk->self.samples == 0 || own < 1 ||
            (options->skip_short && walk->depth < 2) || own < least)
            continue;
        fwrite(path.text, 1, path.size, file);
        fprintf(file, " %.0f\n", own);
    }
    free(path.text);
    free(path.ends);
    free(names.items);
    free(names.text.text);
    return done && !walk->failed;
}
