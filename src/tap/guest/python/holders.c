#include "tap/guest/python/holders.h"

#include <string.h>

#include "spec/holders_dump.h"
#include "tap/guest/objects_dump.h"
#include "tap/guest/python/interpreter.h"
#include "tap/guest/python/objects.h"
#include "tap/guest/state.h"
#include "tap/inside/say.h"

enum { NAME_BYTES = 96 };

/* In the copy. */
static struct writing {
    struct objects objects;
    struct snapshot_output *output;
    struct numbered names; /* by string object and kind */
    struct numbered types;
} writing;

static struct objects_functions functions;

/* ---- Names --------------------------------------------------------------------------- */

static uint32_t number_of_name(const char *name, enum holders_name kind)
{
    if (!name || python_pointer(name, OBJECT_TYPE) != python.string_type)
        return 0;
    return numbered_put(&writing.names, (uint64_t)(uintptr_t)name | kind);
}

static void put_name(uint64_t key)
{
    enum { KINDS = 3 };
    char text[NAME_BYTES] = "";
    python_copy_string((const char *)(uintptr_t)(key & ~(uint64_t)KINDS), text, sizeof text);
    snapshot_put(writing.output, key & KINDS);
    dump_text(writing.output, text, strlen(text));
}

static void put_type(uint64_t type)
{
    const char *name = python_pointer((const char *)(uintptr_t)type, TYPE_NAME);
    dump_text(writing.output, name, strlen(name));
}

/* ---- Objects ------------------------------------------------------------------------- */

static void put_edge(struct objects *objects, uint64_t to, const char *name, enum holders_name kind)
{
    uint32_t number = object_nodes_find(&objects->nodes, to);
    if (number != UINT32_MAX)
        dump_edge(writing.output, number_of_name(name, kind), number);
}

static void put_variable(struct objects *objects, const char *module, const char *name,
                         uint64_t value)
{
    uint32_t number = object_nodes_find(&objects->nodes, value);
    const struct dump_root root = {HOLDERS_ROOT_VARIABLE,
                                   number_of_name(module, HOLDERS_NAME_PLAIN),
                                   number_of_name(name, HOLDERS_NAME_PLAIN)};
    if (number != UINT32_MAX)
        dump_root(writing.output, &root, number);
}

static void put_roots(void)
{
    snapshot_put_byte(writing.output, HOLDERS_DUMP_ROOTS);
    objects_each_variable(&writing.objects, put_variable);
    dump_unreached(writing.output, &writing.objects.nodes, HOLDERS_ROOT_INTERPRETER);
}

/* ---- The copy ------------------------------------------------------------------------ */

static void look(const struct scan_task *task, struct snapshot_output *output)
{
    const struct heaptap_guest *heap = task->options->context;
    writing.output = output;
    if (!dump_begin(output, task->options, &writing.names, &writing.types) ||
        !objects_number(&writing.objects, &functions, &heap->state->blocks))
        return;
    writing.objects.tell = put_edge;
    dump_objects(output, &writing.objects.nodes, &writing.objects, &writing.types);
    put_roots();
    dump_names(output, &writing.names, &writing.types, put_name, put_type);
    dump_end(output, task);
}

void holders_take(const struct heaptap_guest *heap)
{
    struct snapshot snapshot;
    const struct snapshot_options options = {.look = look, .context = heap};
    if (!guest_wants_holders(heap))
        return;
    if (objects_find_functions(&functions))
        guest_take_holders(&snapshot, &options, 0);
    else
        say("no snapshot of what holds objects was taken: this Python lacks a function for it",
            NULL);
}
