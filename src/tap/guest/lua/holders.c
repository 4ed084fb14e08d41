/* The last snapshot of a state is taken before it is closed.  A program that is linked to liblua calls our lua_close; one that has Lua
 * within itself, and let us in by LUA_INIT, has left the C function in which that was, when it calls the allocator the next time.  The
 * slots of the main chunk's variables, whose function has returned then, still have what they had.  A program that exits with
 * its state open, by os.exit, has one then.
 *
 * SIGUSR1 is answered when the next object is made: in the middle of the functions of Lua that make one, everything is whole. */
#include "tap/guest/lua/holders.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tap/guest/find.h"
#include "tap/guest/lua/objects.h"
#include "tap/guest/objects_dump.h"
#include "tap/guest/state.h"
#include "tap/inside/environment.h"
#include "tap/inside/say.h"

enum { EARLY_MOST = 100, NAME_BYTES = 96, NAME_KIND_BITS = 3 };

static struct {
    struct lua_heap *heaps;    /* with snapshots, of all open states */
    uint64_t heaviest;         /* bytes of the largest state that had its last snapshot */
    uint32_t early;            /* taken by signals */
    struct snapshot last;      /* of these; its copy may still be looking */
    volatile sig_atomic_t due; /* a signal has come */
    bool has_told;             /* that one came before the copy had ended */
    bool is_child;             /* of a fork */
} taken;

/* ---- In the copy --------------------------------------------------------------------- */

struct task {
    const struct lua_heap *heap;
    bool is_over;
};

static struct {
    struct objects objects;
    struct snapshot_output *output;
    struct numbered names; /* by text and kind */
    struct numbered types; /* by text */
} writing;

static uint32_t number_of_name(const char *name, enum holders_name kind)
{
    return name ? numbered_put(&writing.names, (uint64_t)(uintptr_t)name << NAME_KIND_BITS | kind)
                : 0;
}

static void put_edge(struct objects *objects, uint64_t to, const char *name, enum holders_name kind)
{
    uint32_t number = object_nodes_find(&objects->nodes, to);
    if (number != UINT32_MAX)
        dump_edge(writing.output, number_of_name(name, kind), number);
}

static void put_root(struct objects *objects, uint64_t to, const struct object_name *name)
{
    const struct dump_root root = {name->kind, number_of_name(name->module, HOLDERS_NAME_PLAIN),
                                   number_of_name(name->name, HOLDERS_NAME_PLAIN),
                                   number_of_name(name->file, HOLDERS_NAME_PLAIN), name->line};
    uint32_t number = object_nodes_find(&objects->nodes, to);
    if (number != UINT32_MAX)
        dump_root(writing.output, &root, number);
}

/* Blocks that nothing leads to are garbage, also those that are no objects: what belongs to one is reached from it, and the
 * interpreter's table of strings is a root. */
static void put_roots(void)
{
    struct objects *objects = &writing.objects;
    objects->tell_root = put_root;
    snapshot_put_byte(writing.output, HOLDERS_DUMP_ROOTS);
    objects_each_root(objects);
    dump_unreached(writing.output, &objects->nodes, HOLDERS_ROOT_GARBAGE);
}

static void put_text(uint64_t address)
{
    const char *text = (const char *)(uintptr_t)address;
    dump_text(writing.output, text, strnlen(text, NAME_BYTES));
}

static void put_name(uint64_t key)
{
    const uint64_t kinds = (1 << NAME_KIND_BITS) - 1;
    snapshot_put(writing.output, key & kinds);
    put_text(key >> NAME_KIND_BITS);
}

static void look(const struct scan_task *task, struct snapshot_output *output)
{
    const struct task *of = task->options->context;
    writing.output = output;
    if (!dump_begin(output, task->options, &writing.names, &writing.types) ||
        !objects_number(&writing.objects, of->heap, of->is_over))
        return;
    writing.objects.tell = put_edge;
    dump_objects(output, &writing.objects.nodes, &writing.objects, &writing.types);
    put_roots();
    dump_names(output, &writing.names, &writing.types, put_name, put_text);
    dump_end(output, task);
}

/* ---- Taking -------------------------------------------------------------------------- */

static uint64_t live_bytes(const struct lua_heap *heap)
{
    return heap->guest.state->report.header->live_bytes;
}

static void forget(struct lua_heap *heap)
{
    struct lua_heap **at = &taken.heaps;
    while (*at && *at != heap)
        at = &(*at)->next_with_holders;
    if (*at)
        *at = heap->next_with_holders;
    heap->has_holders = false;
}

/* Of several states the one that had most. */
static void take_last(struct lua_heap *heap, bool is_over)
{
    const struct task task = {heap, is_over};
    const struct snapshot_options options = {
        .look = look, .context = &task, .cause = HOLDERS_CAUSE_END};
    struct snapshot snapshot;
    bool is_watched = heap->has_holders && heaptap_guest_is_watched(&heap->guest);
    forget(heap);
    if (!is_watched || live_bytes(heap) < taken.heaviest)
        return;
    taken.heaviest = live_bytes(heap);
    guest_take_holders(&snapshot, &options, 0);
}

static void take_early(struct lua_heap *heap)
{
    const struct task task = {heap, false};
    const struct snapshot_options options = {
        .look = look, .context = &task, .cause = HOLDERS_CAUSE_SIGNAL};
    taken.due = 0;
    bool can = snapshot_has_ended(&taken.last);
    if (!can && !taken.has_told)
        say("no snapshot of what holds memory was taken: the one before has not ended yet", NULL);
    taken.has_told = !can;
    if (can && taken.early < EARLY_MOST &&
        guest_take_holders(&taken.last, &options, taken.early + 1))
        taken.early++;
}

/* The C function in which we were let in has returned. */
static bool has_returned(const struct lua_heap *heap)
{
    const struct call_info *outer = heap->base_call->next;
    return heap->host &&
           (heap->main->ci == heap->base_call || outer->function->is.function != heap->host);
}

void lua_holders_look(struct lua_heap *heap, const void *block, size_t kind, size_t new_size)
{
    if (has_returned(heap)) {
        take_last(heap, true);
    } else if (taken.due && !block && new_size && kind >= LUA_TYPE_STRING && kind < LUA_KINDS) {
        heap->block = NULL;
        places_find_running(heap);
        take_early(heap);
    }
}

void lua_holders_at_close(struct lua_heap *heap)
{
    take_last(heap, heap->main->ci == heap->base_call);
}

__attribute__((destructor)) static void at_exit(void)
{
    struct lua_heap *largest = taken.heaps;
    for (struct lua_heap *heap = taken.heaps; heap; heap = heap->next_with_holders)
        if (live_bytes(heap) > live_bytes(largest))
            largest = heap;
    if (!largest)
        return;
    largest->block = NULL;
    places_find_running(largest);
    take_last(largest, largest->main->ci == largest->base_call);
}

/* ---- Beginning ----------------------------------------------------------------------- */

static void on_signal(int number)
{
    taken.due = 1;
}

/* A signal that the program handles or ignores is its own; of a tree of processes only the command's own is asked. */
static void watch_signal(void)
{
    struct sigaction before, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    if ((uint64_t)getppid() != guest_number(GUEST_RECORD) || taken.is_child ||
        sigaction(SIGUSR1, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
        return;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

void lua_holders_begin(struct lua_heap *heap, struct lua_State *L)
{
    const void *(*address_of)(struct lua_State * L, int index);
    if (!guest_wants_holders(&heap->guest) ||
        !guest_find(&address_of, RTLD_DEFAULT, "lua_topointer"))
        return;
    heap->registry = (struct lua_table *)(uintptr_t)address_of(L, REGISTRY);
    if (!objects_has_layout(heap)) {
        say("no snapshot of what holds objects is taken: this build of Lua keeps them in another way",
            NULL);
        return;
    }
    heap->base_call = objects_base_call(heap->main);
    heap->host =
        heap->main->ci == heap->base_call ? NULL : heap->base_call->next->function->is.function;
    heap->next_with_holders = taken.heaps;
    taken.heaps = heap;
    heap->has_holders = true;
    watch_signal();
}

void lua_holders_forked(struct lua_heap *heap)
{
    struct sigaction now;
    if (!heap->has_holders)
        return;
    taken.is_child = true;
    taken.early = taken.due = 0;
    taken.heaviest = 0;
    taken.last.pid = 0;
    if (sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == on_signal)
        signal(SIGUSR1, SIG_DFL);
}
