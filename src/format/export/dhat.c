/* What a stack had alive at most takes births and deaths in their order: rows stand in the order of
 * birth, deaths are sorted.
 *
 * dh_view takes no stack twice, so stacks that are told by the same names are one. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "answer/json.h"
#include "format/export/stack_lines.h"
#include "spec/own_member.h"

/* The figures of a stack of names: a "program point". */
struct point {
    double bytes, blocks, lifetime_us;
    double now_bytes, now_blocks;
    double most_bytes, most_blocks;
    double peak_bytes, peak_blocks;
    double end_bytes, end_blocks;
};

struct death {
    int64_t us;
    size_t row;
    unsigned halves;
};

struct dhat {
    const struct matcher *matcher;
    const struct model *model;
    struct stack_view view;
    struct symbols symbols;
    struct stack_trie stacks; /* of symbols */
    uint32_t *stack_of;       /* by stack of the model: that of symbols, or STACK_NONE */
    struct point *points;     /* by stack of symbols */
    struct death *deaths;
    size_t death_count;
};

static int compare_deaths(const void *left, const void *right)
{
    const struct death *a = left, *b = right;
    return a->us < b->us ? -1 : a->us > b->us ? 1 : a->row < b->row ? -1 : a->row > b->row;
}

/* ---- Stacks of names ------------------------------------------------------------------- */

/* The node for a frame below `node`, through its inlined functions; STACK_NONE without memory. */
static uint32_t push_frame(struct dhat *dhat, struct frame_symbols *frames, uint32_t node,
                           uint32_t frame)
{
    size_t count;
    const uint32_t *symbols = frame_symbols_of(frames, frame, &count);
    for (size_t i = 0; symbols && i < count && node != STACK_NONE; i++)
        node = stack_trie_child(&dhat->stacks, node, symbols[i]);
    return symbols ? node : STACK_NONE;
}

static bool name_nodes(struct dhat *dhat, struct frame_symbols *frames, uint32_t *named)
{
    const struct stack_trie *trie = dhat->view.trie;
    named[STACK_ROOT] = STACK_ROOT;
    for (uint32_t node = 1; node < trie->count; node++) {
        const struct stack_node *at = &trie->nodes[node];
        named[node] = push_frame(dhat, frames, named[at->parent], at->frame);
        if (named[node] == STACK_NONE)
            return false;
    }
    return true;
}

static bool name_stacks(struct dhat *dhat, bool no_inlines)
{
    struct frame_symbols frames;
    uint32_t *named = malloc(dhat->view.trie->count * sizeof *named);
    bool done = named && frame_symbols_init(&frames, &dhat->view.frames, &dhat->symbols);
    if (done) {
        frames.no_inlines = no_inlines;
        done = name_nodes(dhat, &frames, named);
        frame_symbols_release(&frames);
    }
    for (uint32_t i = 0; done && i < dhat->model->trie.stack_count; i++) {
        uint32_t end = dhat->view.ends[i];
        dhat->stack_of[i] =
            end == STACK_NONE ? STACK_NONE : stack_trie_stack(&dhat->stacks, named[end]);
        done = end == STACK_NONE || dhat->stack_of[i] != STACK_NONE;
    }
    free(named);
    return done;
}

/* ---- Figures --------------------------------------------------------------------------- */

/* NULL where the filter leaves nothing of the object's stack. */
static struct point *point_of(const struct dhat *dhat, size_t row)
{
    uint32_t stack = dhat->stack_of[dhat->model->objects.stack[row]];
    return stack == STACK_NONE ? NULL : &dhat->points[stack];
}

static void figures_of(const struct dhat *dhat, size_t row, unsigned halves, double *bytes,
                       double *blocks)
{
    const struct model_shape *shape = &dhat->model->shapes[dhat->model->objects.shape[row]];
    *bytes = estimate_bytes(&dhat->model->estimate, (double)model_shape_samples(shape, halves));
    *blocks = model_shape_density(shape, halves) / dhat->model->estimate.sample_rate;
}

static void bury(const struct dhat *dhat, const struct death *death)
{
    double bytes, blocks;
    struct point *point = point_of(dhat, death->row);
    if (!point)
        return;
    figures_of(dhat, death->row, death->halves, &bytes, &blocks);
    point->now_bytes -= bytes;
    point->now_blocks -= blocks;
}

static void bear(const struct dhat *dhat, size_t row, const struct matcher_life *life)
{
    double bytes, blocks;
    struct point *point = point_of(dhat, row);
    int64_t end_us = matcher_end_us(dhat->model, life);
    if (!point)
        return;
    figures_of(dhat, row, life->halves, &bytes, &blocks);
    point->bytes += bytes;
    point->blocks += blocks;
    point->lifetime_us += blocks * (double)(end_us - life->born_us);
    point->now_bytes += bytes;
    point->now_blocks += blocks;
    if (point->now_bytes > point->most_bytes) {
        point->most_bytes = point->now_bytes;
        point->most_blocks = point->now_blocks;
    }
    point->end_bytes += life->is_left ? bytes : 0;
    point->end_blocks += life->is_left ? blocks : 0;
    figures_of(dhat, row, life->halves & matcher_halves_at_peak(dhat->model, life), &bytes,
               &blocks);
    point->peak_bytes += bytes;
    point->peak_blocks += blocks;
}

static void sum_up(struct dhat *dhat)
{
    struct matcher_life life;
    size_t next = 0;
    for (size_t row = 0; row < dhat->model->objects.count; row++)
        if (matcher_object(dhat->matcher, row, &life) && life.died_us != MODEL_NEVER)
            dhat->deaths[dhat->death_count++] = (struct death){life.died_us, row, life.halves};
    if (dhat->death_count > 1)
        qsort(dhat->deaths, dhat->death_count, sizeof *dhat->deaths, compare_deaths);
    for (size_t row = 0; row < dhat->model->objects.count; row++) {
        if (!matcher_object(dhat->matcher, row, &life))
            continue;
        while (next < dhat->death_count && dhat->deaths[next].us <= life.born_us &&
               dhat->deaths[next].row < row)
            bury(dhat, &dhat->deaths[next++]);
        bear(dhat, row, &life);
    }
}

/* What rounding has left over of a figure of the points so far goes to the next, so that their sum is right. */
static void put_number(struct json *json, const char *key, double value, double *carry)
{
    double exact = value + *carry, whole = round(fmax(exact, 0));
    *carry = exact - whole;
    json_put_double(json, key, whole);
}

/* ---- Output ---------------------------------------------------------------------------- */

static void put_frames(struct json *json, const struct dhat *dhat, uint32_t stack)
{
    const struct stack_node *nodes = dhat->stacks.nodes;
    json_key(json, "fs");
    json_begin_array(json);
    for (uint32_t node = dhat->stacks.ends[stack]; node != STACK_ROOT; node = nodes[node].parent)
        json_uint(json, nodes[node].frame + 1);
    json_end(json);
}

static void put_points(struct json *json, const struct dhat *dhat)
{
    struct point left = {0}; /* by rounding, over all points */
    json_key(json, "pps");
    json_begin_array(json);
    for (uint32_t i = 0; i < dhat->stacks.stack_count; i++) {
        const struct point *point = &dhat->points[i];
        if (point->bytes == 0)
            continue;
        left.most_bytes = left.most_blocks = 0; /* these are not added up */
        json_begin_object(json);
        put_number(json, "tb", point->bytes, &left.bytes);
        put_number(json, "tbk", point->blocks, &left.blocks);
        put_number(json, "tl", point->lifetime_us, &left.lifetime_us);
        put_number(json, "mb", point->most_bytes, &left.most_bytes);
        put_number(json, "mbk", point->most_blocks, &left.most_blocks);
        put_number(json, "gb", point->peak_bytes, &left.peak_bytes);
        put_number(json, "gbk", point->peak_blocks, &left.peak_blocks);
        put_number(json, "eb", point->end_bytes, &left.end_bytes);
        put_number(json, "ebk", point->end_blocks, &left.end_blocks);
        put_frames(json, dhat, i);
        json_end(json);
    }
    json_end(json);
}

static void put_names(struct json *json, const struct symbols *symbols)
{
    char text[1024];
    json_key(json, "ftbl");
    json_begin_array(json);
    json_text(json, "[root]");
    for (size_t i = 0; i < symbols->count; i++) {
        const struct symbol *symbol = &symbols->items[i];
        if (symbol->function && symbol->file && *symbol->file && symbol->line > 0)
            snprintf(text, sizeof text, "%s (%s:%" PRIu32 ")", symbol->function, symbol->file,
                     symbol->line);
        else
            snprintf(text, sizeof text, "%s", symbol_name(symbol));
        json_text(json, text);
    }
    json_end(json);
}

static void print(const struct dhat *dhat, const struct export_head *head, FILE *file)
{
    struct json json;
    json_init_compact(&json, file);
    json_begin_object(&json);
    json_put_uint(&json, "dhatFileVersion", 2);
    json_put_string(&json, "mode", "heap");
    json_put_string(&json, "verb", "Allocated");
    json_put_bool(&json, "bklt", true);
    json_put_bool(&json, "bkacc", false);
    json_put_string(&json, "tu", "\xc2\xb5s");
    json_put_string(&json, "Mtu", "s");
    json_put_uint(&json, "tuth", 10);
    json_put_string(&json, "cmd", *head->command ? head->command : head->name);
    json_put_uint(&json, "pid", dhat->model->info.pid);
    json_put_int(&json, "te", dhat->model->end_us);
    json_put_int(&json, "tg", dhat->model->peak.time_us);
    put_points(&json, dhat);
    put_names(&json, &dhat->symbols);
    json_key(&json, OWN_MEMBER);
    export_put_own_member(&json, head);
    json_end(&json);
}

static bool prepare(struct dhat *dhat, bool no_inlines)
{
    const struct model *model = dhat->model;
    dhat->stack_of = malloc((model->trie.stack_count + 1) * sizeof *dhat->stack_of);
    dhat->deaths = malloc((model->objects.count + 1) * sizeof *dhat->deaths);
    if (!dhat->stack_of || !dhat->deaths || !name_stacks(dhat, no_inlines))
        return false;
    dhat->points = calloc(dhat->stacks.stack_count + 1, sizeof *dhat->points);
    return dhat->points;
}

bool dhat_print(const struct matcher *matcher, const struct filter *filter,
                const struct export_head *head, FILE *file)
{
    struct dhat dhat = {.matcher = matcher, .model = matcher->model};
    if (!stack_trie_init(&dhat.stacks))
        return false;
    bool done = stack_view_init(&dhat.view, dhat.model, filter, NULL);
    if (done) {
        symbols_init(&dhat.symbols, head->grain);
        done = prepare(&dhat, head->no_inlines);
        if (done) {
            sum_up(&dhat);
            print(&dhat, head, file);
        }
        free(dhat.stack_of);
        free(dhat.points);
        free(dhat.deaths);
        symbols_release(&dhat.symbols);
        stack_view_release(&dhat.view);
    }
    stack_trie_release(&dhat.stacks);
    return done;
}
