#include "export/folded.h"

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
    if (options->with_positions && symbol->file && symbol->function) {
        int digits = snprintf(line, sizeof line, ":%" PRIu32 ")", symbol->line);
        const char *file = plain_as(symbol->file, form);
        if (!append(text, " (", 2) || !append(text, file, strlen(file)) ||
            !append(text, line, (size_t)digits))
            return false;
    }
    return true;
}

static bool append_name(struct path_text *path, struct folded_names *names,
                        const struct call_tree *tree, uint32_t node,
                        const struct folded_options *options)
{
    struct folded_name *name = &names->items[tree->tree.nodes[node].frame];
    if (!name->is_made) {
        name->begin = (uint32_t)names->text.size;
        if (!make_name(&names->text, call_tree_symbol(tree, node), options))
            return false;
        name->size = (uint32_t)names->text.size - name->begin;
        name->is_made = true;
    }
    return append(path, names->text.text + name->begin, name->size);
}

/* Makes the path end with the symbol of a node at `depth`. */
static bool extend(struct path_text *path, struct folded_names *names, size_t depth,
                   const struct call_tree *tree, uint32_t node,
                   const struct folded_options *options)
{
    if (!ARRAY_RESERVE(&path->ends, &path->ends_capacity, depth + 1))
        return false;
    path->size = depth > 1 ? path->ends[depth - 1] : 0;
    if ((depth > 1 && !append(path, ";", 1)) || !append_name(path, names, tree, node, options))
        return false;
    path->ends[depth] = path->size;
    return true;
}

bool folded_print(const struct call_tree *tree, const struct estimate *estimate,
                  const struct folded_options *options, FILE *file)
{
    struct call_walk walk;
    struct path_text path = {0};
    struct folded_names names = {.items = calloc(tree->symbols.count + 1, sizeof *names.items)};
    double all = stack_tally_weight(&tree->total[STACK_ROOT], estimate, options->weight);
    call_walk_init(&walk, tree);
    walk.failed |= !names.items;
    while (!walk.failed && call_walk_next(&walk)) {
        uint32_t node = call_walk_node(&walk);
        double total = stack_tally_weight(&tree->total[node], estimate, options->weight);
        walk.skip = total < options->min_share * all;
        if (walk.skip)
            continue;
        if (!extend(&path, &names, walk.depth, tree, node, options)) {
            walk.failed = true;
            break;
        }
        double own = round(stack_tally_weight(&tree->self[node], estimate, options->weight));
        if (tree->self[node].samples == 0 || own < 1 || (options->skip_short && walk.depth < 2) ||
            own < options->min_share * all)
            continue;
        fwrite(path.text, 1, path.size, file);
        fprintf(file, " %.0f\n", own);
    }
    bool done = !walk.failed;
    call_walk_release(&walk);
    free(path.text);
    free(path.ends);
    free(names.items);
    free(names.text.text);
    return done;
}
