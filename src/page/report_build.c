/* All selections go into one trie of lines; then the nodes that are heaviest in any of them are kept, and
 * what ends elsewhere moves to the function that allocates it, right below what is kept of its stack. */
#include "page/report_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/comparison.h"
#include "base/array.h"
#include "base/order.h"

/* ---- Symbols ----------------------------------------------------------------------------- */

static const char *own(struct report_build *build, const char *text)
{
    return text ? names_copy(&build->names, text) : NULL;
}

static const struct heaptap_location *locations_of(void *context, uint32_t frame, size_t *count)
{
    struct report_build *build = context;
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
    struct report_build *build = context;
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
static bool note_module(struct report_build *build, uint32_t frame, uint32_t symbol)
{
    size_t count;
    const struct frame_source *source = build->source;
    frame_source_locations(source, frame, &count);
    if (count > 0)
        return true;
    const char *module = source->module ? source->module(source->context, frame) : NULL;
    if (!module && source->tells_codes)
        return true;
    if (!ARRAY_RESERVE(&build->modules, &build->module_capacity, (size_t)symbol + 1))
        return false;
    while (build->module_count <= symbol)
        build->modules[build->module_count++] = NULL;
    build->modules[symbol] = own(build, module ? module : "");
    return build->modules[symbol];
}

/* Where each node that is passed is in the tree; malloc'ed. */
static uint32_t *map_nodes(struct report_build *build, const struct stack_trie *trie,
                           const bool *passed)
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
        done = symbols && to != STACK_NONE &&
               note_module(build, trie->nodes[node].frame, symbols[0]) &&
               library_symbols_note(&build->libraries, build->source, trie->nodes[node].frame,
                                    symbols, count);
    }
    frame_symbols_release(&frames);
    if (done)
        return of_node;
    free(of_node);
    return NULL;
}

static bool add_side(struct report_build *build, struct report_side *side,
                     const struct stack_profile *profile, const struct stack_trie *trie,
                     const uint32_t *of_node)
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
        side->entries[side->count++] = (struct report_answer){
            node, build->has_objects ? (double)tally->samples : tally->value, tally->density};
    }
    return true;
}

static bool add_profiles(struct report_build *build, struct report_weighing *weighing,
                         const struct stack_profile *now, const struct stack_profile *before,
                         const struct frame_source *source)
{
    const struct stack_trie *trie = &now->trie;
    bool *passed = calloc(trie->count, sizeof *passed);
    build->source = source;
    if (!build->libraries.kinds)
        library_symbols_init(&build->libraries, source);
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

/* What a choice leaves of a file; of a profile, of the values of a number. */
static bool select_choice(struct report *report, struct viewer_dataset *file, const char *filter,
                          size_t type)
{
    char number[24];
    struct question question = question_default();
    struct report_problem problem;
    snprintf(number, sizeof number, "%zu", type);
    question.sample = number;
    *report = (struct report){.options = &question, .input.model = file->model};
    bool done = viewer_dataset_report(file, filter, report, &problem);
    report->options = NULL;
    return done;
}

bool report_build_add(struct report_build *build, size_t number)
{
    const struct report_choice *choice = &build->choices[number];
    const struct viewer_state *state = build->state;
    struct report_weighing *weighing = &build->weighings[number];
    struct report report, base;
    struct comparison both;
    size_t type = choice->type;
    if (!select_choice(&report, state->files[0], choice->filter, type))
        return false;
    const struct selection *selection = &report.selection;
    if (!state->base || !base_type(state, &type))
        return add_profiles(build, weighing, &selection->profile, NULL, &selection->frames);
    if (!select_choice(&base, state->base, choice->filter, type) ||
        !comparison_init(&both, selection, &base.selection))
        return false;
    bool done = add_profiles(build, weighing, &both.now, &both.before, &both.frames);
    comparison_release(&both);
    return done;
}

/* ---- Which nodes are kept ---------------------------------------------------------------- */

/* Adds to each node the share of everything that passes it. */
static bool add_shares(double *score, const struct stack_trie *tree, const struct report_side *side)
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
    return order_doubles(right, left);
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
static bool keep_heaviest(struct report_build *build, struct stack_trie *out, uint32_t limit,
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
static uint32_t cut_end(struct report_build *build, struct stack_trie *out, uint32_t limit,
                        uint32_t caller, uint32_t symbol)
{
    uint32_t node = stack_trie_child(out, caller, build->left_out_symbol);
    if (node == STACK_NONE || out->count >= 3 * (size_t)limit)
        return node;
    return stack_trie_child(out, node, symbol);
}

static bool move_entries(struct report_build *build, struct stack_trie *out, uint32_t limit,
                         const uint32_t *of_node, const bool *is_cut, struct report_side *side,
                         double *shortened)
{
    for (size_t i = 0; i < side->count; i++) {
        struct report_answer *entry = &side->entries[i];
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

static bool prune(struct report_build *build, uint32_t limit)
{
    struct stack_trie out;
    double unused = 0;
    uint32_t *of_node = malloc(build->tree.count * sizeof *of_node);
    bool *is_cut = malloc(build->tree.count * sizeof *is_cut);
    bool made = of_node && is_cut && stack_trie_init(&out);
    bool done = made && keep_heaviest(build, &out, limit, of_node, is_cut);
    for (size_t i = 0; done && i < build->count; i++) {
        struct report_weighing *weighing = &build->weighings[i];
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
static bool merge_entries(const struct report_build *build, struct report_side *side)
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
            side->entries[count++] = (struct report_answer){node, samples[node], density[node]};
    side->count = count;
    free(samples);
    free(density);
    return done;
}

/* ---- The whole --------------------------------------------------------------------------- */

bool report_build_init(struct report_build *build, const struct viewer_state *state,
                       const struct report_choice *choices, size_t count)
{
    *build = (struct report_build){.state = state,
                                   .choices = choices,
                                   .count = count,
                                   .has_objects = state->files[0]->model->kind == MODEL_OBJECTS,
                                   .weighings = calloc(count, sizeof *build->weighings)};
    symbols_init(&build->symbols, GRAIN_LINE);
    if (!build->weighings || !stack_trie_init(&build->tree))
        return false;
    build->left_out_symbol = symbols_number_of(&build->symbols, own(build, "<left out>"), NULL);
    return build->left_out_symbol != SYMBOL_NONE;
}

bool report_build_finish(struct report_build *build, uint32_t nodes)
{
    bool done = prune(build, nodes);
    for (size_t i = 0; done && i < build->count; i++)
        done = merge_entries(build, &build->weighings[i].now) &&
               merge_entries(build, &build->weighings[i].before);
    return done;
}

void report_build_release(struct report_build *build)
{
    for (size_t i = 0; build->weighings && i < build->count; i++) {
        free(build->weighings[i].now.entries);
        free(build->weighings[i].before.entries);
    }
    free(build->weighings);
    free(build->locations);
    free(build->modules);
    library_symbols_release(&build->libraries);
    stack_trie_release(&build->tree);
    symbols_release(&build->symbols);
    names_release(&build->names);
}
