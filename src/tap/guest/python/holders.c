#include "tap/guest/python/holders.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "spec/holders_dump.h"
#include "tap/guest/python/interpreter.h"
#include "tap/guest/python/objects.h"
#include "tap/guest/state.h"
#include "tap/holders/output.h"
#include "tap/holders/scan.h"
#include "tap/holders/snapshot.h"
#include "tap/inside/environment.h"
#include "tap/inside/kernel.h"
#include "tap/inside/pages.h"
#include "tap/inside/say.h"
#include "tap/inside/text.h"

enum { NAMES_MOST = 1 << 24, NAME_BYTES = 96, SECONDS_MOST = 300 };

/* In the copy. */
static struct writing {
    struct objects objects;
    struct snapshot_output *output;
    struct address_table names; /* by string object and kind: their numbers, from 1 on */
    uint64_t *name_of;          /* by number, less 1 */
    uint32_t name_count;
    struct address_table types;
    uint64_t *type_of;
    uint32_t type_count;
} writing;

static struct objects_functions functions;

/* ---- Names --------------------------------------------------------------------------- */

/* The number of a key, perhaps a new one; 0 where there is no room for it. */
static uint32_t number_of(struct address_table *table, uint64_t *keys, uint32_t *count,
                          uint64_t key)
{
    const struct address_entry *entry = address_table_find(table, key);
    if (entry)
        return (uint32_t)entry->value;
    if (*count == NAMES_MOST || !address_table_add(table, key, *count + 1))
        return 0;
    keys[(*count)++] = key;
    return *count;
}

static uint32_t number_of_name(const char *name, enum holders_name kind)
{
    if (!name || python_pointer(name, OBJECT_TYPE) != python.string_type)
        return 0;
    return number_of(&writing.names, writing.name_of, &writing.name_count,
                     (uint64_t)(uintptr_t)name | kind);
}

static void put_text(const char *text)
{
    size_t size = strlen(text);
    snapshot_put(writing.output, size);
    snapshot_put_bytes(writing.output, text, size);
}

static void put_names(void)
{
    enum { KINDS = 3 };
    char text[NAME_BYTES];
    snapshot_put_byte(writing.output, HOLDERS_DUMP_NAMES);
    snapshot_put(writing.output, writing.name_count);
    for (uint32_t i = 0; i < writing.name_count; i++) {
        const char *name = (const char *)(uintptr_t)(writing.name_of[i] & ~(uint64_t)KINDS);
        *text = 0;
        python_copy_string(name, text, sizeof text);
        snapshot_put(writing.output, writing.name_of[i] & KINDS);
        put_text(text);
    }
    snapshot_put(writing.output, writing.type_count);
    for (uint32_t i = 0; i < writing.type_count; i++) {
        snapshot_put(writing.output, writing.type_of[i]);
        put_text(python_pointer((const char *)(uintptr_t)writing.type_of[i], TYPE_NAME));
    }
}

/* ---- Objects ------------------------------------------------------------------------- */

static void put_objects(void)
{
    struct snapshot_output *output = writing.output;
    const struct objects *objects = &writing.objects;
    uint64_t before = 0, id = 0, address;
    snapshot_put_byte(output, HOLDERS_DUMP_BLOCKS);
    snapshot_put(output, objects->count);
    for (uint32_t i = 0; i < objects->count; i++) {
        const struct block_slot *slot = objects_block(objects, i, &address);
        const char *type = objects_type(objects, i);
        snapshot_put(output, address - before);
        snapshot_put(output, slot ? note_bytes(slot->note) : 0);
        snapshot_put_id(output, slot != NULL, slot ? *blocks_id(objects->blocks, address) : 0, &id);
        snapshot_put(output, (uint64_t)(uintptr_t)type);
        if (type)
            number_of(&writing.types, writing.type_of, &writing.type_count,
                      (uint64_t)(uintptr_t)type);
        before = address;
    }
}

static void put_edge(struct objects *objects, uint64_t to, const char *name, enum holders_name kind)
{
    uint32_t number = objects_find(objects, to & ~(uint64_t)1);
    if (number == UINT32_MAX)
        return;
    snapshot_put(writing.output, number_of_name(name, kind) + 1);
    snapshot_put(writing.output, number);
}

static void put_edges(void)
{
    struct objects *objects = &writing.objects;
    objects->tell = put_edge;
    snapshot_put_byte(writing.output, HOLDERS_DUMP_EDGES);
    for (uint32_t i = 0; i < objects->count; i++) {
        objects_each_edge(objects, i);
        snapshot_put(writing.output, 0);
    }
}

static void put_root(uint32_t module, uint32_t name, uint32_t number)
{
    snapshot_put(writing.output, 1);
    snapshot_put(writing.output, module);
    snapshot_put(writing.output, name);
    snapshot_put(writing.output, number);
}

static void put_variable(struct objects *objects, const char *module, const char *name,
                         uint64_t value)
{
    uint32_t number = objects_find(objects, value);
    if (number != UINT32_MAX)
        put_root(number_of_name(module, HOLDERS_NAME_PLAIN),
                 number_of_name(name, HOLDERS_NAME_PLAIN), number);
}

static void put_roots(void)
{
    snapshot_put_byte(writing.output, HOLDERS_DUMP_ROOTS);
    objects_each_variable(&writing.objects, put_variable);
    for (uint32_t i = writing.objects.reached; i < writing.objects.count; i++)
        put_root(0, 0, i);
    snapshot_put(writing.output, 0);
}

/* ---- The copy ------------------------------------------------------------------------ */

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

static uint64_t processor_us(void)
{
    struct rusage usage = {0};
    kernel_call(SYS_getrusage, RUSAGE_SELF, (long)&usage, 0, 0, 0, 0);
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void put_head(const struct snapshot_options *options)
{
    snapshot_put_bytes(writing.output, HOLDERS_DUMP_MAGIC, sizeof HOLDERS_DUMP_MAGIC - 1);
    snapshot_put_byte(writing.output, HOLDERS_DUMP_SNAPSHOT);
    snapshot_put(writing.output, options->cause);
    snapshot_put(writing.output, options->time_us);
    snapshot_put(writing.output, 1);
    snapshot_put_byte(writing.output, HOLDERS_DUMP_MAPS);
    snapshot_put(writing.output, 0);
    snapshot_put_byte(writing.output, HOLDERS_DUMP_THREADS);
    snapshot_put(writing.output, 0);
}

static void look(const struct scan_task *task, struct snapshot_output *output)
{
    const struct heaptap_guest *heap = task->options->context;
    writing.output = output;
    limit_time();
    writing.name_of = pages_map(NAMES_MOST * sizeof *writing.name_of);
    writing.type_of = pages_map(NAMES_MOST * sizeof *writing.type_of);
    if (!writing.name_of || !writing.type_of ||
        !objects_number(&writing.objects, &functions, &heap->state->blocks))
        return;
    put_head(task->options);
    put_objects();
    put_edges();
    put_roots();
    put_names();
    snapshot_put_byte(output, HOLDERS_DUMP_END);
    snapshot_put(output, task->still_us);
    snapshot_put(output, processor_us());
    snapshot_output_flush(output);
}

void holders_take(const struct heaptap_guest *heap)
{
    char path[GUEST_PATH_BYTES + sizeof HOLDERS_DUMP_SUFFIX];
    struct text text;
    struct snapshot snapshot;
    struct snapshot_options options = {.look = look, .context = heap, .path = path};
    const char *asked = getenv(GUEST_HOLDERS);
    if (!asked || strcmp(asked, "1") != 0 || !heap->state->every || !trace_is_ours())
        return;
    if (!objects_find_functions(&functions)) {
        say("no snapshot of what holds objects was taken: this Python lacks a function for it",
            NULL);
        return;
    }
    text_init(&text, path, sizeof path);
    text_add(&text, trace_path());
    text_add(&text, HOLDERS_DUMP_SUFFIX);
    options.time_us = trace_time_us();
    SNAPSHOT_PLACE(options.place);
    snapshot_take(&snapshot, &options);
}
