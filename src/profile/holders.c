#include "profile/holders.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "spec/holders_records.h"

/* While records are taken.  Numbers in them are their own. */
struct taking {
    struct model *model;
    const struct heaptap_reader *reader;
    struct holders_snapshot *snapshot;          /* whose records they are; NULL: of none */
    struct map roots, stacks, paths, dominated; /* by number: index; of stacks, that in the model */
    bool failed;                                /* there is no memory */
};

/* ---- Fields -------------------------------------------------------------------------- */

/* The next field of a value, ended by a tab or the value's end; `*at` is NULL behind the last. */
static const char *take_field(const char **at, size_t *size)
{
    const char *field = *at ? *at : "";
    *size = strcspn(field, "\t");
    *at = *at && field[*size] ? field + *size + 1 : NULL;
    return field;
}

static uint64_t take_number(const char **at)
{
    size_t size;
    const char *field = take_field(at, &size);
    uint64_t number = 0;
    for (size_t i = 0; i < size && field[i] >= '0' && field[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(field[i] - '0');
    return number;
}

static const char *take_text(struct taking *taking, const char **at)
{
    size_t size;
    const char *field = take_field(at, &size);
    const char *text = names_intern(&taking->model->names, field, size);
    taking->failed = taking->failed || !text;
    return text ? text : "";
}

static void number_it(struct taking *taking, struct map *map, uint64_t number, uint32_t index)
{
    bool fresh;
    uint32_t *place = map_put(map, number, index, &fresh);
    taking->failed = taking->failed || !place;
}

/* HOLDERS_NONE for a number that was not told. */
static uint32_t index_of(const struct map *map, uint64_t number)
{
    const uint32_t *index = map_find(map, number);
    return index ? *index : HOLDERS_NONE;
}

/* ---- Records ------------------------------------------------------------------------- */

static enum holders_root_kind kind_of(const char *name)
{
    static const char *const names[] = {
        [HOLDERS_GLOBAL] = "global",  [HOLDERS_LOCAL] = "thread-local", [HOLDERS_STACK] = "stack",
        [HOLDERS_MEMORY] = "mapping", [HOLDERS_GARBAGE] = "garbage",    [HOLDERS_LOST] = "lost",
        [HOLDERS_SEVERAL] = "several"};
    for (unsigned kind = 0; kind < sizeof names / sizeof *names; kind++)
        if (strcmp(name, names[kind]) == 0)
            return (enum holders_root_kind)kind;
    return HOLDERS_MEMORY;
}

static void take_root(struct taking *taking, const char *at)
{
    struct holders_snapshot *snapshot = taking->snapshot;
    uint64_t number = take_number(&at);
    struct holders_root root = {.kind_name = take_text(taking, &at), .shared_with = HOLDERS_NONE};
    root.kind = kind_of(root.kind_name);
    root.name = take_text(taking, &at);
    root.file = take_text(taking, &at);
    root.line = take_number(&at);
    root.module = take_text(taking, &at);
    if (!ARRAY_RESERVE(&snapshot->roots, &snapshot->root_capacity, snapshot->root_count + 1)) {
        taking->failed = true;
        return;
    }
    number_it(taking, &taking->roots, number, (uint32_t)snapshot->root_count);
    snapshot->roots[snapshot->root_count++] = root;
}

/* Of roots that were told. */
static void take_shared(struct taking *taking, const char *at)
{
    struct holders_root *roots = taking->snapshot->roots;
    uint32_t root = index_of(&taking->roots, take_number(&at));
    uint64_t bytes = take_number(&at);
    uint32_t other = index_of(&taking->roots, take_number(&at));
    if (root == HOLDERS_NONE || other == HOLDERS_NONE)
        return;
    roots[root].shared_bytes = bytes;
    roots[root].shared_with = other;
}

/* The stack must be one that the model has: all that allocated is there. */
static void take_stack(struct taking *taking, const char *at)
{
    enum { MOST = 4096 };
    uint32_t frames[MOST];
    size_t count = 0;
    const struct stack_trie *trie = &taking->model->trie;
    uint64_t number = take_number(&at);
    while (at && count < MOST) {
        if (!heaptap_reader_find_frame(taking->reader, take_number(&at), &frames[count]))
            return;
        count++;
    }
    uint32_t node = STACK_ROOT;
    while (count > 0 && node != STACK_NONE)
        node = stack_trie_find(trie, node, frames[--count]);
    uint32_t stack = node != STACK_NONE && trie->links ? trie->links[node].stack : STACK_NONE;
    if (stack != STACK_NONE)
        number_it(taking, &taking->stacks, number, stack);
}

/* A way begins at a root, which is no block; of dominators, a root has what it retains. */
static void take_way(struct taking *taking, const char *at, struct holders_ways *ways,
                     struct map *numbers)
{
    uint64_t number = take_number(&at), above = take_number(&at), stack = take_number(&at);
    bool is_root = above == number;
    struct holders_way way = {.parent = is_root ? HOLDERS_NONE : index_of(numbers, above),
                              .stack = HOLDERS_NONE};
    way.offset = (uint32_t)take_number(&at);
    way.blocks = take_number(&at);
    way.bytes = take_number(&at);
    way.class_name = take_text(taking, &at);
    way.samples = take_number(&at);
    way.name = take_text(taking, &at);
    taking->snapshot->knows_left |= at != NULL;
    way.left_bytes = take_number(&at);
    if (is_root) {
        way.root = index_of(&taking->roots, stack);
    } else {
        way.root = way.parent != HOLDERS_NONE ? ways->items[way.parent].root : HOLDERS_NONE;
        way.stack = index_of(&taking->stacks, stack);
    }
    bool is_damaged = is_root && ways == &taking->snapshot->paths && way.blocks > 0;
    if (way.root == HOLDERS_NONE || is_damaged)
        return;
    if (!ARRAY_RESERVE(&ways->items, &ways->capacity, ways->count + 1)) {
        taking->failed = true;
        return;
    }
    number_it(taking, numbers, number, (uint32_t)ways->count);
    ways->items[ways->count++] = way;
}

static void forget_numbers(struct taking *taking)
{
    map_release(&taking->roots);
    map_release(&taking->stacks);
    map_release(&taking->paths);
    map_release(&taking->dominated);
}

/* Numbers of the one before mean nothing any more. */
static void begin_snapshot(struct taking *taking, const char *at)
{
    struct model *model = taking->model;
    forget_numbers(taking);
    if (!model->holders)
        model->holders = calloc(1, sizeof *model->holders);
    struct model_holders *holders = model->holders;
    taking->failed =
        !holders || !ARRAY_RESERVE(&holders->snapshots, &holders->capacity, holders->count + 1);
    if (taking->failed)
        return;
    taking->snapshot = &holders->snapshots[holders->count++];
    *taking->snapshot = (struct holders_snapshot){.cause = take_text(taking, &at)};
    taking->snapshot->is_last = strcmp(taking->snapshot->cause, HOLDERS_AT_END) == 0;
    taking->snapshot->still_us = take_number(&at);
    taking->snapshot->processor_us = take_number(&at);
    taking->snapshot->time_us = take_number(&at);
}

static void take_record(struct taking *taking, const struct heaptap_metadata *record)
{
    struct holders_snapshot *snapshot = taking->snapshot;
    const char *at = record->value;
    if (strcmp(record->name, HOLDERS_RECORD_SNAPSHOT) == 0)
        begin_snapshot(taking, at);
    else if (!snapshot)
        return;
    else if (strcmp(record->name, HOLDERS_RECORD_ROOT) == 0)
        take_root(taking, at);
    else if (strcmp(record->name, HOLDERS_RECORD_SHARED) == 0)
        take_shared(taking, at);
    else if (strcmp(record->name, HOLDERS_RECORD_STACK) == 0)
        take_stack(taking, at);
    else if (strcmp(record->name, HOLDERS_RECORD_PATH) == 0)
        take_way(taking, at, &snapshot->paths, &taking->paths);
    else if (strcmp(record->name, HOLDERS_RECORD_DOMINATED) == 0)
        take_way(taking, at, &snapshot->dominated, &taking->dominated);
}

bool holders_take(struct model *model, const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    struct taking taking = {.model = model, .reader = reader};
    for (size_t i = 0; i < count && !taking.failed; i++)
        if (records[i].kind == HEAPTAP_HOLDERS)
            take_record(&taking, &records[i]);
    forget_numbers(&taking);
    return !taking.failed;
}

void holders_free(struct model_holders *holders)
{
    for (size_t i = 0; holders && i < holders->count; i++) {
        free(holders->snapshots[i].roots);
        free(holders->snapshots[i].paths.items);
        free(holders->snapshots[i].dominated.items);
    }
    if (holders)
        free(holders->snapshots);
    free(holders);
}
