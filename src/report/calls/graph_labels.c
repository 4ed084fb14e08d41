/* Rows are summed up by stack and set of labels first; then each stack is walked once, and each
 * function on it gets all of the stack's sets. */
#include "report/calls/graph_labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/stack_view.h"
#include "base/array.h"
#include "base/measure.h"
#include "base/text.h"

/* A box without its function. */
struct kind {
    const char *group, *name, *unit;
    double value;
    bool is_number;
};

/* Kinds that rows have together. */
struct set {
    uint32_t first, count; /* in set_kinds */
};

struct row {
    uint32_t end; /* node of the trie */
    uint32_t set;
    double value;
};

/* What a function has of a kind. */
struct sum {
    uint32_t symbol, kind;
    double flat, cum;
};

struct build {
    struct graph_labels *labels;
    const struct model *model;
    const struct graph_labels_options *options;
    const struct stack_trie *trie;
    const uint32_t *ends; /* by stack of the model: node of the trie, or STACK_NONE */
    struct frame_symbols frames;
    struct symbols symbols;
    struct kind *kinds;
    size_t kind_count, kind_capacity;
    struct map kind_by_text;
    double *kind_weights; /* by kind: of all rows, whatever their sign */
    struct set *sets;
    size_t set_count, set_capacity;
    uint32_t *set_kinds;
    size_t set_kind_count, set_kind_capacity;
    struct map set_by_key; /* label set of the model, or size of a block, -> set */
    struct row *rows;
    size_t row_count, row_capacity;
    struct map row_by_key;
    struct sum *sums;
    size_t sum_count, sum_capacity;
    struct map sum_by_key;
    uint32_t *stamps; /* by symbol: the node at which a stack ends that was last counted there */
    size_t stamp_count, stamp_capacity;
};

/* ---- Kinds and sets ------------------------------------------------------------------- */

/* The index of a kind, perhaps a new one; MODEL_NONE when there is no memory.  Texts are interned,
 * so that a kind is told by its pointers. */
static uint32_t kind_number(struct build *build, const struct kind *kind)
{
    bool fresh;
    uint64_t key = (uint64_t)(uintptr_t)kind->name * UINT64_C(0x9e3779b97f4a7c15) ^
                   (uint64_t)(uintptr_t)kind->group << 1 ^ (uint64_t)kind->is_number;
    uint32_t *number = map_put(&build->kind_by_text, key, (uint32_t)build->kind_count, &fresh);
    if (!number || !ARRAY_RESERVE(&build->kinds, &build->kind_capacity, build->kind_count + 1))
        return MODEL_NONE;
    if (fresh)
        build->kinds[build->kind_count++] = *kind;
    return *number;
}

static bool add_kind(struct build *build, const char *group, const char *name, const char *unit,
                     double value)
{
    struct kind kind = {group, name, unit ? unit : "", value, unit != NULL};
    uint32_t number = name ? kind_number(build, &kind) : MODEL_NONE;
    if (number == MODEL_NONE ||
        !ARRAY_RESERVE(&build->set_kinds, &build->set_kind_capacity, build->set_kind_count + 1))
        return false;
    build->set_kinds[build->set_kind_count++] = number;
    return true;
}

static const char *number_name(struct build *build, double value, const char *unit)
{
    char text[MEASURE_TEXT_BYTES];
    measure_text(text, value, unit, "minimum");
    return names_copy(&build->labels->names, text);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* "key:value" of all text labels, sorted and joined. */
static const char *group_of(struct build *build, const struct model_label *labels, size_t count)
{
    char **parts = calloc(count + 1, sizeof *parts);
    struct text text = {0};
    size_t used = 0;
    const char *group = NULL;
    for (size_t i = 0; parts && i < count; i++)
        if (labels[i].text && asprintf(&parts[used], "%s:%s", labels[i].key, labels[i].text) >= 0)
            used++;
    if (parts && used > 1)
        qsort(parts, used, sizeof *parts, compare_texts);
    for (size_t i = 0; i < used; i++) {
        text_put_string(&text, i > 0 ? "\\n" : "");
        text_put_string(&text, parts[i]);
        free(parts[i]);
    }
    if (parts && !text.failed)
        group = names_intern(&build->labels->names, text.bytes ? text.bytes : "", text.size);
    text_release(&text);
    free(parts);
    return group;
}

static bool add_label_kinds(struct build *build, const struct model_label *labels, size_t count)
{
    const char *group = group_of(build, labels, count);
    if (!group || (*group && !add_kind(build, group, group, NULL, 0)))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct model_label *label = &labels[i];
        const char *unit = *label->unit ? label->unit : "bytes";
        if (!label->text && strcmp(label->key, "bytes") == 0 &&
            !add_kind(build, group, number_name(build, (double)label->number, unit), unit,
                      (double)label->number))
            return false;
    }
    return true;
}

/* The set of a row's labels: of the model's label set, or of a block's size. */
static uint32_t set_number(struct build *build, uint64_t key)
{
    const struct model *model = build->model;
    bool fresh;
    uint32_t *number = map_put(&build->set_by_key, key, (uint32_t)build->set_count, &fresh);
    if (!number || !ARRAY_RESERVE(&build->sets, &build->set_capacity, build->set_count + 1))
        return MODEL_NONE;
    if (!fresh)
        return *number;
    uint32_t result = *number;
    struct set *set = &build->sets[build->set_count++];
    *set = (struct set){.first = (uint32_t)build->set_kind_count};
    bool done;
    if (model->kind == MODEL_SAMPLES) {
        const struct model_label_set *labels = &model->samples.sets[key];
        done = add_label_kinds(build, model->samples.label + labels->first, labels->count);
    } else {
        double bytes = (double)key * model->estimate.word_bytes;
        const char *none = names_intern(&build->labels->names, "", 0);
        done = none && add_kind(build, none, number_name(build, bytes, "bytes"), "bytes", bytes);
    }
    set->count = (uint32_t)build->set_kind_count - set->first;
    return done ? result : MODEL_NONE;
}

/* ---- Rows ------------------------------------------------------------------------------ */

static bool add_row(struct build *build, uint32_t stack, uint64_t key, double value)
{
    bool fresh;
    uint32_t end = build->ends[stack];
    uint32_t set = end == STACK_NONE || value == 0 ? MODEL_NONE : set_number(build, key);
    if (end == STACK_NONE || value == 0)
        return true;
    if (set == MODEL_NONE)
        return false;
    if (build->sets[set].count == 0)
        return true;
    uint32_t *number =
        map_put(&build->row_by_key, (uint64_t)end << 32 | set, (uint32_t)build->row_count, &fresh);
    if (!number || !ARRAY_RESERVE(&build->rows, &build->row_capacity, build->row_count + 1))
        return false;
    if (fresh)
        build->rows[build->row_count++] = (struct row){.end = end, .set = set};
    build->rows[*number].value += value;
    return true;
}

static bool add_sample_rows(struct build *build, const struct matcher *matcher)
{
    const struct model_samples *samples = &build->model->samples;
    size_t type = build->options->selection->value_type;
    for (size_t i = 0; i < samples->count; i++)
        if (matcher_sample(matcher, i) &&
            !add_row(build, samples->stack[i], samples->labels[i],
                     (double)samples->values[i * samples->type_count + type]))
            return false;
    return true;
}

static double weight_of(const struct build *build, const struct model_shape *shape, unsigned halves)
{
    const struct estimate *estimate = &build->model->estimate;
    switch (build->options->graph->weight) {
    case WEIGHT_SAMPLES:
        return (double)model_shape_samples(shape, halves);
    case WEIGHT_OBJECTS:
        return model_shape_density(shape, halves) / estimate->sample_rate;
    default:
        return estimate_bytes(estimate, (double)model_shape_samples(shape, halves));
    }
}

static bool add_object_rows(struct build *build, const struct matcher *matcher)
{
    const struct model *model = build->model;
    struct matcher_life life;
    for (size_t i = 0; i < model->objects.count; i++) {
        const struct model_shape *shape = &model->shapes[model->objects.shape[i]];
        if (matcher_object(matcher, i, &life) &&
            selection_counts(build->options->selection->quantity, matcher, i, &life) &&
            !add_row(build, model->objects.stack[i], shape->words,
                     model_row_blocks(model, i) * weight_of(build, shape, life.halves)))
            return false;
    }
    return true;
}

/* ---- Sums ------------------------------------------------------------------------------ */

static bool add_to_box(struct build *build, uint32_t symbol, uint32_t kind, double flat, double cum)
{
    bool fresh;
    uint32_t *number = map_put(&build->sum_by_key, (uint64_t)symbol << 32 | kind,
                               (uint32_t)build->sum_count, &fresh);
    if (!number || !ARRAY_RESERVE(&build->sums, &build->sum_capacity, build->sum_count + 1))
        return false;
    if (fresh)
        build->sums[build->sum_count++] = (struct sum){.symbol = symbol, .kind = kind};
    build->sums[*number].flat += flat;
    build->sums[*number].cum += cum;
    return true;
}

/* By kind, what no function can have more of. */
static bool weigh_kinds(struct build *build)
{
    build->kind_weights = calloc(build->kind_count + 1, sizeof *build->kind_weights);
    for (size_t i = 0; build->kind_weights && i < build->row_count; i++) {
        const struct set *set = &build->sets[build->rows[i].set];
        for (uint32_t j = 0; j < set->count; j++)
            build->kind_weights[build->set_kinds[set->first + j]] += fabs(build->rows[i].value);
    }
    return build->kind_weights;
}

/* Can a function have so much of a kind that it is drawn?  Most sizes are too rare for that anywhere. */
static bool is_drawable(const struct build *build, uint32_t kind)
{
    const double rounding = 1e-9;
    return build->kind_weights[kind] >= build->labels->cutoff * (1 - rounding);
}

/* The rows from `row` on that have its stack, for one function on it. */
static bool add_rows_to(struct build *build, uint32_t symbol, const struct row *row, size_t count,
                        bool is_leaf)
{
    for (size_t i = 0; i < count; i++) {
        const struct set *set = &build->sets[row[i].set];
        for (uint32_t j = 0; j < set->count; j++) {
            uint32_t kind = build->set_kinds[set->first + j];
            if (is_drawable(build, kind) &&
                !add_to_box(build, symbol, kind, is_leaf ? row[i].value : 0,
                            is_leaf ? 0 : row[i].value))
                return false;
        }
    }
    return true;
}

static bool reach_stamps(struct build *build)
{
    size_t needed = build->symbols.count;
    if (!ARRAY_RESERVE(&build->stamps, &build->stamp_capacity, needed))
        return false;
    for (; build->stamp_count < needed; build->stamp_count++)
        build->stamps[build->stamp_count] = STACK_NONE;
    return true;
}

/* All functions of a stack, the innermost first; each once. */
static bool walk(struct build *build, const struct row *row, size_t count)
{
    const struct stack_node *nodes = build->trie->nodes;
    bool is_leaf = true;
    for (uint32_t node = row->end; node != STACK_ROOT; node = nodes[node].parent) {
        size_t symbol_count;
        const uint32_t *symbols =
            frame_symbols_of(&build->frames, nodes[node].frame, &symbol_count);
        if (!symbols || !reach_stamps(build))
            return false;
        while (symbol_count-- > 0) {
            uint32_t symbol = symbols[symbol_count];
            if (is_leaf && !add_rows_to(build, symbol, row, count, true))
                return false;
            is_leaf = false;
            if (build->stamps[symbol] == row->end)
                continue;
            build->stamps[symbol] = row->end;
            if (!add_rows_to(build, symbol, row, count, false))
                return false;
        }
    }
    return true;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    return a->end < b->end ? -1 : a->end > b->end ? 1 : a->set < b->set ? -1 : a->set > b->set;
}

static bool sum_up(struct build *build)
{
    size_t next;
    map_release(&build->row_by_key); /* it is not needed any more */
    if (!weigh_kinds(build))
        return false;
    if (build->row_count > 0)
        qsort(build->rows, build->row_count, sizeof *build->rows, compare_rows);
    for (size_t i = 0; i < build->row_count; i = next) {
        for (next = i; next < build->row_count && build->rows[next].end == build->rows[i].end;)
            next++;
        if (!walk(build, &build->rows[i], next - i))
            return false;
    }
    return true;
}

/* ---- The result ------------------------------------------------------------------------ */

static int compare_sums(const void *left, const void *right)
{
    const struct sum *a = left, *b = right;
    return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static uint64_t name_key(const char *name)
{
    return (uint64_t)(uintptr_t)name;
}

static bool add_place(struct build *build, uint32_t symbol, uint32_t first)
{
    struct graph_labels *labels = build->labels;
    bool fresh;
    const char *name = call_graph_name(&labels->names, &build->symbols.items[symbol]);
    if (!name || !map_put(&labels->by_name, name_key(name), (uint32_t)labels->place_count, &fresh))
        return false;
    labels->place_names[labels->place_count] = name;
    labels->places[labels->place_count++] =
        (struct graph_labels_place){first, (uint32_t)labels->count - first};
    return true;
}

static bool is_kept(const struct graph_labels *labels, const struct sum *sum)
{
    return fabs(sum->flat) >= labels->cutoff || fabs(sum->cum) >= labels->cutoff;
}

static bool keep_box(struct build *build, const struct sum *sum)
{
    struct graph_labels *labels = build->labels;
    const struct kind *of = &build->kinds[sum->kind];
    if (!ARRAY_RESERVE(&labels->boxes, &labels->capacity, labels->count + 1))
        return false;
    labels->boxes[labels->count++] = (struct label_box){
        of->group, of->name, of->unit, of->value, of->is_number, sum->flat, sum->cum};
    return true;
}

/* Moves the sums that are large enough to the boxes, by function. */
static bool keep_boxes(struct build *build)
{
    struct graph_labels *labels = build->labels;
    labels->places = calloc(build->symbols.count + 1, sizeof *labels->places);
    labels->place_names = calloc(build->symbols.count + 1, sizeof *labels->place_names);
    map_release(&build->sum_by_key);
    if (!labels->places || !labels->place_names)
        return false;
    if (build->sum_count > 0)
        qsort(build->sums, build->sum_count, sizeof *build->sums, compare_sums);
    for (size_t i = 0; i < build->sum_count;) {
        uint32_t symbol = build->sums[i].symbol, first = (uint32_t)labels->count;
        for (; i < build->sum_count && build->sums[i].symbol == symbol; i++)
            if (is_kept(labels, &build->sums[i]) && !keep_box(build, &build->sums[i]))
                return false;
        if (!add_place(build, symbol, first))
            return false;
    }
    return true;
}

static bool build_labels(struct build *build, const struct matcher *matcher)
{
    bool done = build->model->kind == MODEL_SAMPLES ? add_sample_rows(build, matcher)
                                                    : add_object_rows(build, matcher);
    return done && sum_up(build) && keep_boxes(build);
}

static void build_release(struct build *build)
{
    frame_symbols_release(&build->frames);
    symbols_release(&build->symbols);
    map_release(&build->kind_by_text);
    map_release(&build->set_by_key);
    map_release(&build->row_by_key);
    map_release(&build->sum_by_key);
    free(build->kinds);
    free(build->kind_weights);
    free(build->sets);
    free(build->set_kinds);
    free(build->rows);
    free(build->sums);
    free(build->stamps);
}

static bool build_with(struct build *build, const struct matcher *matcher,
                       const struct frame_source *source)
{
    symbols_init(&build->symbols, build->options->graph->grain);
    bool done = frame_symbols_init(&build->frames, source, &build->symbols);
    build->frames.by_module = true;
    build->frames.no_inlines = build->options->graph->no_inlines;
    done = done && build_labels(build, matcher);
    build_release(build);
    return done;
}

bool graph_labels_init(struct graph_labels *labels, const struct matcher *matcher,
                       const struct filter *filter, const struct graph_labels_options *options)
{
    struct build build = {.labels = labels, .model = matcher->model, .options = options};
    *labels = (struct graph_labels){
        .cutoff = fabs(trunc(options->total * options->graph->node_fraction))};
    struct stack_view view;
    bool done = stack_view_init(&view, matcher->model, filter, NULL);
    if (done) {
        build.trie = view.trie;
        build.ends = view.ends;
        done = build_with(&build, matcher, &view.frames);
        stack_view_release(&view);
    }
    if (!done)
        graph_labels_release(labels);
    return done;
}

void graph_labels_release(struct graph_labels *labels)
{
    names_release(&labels->names);
    map_release(&labels->by_name);
    free(labels->boxes);
    free(labels->places);
    free(labels->place_names);
    *labels = (struct graph_labels){0};
}

/* ---- Looking at it --------------------------------------------------------------------- */

const struct label_box *graph_labels_of(const struct graph_labels *labels, const char *name,
                                        size_t *count)
{
    *count = 0;
    const char *mine = names_copy((struct names *)&labels->names, name);
    const uint32_t *place = mine ? map_find(&labels->by_name, name_key(mine)) : NULL;
    if (!place)
        return NULL;
    *count = labels->places[*place].count;
    return labels->boxes + labels->places[*place].first;
}

size_t graph_labels_count(void *context, uint32_t symbol)
{
    struct graph_labels *labels = context;
    size_t count, used = 0;
    const char *name = call_graph_name(&labels->names, &labels->graph->symbols.items[symbol]);
    const struct label_box *boxes = name ? graph_labels_of(labels, name, &count) : NULL;
    for (size_t i = 0; boxes && i < count; i++)
        used += boxes[i].flat != 0;
    return used < GRAPH_BOXES_MAX ? used : GRAPH_BOXES_MAX;
}
