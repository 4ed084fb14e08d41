/* What a stack had alive at most takes births and deaths in their order: rows stand in the order of
 * birth, deaths are sorted. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "export/json.h"
#include "export/stack_lines.h"

/* A stack's figures: a "program point". */
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
};

struct dhat {
    const struct matcher *matcher;
    const struct model *model;
    struct stack_view view;
    struct point *points; /* by stack of the model */
    struct death *deaths;
    size_t death_count;
};

static int compare_deaths(const void *left, const void *right)
{
    const struct death *a = left, *b = right;
    return a->us < b->us ? -1 : a->us > b->us ? 1 : a->row < b->row ? -1 : a->row > b->row;
}

static void figures_of(const struct dhat *dhat, size_t row, double *bytes, double *blocks)
{
    const struct model_shape *shape = &dhat->model->shapes[dhat->model->objects.shape[row]];
    *bytes = estimate_bytes(&dhat->model->estimate, (double)shape->samples);
    *blocks = shape->density / dhat->model->estimate.sample_rate;
}

static void bury(const struct dhat *dhat, size_t row)
{
    double bytes, blocks;
    struct point *point = &dhat->points[dhat->model->objects.stack[row]];
    figures_of(dhat, row, &bytes, &blocks);
    point->now_bytes -= bytes;
    point->now_blocks -= blocks;
}

static void bear(const struct dhat *dhat, size_t row, const struct matcher_life *life)
{
    double bytes, blocks;
    struct point *point = &dhat->points[dhat->model->objects.stack[row]];
    bool is_alive = life->died_us == MODEL_NEVER;
    int64_t end_us = is_alive ? dhat->model->end_us : life->died_us;
    figures_of(dhat, row, &bytes, &blocks);
    point->bytes += bytes;
    point->blocks += blocks;
    point->lifetime_us += blocks * (double)(end_us - life->born_us);
    point->now_bytes += bytes;
    point->now_blocks += blocks;
    if (point->now_bytes > point->most_bytes) {
        point->most_bytes = point->now_bytes;
        point->most_blocks = point->now_blocks;
    }
    if (life->born_us <= dhat->model->peak_us && life->died_us > dhat->model->peak_us) {
        point->peak_bytes += bytes;
        point->peak_blocks += blocks;
    }
    point->end_bytes += is_alive ? bytes : 0;
    point->end_blocks += is_alive ? blocks : 0;
}

static void sum_up(struct dhat *dhat)
{
    struct matcher_life life;
    size_t next = 0;
    for (size_t row = 0; row < dhat->model->objects.count; row++)
        if (matcher_object(dhat->matcher, row, &life) && life.died_us != MODEL_NEVER)
            dhat->deaths[dhat->death_count++] = (struct death){life.died_us, row};
    if (dhat->death_count > 1)
        qsort(dhat->deaths, dhat->death_count, sizeof *dhat->deaths, compare_deaths);
    for (size_t row = 0; row < dhat->model->objects.count; row++) {
        if (!matcher_object(dhat->matcher, row, &life))
            continue;
        while (next < dhat->death_count && dhat->deaths[next].us <= life.born_us &&
               dhat->deaths[next].row < row)
            bury(dhat, dhat->deaths[next++].row);
        bear(dhat, row, &life);
    }
}

static void put_number(struct json *json, const char *key, double value)
{
    json_put_double(json, key, round(fmax(value, 0)));
}

static bool put_frames(struct json *json, const struct dhat *dhat, struct frame_symbols *frames,
                       uint32_t end)
{
    const struct stack_node *nodes = dhat->view.trie->nodes;
    json_key(json, "fs");
    json_array(json);
    for (uint32_t node = end; node != STACK_ROOT; node = nodes[node].parent) {
        size_t count;
        const uint32_t *symbols = frame_symbols_of(frames, nodes[node].frame, &count);
        if (!symbols)
            return false;
        while (count-- > 0)
            json_uint(json, symbols[count] + 1);
    }
    json_end(json);
    return true;
}

static bool put_points(struct json *json, const struct dhat *dhat, struct frame_symbols *frames)
{
    bool done = true;
    json_key(json, "pps");
    json_array(json);
    for (uint32_t i = 0; done && i < dhat->model->trie.stack_count; i++) {
        const struct point *point = &dhat->points[i];
        if (point->bytes == 0 || dhat->view.ends[i] == STACK_NONE)
            continue;
        json_object(json);
        put_number(json, "tb", point->bytes);
        put_number(json, "tbk", point->blocks);
        put_number(json, "tl", point->lifetime_us);
        put_number(json, "mb", point->most_bytes);
        put_number(json, "mbk", point->most_blocks);
        put_number(json, "gb", point->peak_bytes);
        put_number(json, "gbk", point->peak_blocks);
        put_number(json, "eb", point->end_bytes);
        put_number(json, "ebk", point->end_blocks);
        done = put_frames(json, dhat, frames, dhat->view.ends[i]);
        if (done)
            json_end(json);
    }
    if (done)
        json_end(json);
    return done;
}

static void put_names(struct json *json, const struct symbols *symbols)
{
    char text[1024];
    json_key(json, "ftbl");
    json_array(json);
    json_string(json, "[root]");
    for (size_t i = 0; i < symbols->count; i++) {
        const struct symbol *symbol = &symbols->items[i];
        if (symbol->function && symbol->file && *symbol->file && symbol->line > 0)
            snprintf(text, sizeof text, "%s (%s:%" PRIu32 ")", symbol->function, symbol->file,
                     symbol->line);
        else
            snprintf(text, sizeof text, "%s", symbol_name(symbol));
        json_string(json, text);
    }
    json_end(json);
}

static bool print(const struct dhat *dhat, const struct export_head *head, FILE *file)
{
    struct json json;
    struct symbols symbols;
    struct frame_symbols frames;
    symbols_init(&symbols, head->grain);
    bool done = frame_symbols_init(&frames, &dhat->view.frames, &symbols);
    frames.no_inlines = head->no_inlines;
    if (done) {
        json_init_compact(&json, file);
        json_object(&json);
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
        json_put_int(&json, "tg", dhat->model->peak_us);
        done = put_points(&json, dhat, &frames);
        if (done) {
            put_names(&json, &symbols);
            json_end(&json);
        }
        frame_symbols_release(&frames);
    }
    symbols_release(&symbols);
    return done;
}

bool dhat_print(const struct matcher *matcher, const struct filter *filter,
                const struct export_head *head, FILE *file)
{
    const struct model *model = matcher->model;
    struct dhat dhat = {.matcher = matcher, .model = model};
    if (!stack_view_init(&dhat.view, model, filter))
        return false;
    dhat.points = calloc(model->trie.stack_count + 1, sizeof *dhat.points);
    dhat.deaths = malloc((model->objects.count + 1) * sizeof *dhat.deaths);
    bool done = dhat.points && dhat.deaths;
    if (done) {
        sum_up(&dhat);
        done = print(&dhat, head, file);
    }
    free(dhat.points);
    free(dhat.deaths);
    stack_view_release(&dhat.view);
    return done;
}
