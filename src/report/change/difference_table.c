#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/change/difference.h"
#include "base/array.h"

struct summing {
    struct difference_table *table;
    const struct model *model;
    struct frame_symbols frames;
    uint32_t *stamps; /* by symbol: the row of samples that was last counted there */
    size_t stamp_count, stamp_capacity;
};

static bool reach_rows(struct summing *summing)
{
    struct difference_table *table = summing->table;
    size_t needed = table->symbols.count;
    if (!ARRAY_RESERVE(&table->rows, &table->capacity, needed) ||
        !ARRAY_RESERVE(&summing->stamps, &summing->stamp_capacity, needed))
        return false;
    for (; table->count < needed; table->count++) {
        table->rows[table->count] = (struct difference_row){.symbol = (uint32_t)table->count};
        summing->stamps[table->count] = MODEL_NONE;
    }
    return true;
}

static bool add_sample(struct summing *summing, uint32_t sample)
{
    const struct model_samples *samples = &summing->model->samples;
    const struct stack_trie *trie = &summing->model->trie;
    const int64_t *values = &samples->values[(size_t)sample * DIFFERENCE_TYPES];
    bool is_leaf = true;
    for (uint32_t node = trie->ends[samples->stack[sample]]; node != STACK_ROOT;
         node = trie->nodes[node].parent) {
        size_t count;
        const uint32_t *symbols =
            frame_symbols_of(&summing->frames, trie->nodes[node].frame, &count);
        if (!symbols || !reach_rows(summing))
            return false;
        while (count-- > 0) {
            struct difference_row *row = &summing->table->rows[symbols[count]];
            row->base_flat += is_leaf ? (double)values[DIFFERENCE_BASE] : 0;
            row->new_flat += is_leaf ? (double)values[DIFFERENCE_NEW] : 0;
            row->base_flat_samples += is_leaf ? (double)values[DIFFERENCE_BASE_SAMPLES] : 0;
            row->new_flat_samples += is_leaf ? (double)values[DIFFERENCE_NEW_SAMPLES] : 0;
            is_leaf = false;
            if (summing->stamps[symbols[count]] == sample)
                continue;
            summing->stamps[symbols[count]] = sample;
            row->base_cum += (double)values[DIFFERENCE_BASE];
            row->new_cum += (double)values[DIFFERENCE_NEW];
            row->base_cum_samples += (double)values[DIFFERENCE_BASE_SAMPLES];
            row->new_cum_samples += (double)values[DIFFERENCE_NEW_SAMPLES];
        }
    }
    return true;
}

/* The larger first. */
static int compare_changes(double a, double b)
{
    return fabs(a) > fabs(b) ? -1 : fabs(a) < fabs(b);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct difference_row *a = left, *b = right;
    const struct difference_table *table = context;
    const struct symbols *symbols = &table->symbols;
    int by_flat = compare_changes(a->new_flat - a->base_flat, b->new_flat - b->base_flat);
    int by_cum = compare_changes(a->new_cum - a->base_cum, b->new_cum - b->base_cum);
    if (by_flat || by_cum)
        return table->by_cum ? (by_cum ? by_cum : by_flat) : by_flat ? by_flat : by_cum;
    int order =
        strcmp(symbol_name(&symbols->items[a->symbol]), symbol_name(&symbols->items[b->symbol]));
    return order ? order : a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static bool sum_up(struct summing *summing)
{
    struct difference_table *table = summing->table;
    const struct model_samples *samples = &summing->model->samples;
    for (uint32_t i = 0; i < samples->count; i++) {
        const int64_t *values = &samples->values[(size_t)i * DIFFERENCE_TYPES];
        table->base_total += fabs((double)values[DIFFERENCE_BASE]);
        table->new_total += fabs((double)values[DIFFERENCE_NEW]);
        table->base_samples += (double)values[DIFFERENCE_BASE_SAMPLES];
        table->new_samples += (double)values[DIFFERENCE_NEW_SAMPLES];
        if (!add_sample(summing, i))
            return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].new_flat != table->rows[i].base_flat ||
            table->rows[i].new_cum != table->rows[i].base_cum)
            table->rows[kept++] = table->rows[i];
    table->count = kept;
    for (size_t i = 0; table->symbols.grain == GRAIN_LINE && i < kept; i++)
        table->rows[i].base_line =
            difference_base_line(summing->model, &table->symbols.items[table->rows[i].symbol]);
    if (table->count > 1)
        qsort_r(table->rows, table->count, sizeof *table->rows, compare_rows, table);
    return true;
}

bool difference_table_init(struct difference_table *table, const struct model *difference,
                           const struct difference_options *options)
{
    struct summing summing = {.table = table, .model = difference};
    struct frame_source source = model_frames(difference);
    source.tells_codes = options->tells_codes;
    *table = (struct difference_table){.by_cum = options->by_cum};
    symbols_init(&table->symbols, options->grain);
    bool done = frame_symbols_init(&summing.frames, &source, &table->symbols);
    summing.frames.by_module = true;
    summing.frames.no_inlines = options->no_inlines;
    done = done && sum_up(&summing);
    frame_symbols_release(&summing.frames);
    free(summing.stamps);
    if (!done)
        difference_table_release(table);
    return done;
}

void difference_table_release(struct difference_table *table)
{
    symbols_release(&table->symbols);
    free(table->rows);
    *table = (struct difference_table){0};
}

enum difference_state difference_state(const struct difference_row *row)
{
    return row->base_cum == 0 && row->base_flat == 0 ? STATE_ADDED
           : row->new_cum == 0 && row->new_flat == 0 ? STATE_GONE
           : row->new_cum > row->base_cum            ? STATE_GROWN
           : row->new_cum < row->base_cum            ? STATE_SHRUNK
                                                     : STATE_SAME;
}

const char *difference_state_name(enum difference_state state)
{
    static const char *const names[] = {"added", "gone", "grown", "shrunk", "same"};
    return names[state];
}
