/* The objects that a Lua state leads to, numbered, with what each refers to: by raw reads, so that no metamethod runs and nothing is
 * allocated.  Only in a copy of the process.
 *
 * What weak tables refer to weakly is not held by them: an entry with a weak key holds its value while something else holds the key. */
#ifndef TAP_GUEST_LUA_OBJECTS_H
#define TAP_GUEST_LUA_OBJECTS_H

#include "spec/holders_dump.h"
#include "tap/guest/lua/heap.h"
#include "tap/guest/objects.h"

/* A root, or what a function has under way.  Texts end with a zero byte, and stay where they are; NULL for none. */
struct object_name {
    enum holders_object_root kind;
    const char *module; /* or the function */
    const char *name;
    const char *file;
    uint32_t line;
};

struct objects {
    struct object_nodes nodes;
    const struct lua_heap *heap;
    struct address_table
        variables; /* tables and threads whose values are roots, and held by nothing else; of modules, with the name */
    bool is_over; /* the main chunk has returned: its variables are those that it had then */

    /* While edges and roots are told. */
    void (*tell)(struct objects *objects, uint64_t to, const char *name, enum holders_name kind);
    void (*tell_root)(struct objects *objects, uint64_t to, const struct object_name *name);
};

/* Numbers all that a heap leads to, and its other blocks.  False without memory. */
bool objects_number(struct objects *objects, const struct lua_heap *heap, bool is_over);

/* Tells all roots, as objects_each_edge does edges. */
void objects_each_root(struct objects *objects);

/* Whether an object is there that a value may have been left of. */
bool objects_is_known(const struct objects *objects, const struct lua_value *value);

/* Whether the heap's registry and main thread are as this reads them. */
bool objects_has_layout(const struct lua_heap *heap);

/* NULL where the program has taken them away. */
struct lua_table *objects_globals(const struct lua_heap *heap);

/* The outermost record of a thread's calls, which is there also while none is under way; NULL before the thread has its stack. */
static inline struct call_info *objects_base_call(const struct lua_State *L)
{
    struct call_info *call = L->stack ? L->ci : NULL;
    while (call && call->previous)
        call = call->previous;
    return call;
}

/* ---- frames.c ------------------------------------------------------------------------ */

/* What a thread has on its stack: as roots, for those under way, else as what the thread holds. */
void frames_tell(struct objects *objects, struct lua_State *L, bool are_roots);

/* What the stack of the main thread still has of the main chunk's variables, which has returned. */
void frames_tell_returned(struct objects *objects, struct lua_State *L);

#endif
