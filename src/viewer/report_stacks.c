/* All selections go into one trie of lines; then the nodes that are heaviest in any of them are kept, and
 * what ends elsewhere moves to the function that allocates it, right below what is kept of its stack. */
#include "viewer/report_stacks.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "analyze/comparison.h"
#include "base/array.h"
#include "base/plain.h"
#include "viewer/columns.h"

/* What ends at a node. */
struct entry {
    uint32_t node;
    double samples; /* or the value, of a profile */
    double density;
};

struct side {
    struct entry *entries;
    size_t count, capacity;
    struct estimate estimate;
};

struct weighing {
    struct side now, before;
    double shortened;
};

struct build {
    const struct viewer_state *state;
    const struct report_choice *choices;
    size_t count;
    bool has_objects;
    struct names names; /* of both files, so that equal texts are one pointer */
    struct symbols symbols;
    struct stack_trie tree;
    struct weighing *weighings;
    uint32_t left_out_symbol;
    const char **modules; /* by symbol: of code of which no more is known than that; else NULL */
    size_t module_count, module_capacity;
    const struct frame_source *source; /* of the selection at hand */
    struct heaptap_location *locations;
    size_t location_capacity;
    uint64_t left_out;
};

/* ---- Symbols ----------------------------------------------------------------------------- */

static const char *own(struct build *build, const char *text)
{
    return text ? names_intern(&build->names, text, strlen(text)) : NULL;
}

static const struct heaptap_location *locations_of(void *context, uint32_t frame, size_t *count)
{
    struct build *build = context;
    const struct heaptap_location *theirs = frame_source_locations(build->source, frame, count);
    if (!ARRAY_RESERVE(&build->locations, &build->location_capacity, *count + 1)) {
        *count = 0;
        return NULL;
    }
    for (size_t i = 0; i < *count; i++) {
        build->locations[i] = theirs[i];
        build->locations[i].function = own(build, theirs[i].function);
        build->locations[i].file = own(build, theirs[i].file);
    }
    return build->locations;
}

static uint64_t code_of(void *context, uint32_t frame)
{
    struct build *build = context;
    return build->source->code(build->source->context, frame);
}

/* ---- Adding a selection ------------------------------------------------------------------ */

static void mark_passed(bool *passed, const struct stack_profile *profile,
                        const struct stack_trie *trie)
{
    for (size_t i = 0; i < trie->stack_count; i++)
        if (profile && profile->tallies[i].events > 0)
            for (uint32_t node = trie->ends[i]; node != STACK_ROOT && !passed[node];
                 node = trie->nodes[node].parent)
                passed[node] = true;
}

/* Remembers the module of a symbol that stands for code of which nothing else is known. */
static bool note_module(struct build *build, uint32_t frame, uint32_t symbol)
{
    size_t count;
    const struct frame_source *source = build->source;
    frame_source_locations(source, frame, &count);
    if (count > 0)
        return true;
    const char *module = source->module ? source->module(source->context, frame) : NULL;
    if (!ARRAY_RESERVE(&build->modules, &build->module_capacity, (size_t)symbol + 1))
        return false;
    while (build->module_count <= symbol)
        build->modules[build->module_count++] = NULL;
    build->modules[symbol] = own(build, module ? module : "");
    return build->modules[symbol];
}

/* Where each node that is passed is in the tree; malloc'ed. */
static uint32_t *map_nodes(struct build *build, const struct stack_trie *trie, const bool *passed)
{
    struct frame_source source = {.locations = locations_of,
                                  .code = code_of,
                                  .frame_count = build->source->frame_count,
                                  .context = build};
    struct frame_symbols frames;
    uint32_t *of_node = malloc(trie->count * sizeof *of_node);
    if (!of_node || !frame_symbols_init(&frames, &source, &build->symbols)) {
        free(of_node);
        return NULL;
    }
    bool done = true;
    of_node[STACK_ROOT] = STACK_ROOT;
    for (uint32_t node = 1; done && node < trie->count; node++) {
        size_t count = 0;
        uint32_t to = of_node[trie->nodes[node].parent];
        if (!passed[node])
            continue;
        const uint32_t *symbols = frame_symbols_of(&frames, trie->nodes[node].frame, &count);
        for (size_t i = 0; i < count && to != STACK_NONE; i++)
            to = stack_trie_child(&build->tree, to, symbols[i]);
        of_node[node] = to;
        done =
            symbols && to != STACK_NONE && note_module(build, trie->nodes[node].frame, symbols[0]);
    }
    frame_symbols_release(&frames);
    if (done)
        return of_node;
    free(of_node);
    return NULL;
}

static bool add_side(struct build *build, struct side *side, const struct stack_profile *profile,
                     const struct stack_trie *trie, const uint32_t *of_node)
{
    side->estimate = profile->estimate;
    for (size_t i = 0; i < trie->stack_count; i++) {
        const struct stack_tally *tally = &profile->tallies[i];
        uint32_t node = of_node[trie->ends[i]];
        if (tally->events == 0)
            continue;
        if (trie->ends[i] == STACK_ROOT) {
            uint32_t symbol = symbols_number_of(&build->symbols, own(build, "<no stack>"), NULL);
            node = symbol == SYMBOL_NONE ? STACK_NONE
                                         : stack_trie_child(&build->tree, STACK_ROOT, symbol);
        }
        if (node == STACK_NONE || !ARRAY_RESERVE(&side->entries, &side->capacity, side->count + 1))
            return false;
        side->entries[side->count++] = (struct entry){
            node, build->has_objects ? (double)tally->samples : tally->value, tally->density};
    }
    return true;
}

static bool add_profiles(struct build *build, struct weighing *weighing,
                         const struct stack_profile *now, const struct stack_profile *before,
                         const struct frame_source *source)
{
    const struct stack_trie *trie = &now->trie;
    bool *passed = calloc(trie->count, sizeof *passed);
    build->source = source;
    if (!passed)
        return false;
    mark_passed(passed, now, trie);
    mark_passed(passed, before, trie);
    uint32_t *of_node = map_nodes(build, trie, passed);
    bool done = of_node && add_side(build, &weighing->now, now, trie, of_node) &&
                (!before || add_side(build, &weighing->before, before, trie, of_node));
    free(passed);
    free(of_node);
    return done;
}

/* The base's values of the same name; false where it has none. */
static bool base_type(const struct viewer_state *state, size_t *type)
{
    const struct model *model = state->files[0]->model;
    if (model->kind != state->base->model->kind)
        return false;
    if (model->kind == MODEL_OBJECTS)
        return true;
    long found = model_find_value_type(state->base->model, model->samples.types[*type].name);
    *type = found < 0 ? 0 : (size_t)found;
    return found >= 0;
}

static bool add_choice(struct build *build, size_t number)
{
    const struct report_choice *choice = &build->choices[number];
    struct weighing *weighing = &build->weighings[number];
    struct selection_options options = {.value_type = choice->type};
    struct viewer_selected *selected, *compared;
    struct heaptap_error error;
    struct comparison both;
    size_t length;
    if (viewer_dataset_select(build->state->files[0], choice->filter, &options, &selected, &length,
                              &error) != HEAPTAP_OK)
        return false;
    const struct selection *selection = &selected->selection;
    if (!build->state->base || !base_type(build->state, &options.value_type))
        return add_profiles(build, weighing, &selection->profile, NULL, &selection->frames);
    if (viewer_dataset_select(build->state->base, choice->filter, &options, &compared, &length,
                              &error) != HEAPTAP_OK ||
        !comparison_init(&both, selection, &compared->selection))
        return false;
    bool done = add_profiles(build, weighing, &both.now, &both.before, &both.frames);
    comparison_release(&both);
    return done;
}

/* ---- Which nodes are kept ---------------------------------------------------------------- */

/* Adds to each node the share of everything that passes it. */
static bool add_shares(double *score, const struct stack_trie *tree, const struct side *side)
{
    double *total = calloc(tree->count, sizeof *total);
    if (!total)
        return false;
    for (size_t i = 0; i < side->count; i++)
        total[side->entries[i].node] += fabs(side->entries[i].samples);
    for (size_t node = tree->count; node-- > 1;)
        total[tree->nodes[node].parent] += total[node];
    for (size_t node = 0; total[STACK_ROOT] > 0 && node < tree->count; node++)
        score[node] += total[node] / total[STACK_ROOT];
    free(total);
    return true;
}

static int compare_down(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* The score that the heaviest `limit` nodes have at least. */
static bool find_threshold(const double *score, size_t count, size_t limit, double *threshold)
{
    *threshold = -1;
    if (count <= limit)
        return true;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, score, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_down);
    *threshold = sorted[limit - 1];
    free(sorted);
    return true;
}

/* Copies the heaviest nodes into `out`; of_node[] becomes their numbers there; below a node that
 * isn't kept, the number of the last one that is, with `is_cut` set. */
static bool keep_heaviest(struct build *build, struct stack_trie *out, uint32_t limit,
                          uint32_t *of_node, bool *is_cut)
{
    const struct stack_trie *tree = &build->tree;
    double threshold, *score = calloc(tree->count, sizeof *score);
    bool done = score;
    for (size_t i = 0; done && i < build->count; i++)
        done = add_shares(score, tree, &build->weighings[i].now) &&
               add_shares(score, tree, &build->weighings[i].before);
    done = done && find_threshold(score, tree->count, limit, &threshold);
    of_node[STACK_ROOT] = STACK_ROOT;
    is_cut[STACK_ROOT] = false;
    for (uint32_t node = 1; done && node < tree->count; node++) {
        uint32_t caller = tree->nodes[node].parent;
        is_cut[node] = is_cut[caller] || score[node] < threshold || out->count >= limit;
        of_node[node] = is_cut[node]
                            ? of_node[caller]
                            : stack_trie_child(out, of_node[caller], tree->nodes[node].frame);
        build->left_out += is_cut[node];
        done = of_node[node] != STACK_NONE;
    }
    free(score);
    return done;
}

/* Where a stack ends of which the inner part is left out: as far as there is room, under its own
 * function. */
static uint32_t cut_end(struct build *build, struct stack_trie *out, uint32_t limit,
                        uint32_t caller, uint32_t symbol)
{
    uint32_t node = stack_trie_child(out, caller, build->left_out_symbol);
    if (node == STACK_NONE || out->count >= 3 * (size_t)limit)
        return node;
    return stack_trie_child(out, node, symbol);
}

static bool move_entries(struct build *build, struct stack_trie *out, uint32_t limit,
                         const uint32_t *of_node, const bool *is_cut, struct side *side,
                         double *shortened)
{
    for (size_t i = 0; i < side->count; i++) {
        struct entry *entry = &side->entries[i];
        uint32_t from = entry->node;
        entry->node = !is_cut[from] ? of_node[from]
                                    : cut_end(build, out, limit, of_node[from],
                                              build->tree.nodes[from].frame);
        *shortened += is_cut[from] ? entry->samples : 0;
        if (entry->node == STACK_NONE)
            return false;
    }
    return true;
}

static bool prune(struct build *build, uint32_t limit)
{
    struct stack_trie out;
    double unused = 0;
    uint32_t *of_node = malloc(build->tree.count * sizeof *of_node);
    bool *is_cut = malloc(build->tree.count * sizeof *is_cut);
    bool made = of_node && is_cut && stack_trie_init(&out);
    bool done = made && keep_heaviest(build, &out, limit, of_node, is_cut);
    for (size_t i = 0; done && i < build->count; i++) {
        struct weighing *weighing = &build->weighings[i];
        done = move_entries(build, &out, limit, of_node, is_cut, &weighing->now,
                            &weighing->shortened) &&
               move_entries(build, &out, limit, of_node, is_cut, &weighing->before, &unused);
    }
    free(of_node);
    free(is_cut);
    if (!done && made)
        stack_trie_release(&out);
    if (done) {
        stack_trie_release(&build->tree);
        build->tree = out;
    }
    return done;
}

/* Adds up entries of the same node. */
static bool merge_entries(const struct build *build, struct side *side)
{
    size_t nodes = build->tree.count, count = 0;
    double *samples = calloc(nodes, sizeof *samples), *density = calloc(nodes, sizeof *density);
    bool done = samples && density;
    for (size_t i = 0; done && i < side->count; i++) {
        samples[side->entries[i].node] += side->entries[i].samples;
        density[side->entries[i].node] += side->entries[i].density;
    }
    for (uint32_t node = 0; done && node < nodes; node++)
        if (samples[node] != 0 || density[node] != 0)
            side->entries[count++] = (struct entry){node, samples[node], density[node]};
    side->count = count;
    free(samples);
    free(density);
    return done;
}

/* ---- Writing ----------------------------------------------------------------------------- */

struct bytes {
    uint8_t *items;
    size_t count, capacity;
    bool failed;
};

static void add_bytes(struct bytes *bytes, const void *from, size_t size)
{
    bytes->failed =
        bytes->failed || !ARRAY_RESERVE(&bytes->items, &bytes->capacity, bytes->count + size);
    if (bytes->failed)
        return;
    memcpy(bytes->items + bytes->count, from, size);
    bytes->count += size;
}

static void add_u32(struct bytes *bytes, uint32_t value)
{
    value = htole32(value);
    add_bytes(bytes, &value, sizeof value);
}

static void add_f64(struct bytes *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htole64(bits);
    add_bytes(bytes, &bits, sizeof bits);
}

static void add_entries(struct bytes *bytes, const struct build *build, const struct side *side)
{
    for (size_t i = 0; i < side->count; i++)
        add_u32(bytes, side->entries[i].node);
    for (size_t i = 0; i < side->count; i++)
        add_f64(bytes, side->entries[i].samples);
    for (size_t i = 0; build->has_objects && i < side->count; i++)
        add_f64(bytes, side->entries[i].density);
}

/* Numbers the symbols that are left, in the order in which nodes have them; malloc'ed. */
static uint32_t *number_symbols(const struct build *build, uint32_t **used, uint32_t *count)
{
    size_t symbols = build->symbols.count;
    uint32_t *number = malloc((symbols + 1) * sizeof *number);
    *used = malloc((symbols + 1) * sizeof **used);
    if (!number || !*used) {
        free(number);
        return NULL;
    }
    memset(number, 0xff, (symbols + 1) * sizeof *number);
    *count = 1;
    number[build->left_out_symbol] = 0;
    (*used)[0] = build->left_out_symbol;
    for (uint32_t node = 1; node < build->tree.count; node++) {
        uint32_t symbol = build->tree.nodes[node].frame;
        if (number[symbol] == SYMBOL_NONE) {
            number[symbol] = *count;
            (*used)[(*count)++] = symbol;
        }
    }
    return number;
}

static void put_symbols(struct json *json, const struct symbol *items, const uint32_t *used,
                        uint32_t count)
{
    json_key(json, "functions");
    json_array(json);
    for (uint32_t i = 0; i < count; i++)
        json_string(json, symbol_name(&items[used[i]]));
    json_end(json);
    json_key(json, "files");
    json_array(json);
    for (uint32_t i = 0; i < count; i++)
        json_string(json, items[used[i]].file);
    json_end(json);
    json_key(json, "lines");
    json_array(json);
    for (uint32_t i = 0; i < count; i++)
        json_uint(json, items[used[i]].line);
    json_end(json);
}

/* "unknown": the modules of symbols of which nothing else is known, by symbol. */
static void put_unknown(struct json *json, const struct build *build, const uint32_t *used,
                        uint32_t count)
{
    json_key(json, "unknown");
    json_object(json);
    for (uint32_t i = 0; i < count; i++) {
        char number[16];
        if (used[i] >= build->module_count || !build->modules[used[i]])
            continue;
        snprintf(number, sizeof number, "%u", i);
        json_put_string(json, number, build->modules[used[i]]);
    }
    json_end(json);
}

/* ---- Sources ----------------------------------------------------------------------------- */

enum { MARGIN = 5, SOURCES_MAX = 4 << 20 };

static int compare_places(const void *left, const void *right, void *context)
{
    const struct symbol *a = &((const struct symbol *)context)[*(const uint32_t *)left];
    const struct symbol *b = &((const struct symbol *)context)[*(const uint32_t *)right];
    if (a->file != b->file)
        return strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (a->function != b->function)
        return strcmp(symbol_name(a), symbol_name(b));
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Marks the lines of each function from its first symbol to its last, with some around them. */
static void mark_lines(bool *wanted, size_t lines, const struct symbol *items,
                       const uint32_t *places, size_t count)
{
    for (size_t i = 0, from = 0; i < count; i++) {
        const struct symbol *symbol = &items[places[i]];
        if (i + 1 < count && items[places[i + 1]].function == symbol->function)
            continue;
        uint32_t first = items[places[from]].line;
        for (size_t line = first > MARGIN ? first - MARGIN : 1;
             line <= (size_t)symbol->line + MARGIN && line <= lines; line++)
            wanted[line - 1] = true;
        from = i + 1;
    }
}

/* The lines of one file that are wanted; how many bytes they have. */
static size_t put_file(struct json *json, const char *name, char **lines, const bool *wanted,
                       size_t count)
{
    size_t bytes = 0;
    json_key(json, plain_as(name, PLAIN_KEEP_TABS)); /* as put_symbols writes it */
    json_object(json);
    for (size_t i = 0; i < count; i++) {
        char number[24];
        if (!wanted[i])
            continue;
        snprintf(number, sizeof number, "%zu", i + 1);
        json_put_string(json, number, lines[i]);
        bytes += strlen(lines[i]);
    }
    json_end(json);
    return bytes;
}

/* "sources": by file, by line, the text; as far as SOURCES_MAX allows. */
static bool put_sources(struct json *json, const struct build *build, const uint32_t *used,
                        uint32_t count)
{
    const struct viewer_sources *sources = build->state->sources;
    const struct symbol *items = build->symbols.items;
    uint32_t *places = malloc((count + 1) * sizeof *places);
    size_t bytes = 0;
    bool done = places;
    if (!done)
        return false;
    memcpy(places, used, count * sizeof *places);
    qsort_r(places, count, sizeof *places, compare_places, (void *)items);
    json_key(json, "sources");
    json_object(json);
    for (uint32_t at = 0, end; done && sources && at < count; at = end) {
        const char *file = items[places[at]].file;
        for (end = at + 1; end < count && items[places[end]].file == file;)
            end++;
        size_t lines = 0;
        char **text = file && *file && bytes < SOURCES_MAX
                          ? sources->lines(sources->context, file, &lines)
                          : NULL;
        if (!text)
            continue;
        bool *wanted = calloc(lines + 1, sizeof *wanted);
        done = wanted;
        if (done) {
            mark_lines(wanted, lines, items, places + at, end - at);
            bytes += put_file(json, file, text, wanted, lines);
        }
        free(wanted);
    }
    json_end(json);
    free(places);
    return done;
}

/* ---- The whole --------------------------------------------------------------------------- */

static void put_choice(struct json *json, const struct report_choice *choice,
                       const struct weighing *weighing, bool has_base)
{
    json_object(json);
    json_put_string(json, "filter", choice->filter);
    json_put_uint(json, "type", choice->type);
    json_put_double(json, "unit", weighing->now.estimate.bytes_per_sample);
    json_put_double(json, "rate", weighing->now.estimate.sample_rate);
    json_put_uint(json, "entries", weighing->now.count);
    json_put_double(json, "shortened", weighing->shortened);
    if (has_base) {
        json_put_double(json, "base_unit", weighing->before.estimate.bytes_per_sample);
        json_put_double(json, "base_rate", weighing->before.estimate.sample_rate);
        json_put_uint(json, "base_entries", weighing->before.count);
    }
    json_end(json);
}

static bool put_data(struct json *json, const struct build *build, const uint32_t *number)
{
    struct bytes bytes = {0};
    for (size_t node = 0; node < build->tree.count; node++)
        add_u32(&bytes, build->tree.nodes[node].parent);
    for (size_t node = 0; node < build->tree.count; node++)
        add_u32(&bytes, node == STACK_ROOT ? 0 : number[build->tree.nodes[node].frame]);
    for (size_t i = 0; i < build->count; i++) {
        add_entries(&bytes, build, &build->weighings[i].now);
        add_entries(&bytes, build, &build->weighings[i].before);
    }
    uLongf size = compressBound(bytes.count);
    uint8_t *packed = bytes.failed ? NULL : malloc(size);
    bool done = packed && compress2(packed, &size, bytes.items, bytes.count, 6) == Z_OK;
    if (done)
        columns_put_bytes(json, "data", packed, size);
    free(bytes.items);
    free(packed);
    return done;
}

static bool put_all(FILE *file, const struct build *build)
{
    struct json json;
    uint32_t *used, count;
    uint32_t *number = number_symbols(build, &used, &count);
    if (!number) {
        free(used);
        return false;
    }
    json_init_compact(&json, file);
    json.shown = true;
    json_object(&json);
    json_put_uint(&json, "nodes", build->tree.count);
    json_put_uint(&json, "left_out", build->left_out);
    put_symbols(&json, build->symbols.items, used, count);
    put_unknown(&json, build, used, count);
    json_key(&json, "choices");
    json_array(&json);
    for (size_t i = 0; i < build->count; i++)
        put_choice(&json, &build->choices[i], &build->weighings[i], build->state->base);
    json_end(&json);
    bool done = put_sources(&json, build, used, count) && put_data(&json, build, number);
    json_end(&json);
    free(number);
    free(used);
    return done;
}

static void release(struct build *build)
{
    for (size_t i = 0; build->weighings && i < build->count; i++) {
        free(build->weighings[i].now.entries);
        free(build->weighings[i].before.entries);
    }
    free(build->weighings);
    free(build->locations);
    free(build->modules);
    stack_trie_release(&build->tree);
    symbols_release(&build->symbols);
    names_release(&build->names);
}

bool report_stacks_put(FILE *file, const struct viewer_state *state,
                       const struct report_choice *choices, size_t count, uint32_t nodes,
                       void (*tell)(void *context, size_t done), void *context)
{
    struct build build = {.state = state,
                          .choices = choices,
                          .count = count,
                          .has_objects = state->files[0]->model->kind == MODEL_OBJECTS,
                          .weighings = calloc(count, sizeof *build.weighings)};
    symbols_init(&build.symbols, GRAIN_LINE);
    bool done = build.weighings && stack_trie_init(&build.tree);
    build.left_out_symbol =
        done ? symbols_number_of(&build.symbols, own(&build, "<left out>"), NULL) : SYMBOL_NONE;
    done = done && build.left_out_symbol != SYMBOL_NONE;
    for (size_t i = 0; done && i < count; i++) {
        done = add_choice(&build, i);
        if (tell)
            tell(context, i + 1);
    }
    done = done && prune(&build, nodes);
    for (size_t i = 0; done && i < count; i++)
        done = merge_entries(&build, &build.weighings[i].now) &&
               merge_entries(&build, &build.weighings[i].before);
    done = done && put_all(file, &build);
    release(&build);
    return done;
}
