/* Readers of callgrind's format take a call graph for a tree: a function's cost is its own and that of
 * its calls, and where a program begins is what is called less than it costs.  With a circle in the
 * graph neither is true: costs come to more than all, and nothing is left to begin with.
 *
 * So there is none in what is written, and what flows into a function flows out of it.  Within a stack a
 * function stands once: from its first call to its last, what lies between is left out.  Stacks of which
 * one has a below b, and another b below a, still make a circle; so functions have an order, callers
 * before callees as far as there is one, and where a stack goes against it, what follows is one level
 * deeper: a function at level 2 is called "f'2", as callgrind itself writes recursion. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/names.h"
#include "base/plain.h"
#include "format/export/stack_lines.h"

struct function {
    const char *file, *name; /* in plain form */
    uint32_t place;          /* in the order; 0 while it has none */
    uint32_t seen;           /* the stack, from 1, in which it last stood ... */
    uint32_t depth;          /* ... and where */
    uint32_t first_call;     /* of its calls, or NONE */
};

/* A line of a function at a level: what costs are written for. */
struct node {
    uint32_t symbol, level;
    double self;
    size_t first_call, call_count; /* in `calls`, once these are sorted */
};

struct call {
    uint32_t from, to; /* nodes; functions, while these are put in order */
    uint32_t next;     /* then: the next call of the same function, or NONE */
    double weight;
};

struct calls {
    struct call *items;
    size_t count, capacity;
    struct map numbers;
};

struct drawing {
    const struct stack_profile *profile;
    const struct export_head *head;
    struct symbols symbols;
    struct frame_symbols frames;
    uint32_t *function_of; /* by symbol */
    size_t symbol_count, symbol_capacity;
    struct names names;
    struct map function_numbers; /* by the address of their names */
    struct function *functions;
    size_t function_count, function_capacity;
    struct node *nodes;
    size_t node_count, node_capacity;
    struct map node_numbers;
    struct calls order, calls;
    uint32_t *path; /* symbols of a stack, callers first, each function once */
    size_t path_capacity;
    uint32_t stack; /* the one at hand, from 1 */
    double total;
};

static const uint32_t NONE = UINT32_MAX;

/* ---- Functions ------------------------------------------------------------------------- */

static const char *file_of(const struct symbol *symbol)
{
    return symbol->function && symbol->file && *symbol->file ? symbol->file : "???";
}

static const char *function_of(const struct symbol *symbol)
{
    const char *name = symbol_name(symbol);
    return *name ? name : symbol->module && *symbol->module ? symbol->module : "???";
}

static const char *intern(struct drawing *drawing, const char *name)
{
    name = plain(name);
    return names_copy(&drawing->names, name);
}

static bool add_function(struct drawing *drawing, const struct symbol *symbol, uint32_t *number)
{
    const char *file = intern(drawing, file_of(symbol));
    const char *name = intern(drawing, function_of(symbol));
    struct text both = {0};
    bool fresh = false;
    text_put_string(&both, file ? file : "");
    text_put_char(&both, '\n');
    text_put_string(&both, name ? name : "");
    const char *key = both.failed ? NULL : names_intern(&drawing->names, both.bytes, both.size);
    text_release(&both);
    if (!file || !name || !key ||
        !ARRAY_RESERVE(&drawing->functions, &drawing->function_capacity,
                       drawing->function_count + 1))
        return false;
    uint32_t *found = map_put(&drawing->function_numbers, (uint64_t)(uintptr_t)key,
                              (uint32_t)drawing->function_count, &fresh);
    if (found && fresh)
        drawing->functions[drawing->function_count++] =
            (struct function){.file = file, .name = name, .first_call = NONE};
    *number = found ? *found : NONE;
    return found;
}

static struct function *function_at(struct drawing *drawing, uint32_t symbol)
{
    return &drawing->functions[drawing->function_of[symbol]];
}

/* Of symbols that have been met since. */
static bool add_functions(struct drawing *drawing)
{
    size_t count = drawing->symbols.count;
    if (!ARRAY_RESERVE(&drawing->function_of, &drawing->symbol_capacity, count))
        return false;
    for (; drawing->symbol_count < count; drawing->symbol_count++)
        if (!add_function(drawing, &drawing->symbols.items[drawing->symbol_count],
                          &drawing->function_of[drawing->symbol_count]))
            return false;
    return true;
}

/* ---- Stacks ---------------------------------------------------------------------------- */

/* Puts a symbol at the end of the path: back to where its function stands already, if it does. */
static bool extend(struct drawing *drawing, size_t *depth, uint32_t symbol)
{
    struct function *function = function_at(drawing, symbol);
    bool is_there =
        function->seen == drawing->stack && function->depth < *depth &&
        drawing->function_of[drawing->path[function->depth]] == drawing->function_of[symbol];
    if (is_there)
        *depth = function->depth;
    if (!ARRAY_RESERVE(&drawing->path, &drawing->path_capacity, *depth + 1))
        return false;
    function->seen = drawing->stack;
    function->depth = (uint32_t)*depth;
    drawing->path[(*depth)++] = symbol;
    return true;
}

/* The path of a stack; its frames are gathered at the end of the same array first. */
static bool find_path(struct drawing *drawing, uint32_t stack, size_t *depth)
{
    const struct stack_trie *trie = &drawing->profile->trie;
    size_t frames = 0, count;
    for (uint32_t node = trie->ends[stack]; node != STACK_ROOT; node = trie->nodes[node].parent)
        frames++;
    uint32_t *codes = malloc((frames + 1) * sizeof *codes);
    bool done = codes;
    size_t at = frames;
    for (uint32_t node = trie->ends[stack]; done && node != STACK_ROOT;
         node = trie->nodes[node].parent)
        codes[--at] = trie->nodes[node].frame;
    drawing->stack = stack + 1;
    *depth = 0;
    for (size_t i = 0; done && i < frames; i++) {
        const uint32_t *symbols = frame_symbols_of(&drawing->frames, codes[i], &count);
        done = symbols && add_functions(drawing);
        for (size_t k = 0; done && k < count; k++)
            done = extend(drawing, depth, symbols[k]);
    }
    free(codes);
    return done;
}

/* Rounded here, so that sums of costs are exact. */
static double value_of(const struct drawing *drawing, uint32_t stack)
{
    return round(stack_tally_weight(&drawing->profile->tallies[stack], &drawing->profile->estimate,
                                    drawing->head->weight));
}

static struct call *call_of(struct calls *calls, uint32_t from, uint32_t to, bool *fresh)
{
    if (!ARRAY_RESERVE(&calls->items, &calls->capacity, calls->count + 1))
        return NULL;
    uint32_t *number =
        map_put(&calls->numbers, (uint64_t)from << 32 | to, (uint32_t)calls->count, fresh);
    if (number && *fresh)
        calls->items[calls->count++] = (struct call){.from = from, .to = to};
    return number ? &calls->items[*number] : NULL;
}

/* ---- The order ------------------------------------------------------------------------- */

static bool note_calls(struct drawing *drawing, size_t depth)
{
    for (size_t i = 1; i < depth; i++) {
        bool fresh = false;
        uint32_t from = drawing->function_of[drawing->path[i - 1]];
        struct call *call =
            call_of(&drawing->order, from, drawing->function_of[drawing->path[i]], &fresh);
        if (!call)
            return false;
        if (fresh) {
            call->next = drawing->functions[from].first_call;
            drawing->functions[from].first_call = (uint32_t)(drawing->order.count - 1);
        }
    }
    return true;
}

/* Visits what a function calls, and what that calls; a place is given on the way back, the last one
 * first, so that callers stand before callees.  `open` has room for all functions. */
static void place_below(struct drawing *drawing, uint32_t start, uint32_t *open, uint32_t *place)
{
    size_t count = 0;
    open[count++] = start;
    drawing->functions[start].seen = 1;
    while (count > 0) {
        struct function *function = &drawing->functions[open[count - 1]];
        if (function->first_call == NONE) {
            function->place = (*place)--;
            count--;
            continue;
        }
        const struct call *call = &drawing->order.items[function->first_call];
        function->first_call = call->next;
        if (!drawing->functions[call->to].seen) {
            drawing->functions[call->to].seen = 1;
            open[count++] = call->to;
        }
    }
}

static bool put_in_order(struct drawing *drawing)
{
    uint32_t place = (uint32_t)drawing->function_count;
    uint32_t *open = malloc((drawing->function_count + 1) * sizeof *open);
    for (size_t i = 0; i < drawing->function_count; i++)
        drawing->functions[i].seen = 0;
    for (uint32_t i = 0; open && i < drawing->function_count; i++)
        if (!drawing->functions[i].seen)
            place_below(drawing, i, open, &place);
    for (size_t i = 0; i < drawing->function_count; i++)
        drawing->functions[i].seen = 0;
    free(open);
    return open;
}

/* ---- Costs ----------------------------------------------------------------------------- */

static struct node *node_of(struct drawing *drawing, uint32_t symbol, uint32_t level)
{
    bool fresh = false;
    if (!ARRAY_RESERVE(&drawing->nodes, &drawing->node_capacity, drawing->node_count + 1))
        return NULL;
    uint32_t *number = map_put(&drawing->node_numbers, (uint64_t)level << 32 | symbol,
                               (uint32_t)drawing->node_count, &fresh);
    if (number && fresh)
        drawing->nodes[drawing->node_count++] = (struct node){.symbol = symbol, .level = level};
    return number ? &drawing->nodes[*number] : NULL;
}

static bool add_costs(struct drawing *drawing, size_t depth, double value)
{
    uint32_t level = 1, from = NONE;
    for (size_t i = 0; i < depth; i++) {
        bool fresh;
        if (i > 0 && function_at(drawing, drawing->path[i])->place <
                         function_at(drawing, drawing->path[i - 1])->place)
            level++;
        struct node *node = node_of(drawing, drawing->path[i], level);
        if (!node)
            return false;
        uint32_t to = (uint32_t)(node - drawing->nodes);
        struct call *call = i > 0 ? call_of(&drawing->calls, from, to, &fresh) : NULL;
        if (i > 0 && !call)
            return false;
        if (call)
            call->weight += value;
        if (i == depth - 1)
            node->self += value;
        from = to;
    }
    drawing->total += depth > 0 ? value : 0;
    return true;
}

/* Each stack twice: first for the order of functions, then for their costs. */
static bool gather(struct drawing *drawing)
{
    size_t stacks = drawing->profile->trie.stack_count, depth;
    for (uint32_t i = 0; i < stacks; i++)
        if (value_of(drawing, i) != 0 &&
            (!find_path(drawing, i, &depth) || !note_calls(drawing, depth)))
            return false;
    if (!put_in_order(drawing))
        return false;
    for (uint32_t i = 0; i < stacks; i++) {
        double value = value_of(drawing, i);
        if (value != 0 && (!find_path(drawing, i, &depth) || !add_costs(drawing, depth, value)))
            return false;
    }
    return true;
}

/* ---- Output ---------------------------------------------------------------------------- */

static int compare_calls(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static int compare_nodes(const void *left, const void *right, void *context)
{
    const struct node *nodes = context;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const struct node *a = &nodes[i], *b = &nodes[k];
    if (a->self != b->self)
        return a->self > b->self ? -1 : 1;
    return i < k ? -1 : i > k;
}

/* With "c" before it, what is called. */
static void put_names(struct drawing *drawing, const struct node *node, const char *file_key,
                      const char *function_key, FILE *file)
{
    const struct function *function = function_at(drawing, node->symbol);
    fprintf(file, "%s=%s\n%s=%s", file_key, function->file, function_key, function->name);
    if (node->level > 1)
        fprintf(file, "'%" PRIu32, node->level);
    fputc('\n', file);
}

static void put_node(struct drawing *drawing, const struct node *node, FILE *file)
{
    uint32_t line = drawing->symbols.items[node->symbol].line;
    put_names(drawing, node, "fl", "fn", file);
    fprintf(file, "%" PRIu32 " %.0f\n", line, node->self);
    for (size_t i = 0; i < node->call_count; i++) {
        const struct call *call = &drawing->calls.items[node->first_call + i];
        const struct node *callee = &drawing->nodes[call->to];
        put_names(drawing, callee, "cfi", "cfn", file);
        fprintf(file, "calls=1 %" PRIu32 "\n%" PRIu32 " %.0f\n",
                drawing->symbols.items[callee->symbol].line, line, call->weight);
    }
    fputc('\n', file);
}

static void sort_calls(struct drawing *drawing)
{
    struct calls *calls = &drawing->calls;
    if (calls->count > 1)
        qsort(calls->items, calls->count, sizeof *calls->items, compare_calls);
    for (size_t i = 0; i < calls->count; i++) {
        struct node *node = &drawing->nodes[calls->items[i].from];
        if (node->call_count++ == 0)
            node->first_call = i;
    }
}

static bool put_nodes(struct drawing *drawing, FILE *file)
{
    uint32_t *order = malloc((drawing->node_count + 1) * sizeof *order);
    for (uint32_t i = 0; order && i < drawing->node_count; i++)
        order[i] = i;
    if (order && drawing->node_count > 1)
        qsort_r(order, drawing->node_count, sizeof *order, compare_nodes, drawing->nodes);
    for (size_t i = 0; order && i < drawing->node_count; i++)
        put_node(drawing, &drawing->nodes[order[i]], file);
    free(order);
    return order;
}

static bool print(struct drawing *drawing, FILE *file)
{
    const struct export_head *head = drawing->head;
    if (!gather(drawing))
        return false;
    sort_calls(drawing);
    fprintf(file, "# callgrind format\nversion: 1\ncreator: heaptap\ncmd: %s\n",
            plain(*head->command ? head->command : head->name));
    fprintf(file, "positions: line\nevents: %s\nsummary: %.0f\n\n", plain(head->sample),
            drawing->total);
    bool done = put_nodes(drawing, file);
    fprintf(file, "totals: %.0f\n", drawing->total);
    return done;
}

static void release(struct drawing *drawing)
{
    free(drawing->function_of);
    names_release(&drawing->names);
    map_release(&drawing->function_numbers);
    map_release(&drawing->node_numbers);
    map_release(&drawing->order.numbers);
    map_release(&drawing->calls.numbers);
    free(drawing->order.items);
    free(drawing->calls.items);
    free(drawing->functions);
    free(drawing->nodes);
    free(drawing->path);
}

bool callgrind_print(const struct stack_profile *profile, const struct frame_source *frames,
                     const struct export_head *head, FILE *file)
{
    struct drawing drawing = {.profile = profile, .head = head};
    symbols_init(&drawing.symbols, head->grain);
    bool done = frame_symbols_init(&drawing.frames, frames, &drawing.symbols);
    if (done) {
        drawing.frames.by_module = true;
        drawing.frames.no_inlines = head->no_inlines;
        done = print(&drawing, file);
        frame_symbols_release(&drawing.frames);
    }
    symbols_release(&drawing.symbols);
    release(&drawing);
    return done;
}
