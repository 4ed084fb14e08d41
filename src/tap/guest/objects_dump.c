#include "tap/guest/objects_dump.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tap/guest/state.h"
#include "tap/inside/clock.h"
#include "tap/inside/environment.h"
#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"
#include "tap/inside/text.h"

enum { NUMBERED_MOST = 1 << 24, SECONDS_MOST = 300, NUMBER_BYTES = 12 };

static bool numbered_init(struct numbered *numbered)
{
    *numbered = (struct numbered){.keys = pages_map(NUMBERED_MOST * sizeof *numbered->keys)};
    return numbered->keys;
}

uint32_t numbered_put(struct numbered *numbered, uint64_t key)
{
    const struct address_entry *entry = address_table_find(&numbered->by_key, key);
    if (entry)
        return (uint32_t)entry->value;
    if (numbered->count == NUMBERED_MOST ||
        !address_table_add(&numbered->by_key, key, numbered->count + 1))
        return 0;
    numbered->keys[numbered->count++] = key;
    return numbered->count;
}

/* ---- Parts --------------------------------------------------------------------------- */

/* A lock that another thread had when the process was copied is never given back. */
static void limit_time(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    const struct itimerspec limit = {.it_value = {SECONDS_MOST, 0}};
    int timer;
    if (!kernel_failed(
            kernel_call(SYS_timer_create, CLOCK_MONOTONIC, (long)&event, (long)&timer, 0, 0, 0)))
        kernel_call(SYS_timer_settime, timer, 0, (long)&limit, 0, 0, 0);
}

bool dump_begin(struct snapshot_output *output, const struct snapshot_options *options,
                struct numbered *names, struct numbered *types)
{
    limit_time();
    snapshot_put_bytes(output, HOLDERS_DUMP_MAGIC, sizeof HOLDERS_DUMP_MAGIC - 1);
    snapshot_put_byte(output, HOLDERS_DUMP_SNAPSHOT);
    snapshot_put(output, options->cause);
    snapshot_put(output, options->time_us);
    snapshot_put(output, 1);
    snapshot_put_byte(output, HOLDERS_DUMP_MAPS);
    snapshot_put(output, 0);
    snapshot_put_byte(output, HOLDERS_DUMP_THREADS);
    snapshot_put(output, 0);
    return numbered_init(names) && numbered_init(types);
}

/* An object's block, where that is recorded: `slot` is NULL where it isn't.  `before` has the address and the id of the one before, 0 at
 * first. */
struct before {
    uint64_t address, id;
};
static void put_block(struct snapshot_output *output, const struct blocks *blocks, uint64_t address,
                      const struct block_slot *slot, uint64_t type, struct before *before)
{
    snapshot_put(output, address - before->address);
    snapshot_put(output, slot ? note_bytes(slot->note) : 0);
    snapshot_put_id(output, slot != NULL, slot ? *blocks_id(blocks, address) : 0, &before->id);
    snapshot_put(output, type);
    before->address = address;
}

static void put_blocks(struct snapshot_output *output, const struct object_nodes *nodes,
                       const struct objects *objects, struct numbered *types)
{
    struct before before = {0, 0};
    uint64_t address;
    snapshot_put_byte(output, HOLDERS_DUMP_BLOCKS);
    snapshot_put(output, nodes->count);
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct block_slot *slot = objects_block(objects, i, &address);
        uint64_t type = (uint64_t)(uintptr_t)objects_type(objects, i);
        put_block(output, nodes->blocks, address, slot, type, &before);
        if (type)
            numbered_put(types, type);
    }
}

static void put_edges(struct snapshot_output *output, const struct object_nodes *nodes,
                      struct objects *objects)
{
    snapshot_put_byte(output, HOLDERS_DUMP_EDGES);
    for (uint32_t i = 0; i < nodes->count; i++) {
        objects_each_edge(objects, i);
        snapshot_put(output, 0);
    }
}

void dump_objects(struct snapshot_output *output, const struct object_nodes *nodes,
                  struct objects *objects, struct numbered *types)
{
    put_blocks(output, nodes, objects, types);
    put_edges(output, nodes, objects);
}

void dump_edge(struct snapshot_output *output, uint32_t name, uint32_t object)
{
    snapshot_put(output, name + 1);
    snapshot_put(output, object);
}

void dump_root(struct snapshot_output *output, const struct dump_root *root, uint32_t object)
{
    snapshot_put(output, root->kind);
    snapshot_put(output, root->module);
    snapshot_put(output, root->name);
    snapshot_put(output, root->file);
    snapshot_put(output, root->line);
    snapshot_put(output, object);
}

void dump_unreached(struct snapshot_output *output, const struct object_nodes *nodes,
                    enum holders_object_root kind)
{
    const struct dump_root root = {kind};
    for (uint32_t i = nodes->reached; i < nodes->count; i++)
        dump_root(output, &root, i);
    snapshot_put(output, HOLDERS_ROOT_NONE);
}

void dump_names(struct snapshot_output *output, const struct numbered *names,
                const struct numbered *types, void (*put_name)(uint64_t key),
                void (*put_type)(uint64_t type))
{
    snapshot_put_byte(output, HOLDERS_DUMP_NAMES);
    snapshot_put(output, names->count);
    for (uint32_t i = 0; i < names->count; i++)
        put_name(names->keys[i]);
    snapshot_put(output, types->count);
    for (uint32_t i = 0; i < types->count; i++) {
        snapshot_put(output, types->keys[i]);
        put_type(types->keys[i]);
    }
}

void dump_text(struct snapshot_output *output, const char *text, size_t size)
{
    snapshot_put(output, size);
    snapshot_put_bytes(output, text, size);
}

void dump_end(struct snapshot_output *output, const struct scan_task *task)
{
    snapshot_put_byte(output, HOLDERS_DUMP_END);
    snapshot_put(output, task->still_us);
    snapshot_put(output, clock_processor_us());
    snapshot_output_flush(output);
}

/* ---- Taking -------------------------------------------------------------------------- */

bool guest_wants_holders(const struct heaptap_guest *heap)
{
    const char *asked = getenv(GUEST_HOLDERS);
    return asked && strcmp(asked, "1") == 0 && heap->state && heap->state->every;
}

bool guest_take_holders(struct snapshot *snapshot, const struct snapshot_options *options,
                        uint32_t number)
{
    char path[GUEST_PATH_BYTES + sizeof HOLDERS_DUMP_SUFFIX + NUMBER_BYTES];
    struct snapshot_options whole = *options;
    struct text text;
    if (!trace_is_ours())
        return false;
    if (options->cause == HOLDERS_CAUSE_END)
        trace_closing();
    text_init(&text, path, sizeof path);
    text_add(&text, trace_path());
    text_add(&text, HOLDERS_DUMP_SUFFIX);
    if (number > 0) {
        text_add(&text, ".");
        text_add_number(&text, number);
    }
    kernel_unlink(path);
    whole.path = path;
    whole.time_us = trace_time_us();
    SNAPSHOT_PLACE(whole.place);
    return snapshot_take(snapshot, &whole);
}
