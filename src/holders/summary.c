#include "holders/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/id_table.h"
#include "base/order.h"
#include "base/text.h"
#include "holders/held.h"
#include "holders/roots.h"
#include "holders/slack.h"
#include "profile/estimate.h"
#include "spec/holders_dump.h"
#include "spec/holders_records.h"

/* ---- Stacks -------------------------------------------------------------------------- */

static enum heaptap_status number_blocks(struct id_table *by_id, const struct graph *graph,
                                         struct heaptap_error *error)
{
    for (uint32_t block = 0; block < graph->count; block++) {
        bool fresh;
        if (graph->blocks[block].id == GRAPH_NO_ID)
            continue;
        uint32_t *place = id_table_add(by_id, graph->blocks[block].id, &fresh);
        if (!place)
            return error_no_memory(error);
        *place = block;
    }
    return HEAPTAP_OK;
}

static bool take_block(struct summary_stacks *stacks, struct stack_paths *paths,
                       const struct id_table *by_id, struct graph *graph,
                       const struct heaptap_event *event, const struct estimate *estimate)
{
    uint32_t node = stack_paths_follow(paths, &stacks->trie, event);
    const uint32_t *number = id_table_find(by_id, event->id);
    if (node == STACK_NONE)
        return false;
    if (!number)
        return true;
    struct graph_block *block = &graph->blocks[*number];
    block->stack = stack_trie_stack(&stacks->trie, node);
    block->samples = event->samples;
    block->bytes = (double)event->length * estimate->word_bytes;
    if (estimate->sample_rate < 1) {
        block->bytes = estimate_bytes(estimate, (double)event->samples);
        block->weight = estimate_objects(estimate, (double)event->samples, (double)event->length);
    }
    return block->stack != STACK_NONE;
}

static void note_end(const struct id_table *by_id, struct graph *graph, uint64_t id)
{
    const uint32_t *number = id_table_find(by_id, id);
    if (number)
        graph->blocks[*number].has_ended = true;
}

enum heaptap_status summary_read_stacks(struct summary_stacks *stacks, struct graph *graph,
                                        struct heaptap_reader *reader, struct heaptap_error *error)
{
    struct id_table by_id;
    struct stack_paths paths = {0};
    struct heaptap_event event;
    struct estimate estimate = estimate_of(heaptap_reader_info(reader));
    *stacks = (struct summary_stacks){0};
    id_table_init(&by_id, sizeof(uint32_t));
    enum heaptap_status status = stack_trie_init(&stacks->trie)
                                     ? number_blocks(&by_id, graph, error)
                                     : error_no_memory(error);
    while (status == HEAPTAP_OK &&
           (status = heaptap_reader_next(reader, &event, error)) == HEAPTAP_OK)
        if (event.kind == HEAPTAP_COLLECT)
            note_end(&by_id, graph, event.id);
        else if (event.kind == HEAPTAP_ALLOC &&
                 !take_block(stacks, &paths, &by_id, graph, &event, &estimate))
            status = error_no_memory(error);
    for (uint32_t block = 0; block < graph->count; block++)
        stacks->unknown +=
            graph->blocks[block].stack == GRAPH_NONE && graph->blocks[block].id != GRAPH_NO_ID;
    stack_paths_release(&paths);
    id_table_release(&by_id);
    if (status == HEAPTAP_END && estimate.sample_rate >= 1 && !graph->is_of_objects &&
        !slack_drop(graph))
        return error_no_memory(error);
    return status == HEAPTAP_END ? HEAPTAP_OK : status;
}

void summary_stacks_release(struct summary_stacks *stacks)
{
    stack_trie_release(&stacks->trie);
}

/* ---- Records ------------------------------------------------------------------------- */

struct making {
    struct summary_records *records;
    const struct summary_stacks *stacks;
    const struct graph *graph;
    const struct heaptap_reader *reader;
    bool *is_told;        /* by stack */
    uint64_t *constants;  /* sorted */
    const char **classes; /* of these */
    size_t constant_count;
    bool failed;
};

/* Fields of a record, with tabs between them. */
static void put_field(struct text *text, const char *field)
{
    if (text->size > 0)
        text_put_char(text, '\t');
    for (const char *c = field; *c; c++)
        text_put_char(text, *c == '\t' || *c == '\n' ? ' ' : *c);
}

static void put_number(struct text *text, uint64_t number)
{
    if (text->size > 0)
        text_put_char(text, '\t');
    text_put_uint(text, number, 1);
}

static void add_record(struct making *making, const char *name, struct text *text)
{
    struct summary_records *records = making->records;
    text_put_char(text, 0);
    if (text->failed || !ARRAY_RESERVE(&records->items, &records->capacity, records->count + 1)) {
        text_release(text);
        making->failed = true;
        return;
    }
    records->items[records->count++] =
        (struct heaptap_metadata){.kind = HEAPTAP_HOLDERS, .name = name, .value = text->bytes};
}

static void put_snapshot(struct making *making)
{
    static const char *const causes[] = {[HOLDERS_CAUSE_END] = HOLDERS_AT_END,
                                         [HOLDERS_CAUSE_SIGNAL] = HOLDERS_AT_SIGNAL,
                                         [HOLDERS_CAUSE_SIZE] = HOLDERS_AT_SIZE,
                                         [HOLDERS_CAUSE_INTERVAL] = HOLDERS_AT_INTERVAL};
    struct text text = {0};
    put_field(&text, causes[making->graph->cause]);
    put_number(&text, making->graph->still_us);
    put_number(&text, making->graph->processor_us);
    put_number(&text, making->graph->time_us);
    add_record(making, HOLDERS_RECORD_SNAPSHOT, &text);
}

static void put_roots(struct making *making, const struct roots *roots)
{
    for (size_t i = 0; i < roots->count; i++) {
        const struct root *root = &roots->items[i];
        struct text text = {0};
        put_number(&text, i);
        put_field(&text, root->kind);
        put_field(&text, root->name);
        put_field(&text, root->file);
        put_number(&text, root->line);
        put_field(&text, root->module);
        add_record(making, HOLDERS_RECORD_ROOT, &text);
    }
}

static void put_shared(struct making *making, const struct shared *shared, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text text = {0};
        if (rint(shared[i].bytes) == 0)
            continue;
        put_number(&text, i);
        put_number(&text, (uint64_t)rint(shared[i].bytes));
        put_number(&text, shared[i].other);
        add_record(making, HOLDERS_RECORD_SHARED, &text);
    }
}

/* Its codes, the innermost first. */
static void put_stack(struct making *making, uint32_t stack)
{
    const struct stack_trie *trie = &making->stacks->trie;
    struct text text = {0};
    if (stack == GRAPH_NONE || making->is_told[stack])
        return;
    making->is_told[stack] = true;
    put_number(&text, stack);
    for (uint32_t node = trie->ends[stack]; node != STACK_ROOT && text.size < HOLDERS_RECORD_BYTES;
         node = trie->nodes[node].parent)
        put_number(&text, heaptap_reader_frame_code(making->reader, trie->nodes[node].frame));
    add_record(making, HOLDERS_RECORD_STACK, &text);
}

static const char *class_of(const struct making *making, uint64_t constant)
{
    if (making->graph->is_of_objects)
        return graph_type_name(making->graph, constant);
    size_t at = ARRAY_SEARCH(i, making->constant_count, making->constants[i] < constant);
    return constant && at < making->constant_count ? making->classes[at] : "";
}

static void put_ways(struct making *making, const char *name, struct ways *ways)
{
    enum { MOST = 20000 };
    double all = 0;
    for (size_t i = 0; i < ways->count; i++)
        all += ways->items[i].bytes;
    ways_fold(ways, ways->count > MOST ? all / MOST : 0);
    for (size_t i = 0; i < ways->count; i++) {
        const struct way *way = &ways->items[i];
        bool is_root = way->parent == TRIE_NONE;
        struct text text = {0};
        if (!way->is_kept)
            continue;
        if (!is_root)
            put_stack(making, way->stack);
        put_number(&text, i);
        put_number(&text, is_root ? i : way->parent);
        put_number(&text, way->stack);
        put_number(&text, making->graph->is_of_objects ? TRIE_NONE : way->offset);
        put_number(&text, (uint64_t)rint(way->blocks));
        put_number(&text, (uint64_t)rint(way->bytes));
        put_field(&text, class_of(making, way->constant));
        put_number(&text, way->samples);
        bool has_name = making->graph->is_of_objects && way->offset != TRIE_NONE;
        put_field(&text, has_name ? graph_name(making->graph, way->offset) : "");
        put_number(&text, (uint64_t)rint(way->left_bytes));
        add_record(making, name, &text);
    }
}

/* ---- Classes ------------------------------------------------------------------------- */

static bool find_classes(struct making *making, struct roots *roots, const struct ways *ways,
                         const struct heaptap_metadata *metadata, size_t count)
{
    making->constants = malloc((ways->count + 1) * sizeof *making->constants);
    making->classes = malloc((ways->count + 1) * sizeof *making->classes);
    if (!making->constants || !making->classes)
        return false;
    for (size_t i = 0; i < ways->count; i++)
        if (ways->items[i].constant && ways->items[i].parent != TRIE_NONE)
            making->constants[making->constant_count++] = ways->items[i].constant;
    qsort(making->constants, making->constant_count, sizeof *making->constants, order_numbers);
    return roots_find_classes(roots, making->graph, metadata, count, making->constants,
                              making->constant_count, making->classes);
}

/* ---- The whole ----------------------------------------------------------------------- */

bool summary_make(struct summary_records *records, const struct summary_stacks *stacks,
                  const struct graph *graph, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *metadata = heaptap_reader_metadata(reader, &count);
    struct roots roots = {0};
    struct held held = {0};
    struct making making = {
        .records = records,
        .stacks = stacks,
        .graph = graph,
        .reader = reader,
        .is_told = calloc(stacks->trie.stack_count + 1, sizeof *making.is_told),
    };
    bool done =
        making.is_told &&
        roots_find(&roots, graph, metadata, count, heaptap_reader_info(reader)->executable) &&
        held_find(&held, graph, &roots) &&
        (graph->is_of_objects || find_classes(&making, &roots, &held.paths, metadata, count));
    if (done) {
        put_snapshot(&making);
        put_roots(&making, &roots);
        put_shared(&making, held.shared, roots.count);
        put_ways(&making, HOLDERS_RECORD_PATH, &held.paths);
        put_ways(&making, HOLDERS_RECORD_DOMINATED, &held.dominated);
    }
    free(making.is_told);
    free(making.constants);
    free(making.classes);
    held_release(&held);
    roots_release(&roots);
    return done && !making.failed;
}

void summary_records_release(struct summary_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        free((char *)records->items[i].value);
    free(records->items);
    *records = (struct summary_records){0};
}
