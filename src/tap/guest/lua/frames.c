/* Variables of functions that are under way.
 *
 * A function has its variables in the slots behind its own, in the order in which they are declared; behind these are values without a
 * name, up to where the next function's begin.  The innermost one's slots may have values left from before, which are told only where
 * they are objects that are still there. */
#include <string.h>

#include "tap/guest/lua/objects.h"

static const char a_temporary[] = "(temporary)", main_chunk[] = "main chunk";

/* A function that is under way, or a part of the stack that no function has. */
struct frame {
    const struct lua_prototype *prototype; /* NULL: of C */
    const char *function;
    const struct lua_value *base, *limit; /* its slots */
    int at;                               /* the instruction */
};

static bool is_main(const struct lua_prototype *prototype)
{
    return prototype->linedefined == 0;
}

/* "shop.lua", of the source that a function was compiled from. */
static const char *frames_file(const struct lua_prototype *prototype)
{
    const char *source = prototype->source ? prototype->source->text : NULL;
    return !source ? NULL : source[0] == '@' || source[0] == '=' ? source + 1 : "(string)";
}

/* The line of an instruction; 0 where the program has none. */
static uint32_t line_at(const struct lua_prototype *prototype, int instruction)
{
    int line = prototype->linedefined, absolute = 0;
    for (int i = 0; i <= instruction && i < prototype->sizelineinfo; i++) {
        if (prototype->lineinfo[i] != LINE_IS_ABSOLUTE)
            line += prototype->lineinfo[i];
        else if (absolute < prototype->sizeabslineinfo)
            line = prototype->abslineinfo[absolute++].line;
    }
    return line > 0 ? (uint32_t)line : 0;
}

/* The variable that has a slot, from 0 on; NULL where none has. */
static const struct lua_local *local_at(const struct frame *frame, int64_t slot)
{
    const struct lua_prototype *prototype = frame->prototype;
    for (int i = 0; prototype && i < prototype->sizelocvars; i++) {
        const struct lua_local *local = &prototype->locvars[i];
        if (local->start > frame->at)
            return NULL;
        if (frame->at < local->end && slot-- == 0)
            return local;
    }
    return NULL;
}

static void tell_slot(struct objects *objects, const struct frame *frame,
                      const struct lua_value *value, bool is_root)
{
    const struct lua_local *local = local_at(frame, value - frame->base);
    const char *name = local ? local->name->text : NULL;
    uint64_t address = (uint64_t)(uintptr_t)value->is.object;
    struct object_name root = {HOLDERS_ROOT_LOCAL, frame->function, name ? name : a_temporary};
    if (!is_root) {
        objects->tell(objects, address, name, name ? HOLDERS_NAME_LOCAL : HOLDERS_NAME_PLAIN);
        return;
    }
    if (frame->prototype)
        root.file = frames_file(frame->prototype);
    if (local)
        root.line = line_at(frame->prototype, local->start - (local->start > 0));
    objects->tell_root(objects, address, &root);
}

static void tell_slots(struct objects *objects, const struct frame *frame,
                       const struct lua_value *surely, bool are_roots)
{
    for (const struct lua_value *value = frame->base; value < frame->limit; value++)
        if (value->type & VALUE_COLLECTED && (value < surely || objects_is_known(objects, value)))
            tell_slot(objects, frame, value, are_roots);
}

static const struct lua_prototype *prototype_at(const struct lua_value *function)
{
    return function->type == VALUE_LUA_CLOSURE
               ? ((const struct lua_closure *)function->is.object)->prototype
               : NULL;
}

static const char *name_of(struct lua_State *L, struct call_info *call,
                           const struct lua_prototype *prototype)
{
    struct lua_debug debug = {.ci = call};
    if (prototype && is_main(prototype))
        return main_chunk;
    return lua.getinfo(L, "n", &debug) && debug.name ? debug.name : "(anonymous)";
}

void frames_tell(struct objects *objects, struct lua_State *L, bool are_roots)
{
    struct call_info *call = objects_base_call(L);
    for (; call; call = call == L->ci ? NULL : call->next) {
        bool is_last = call == L->ci;
        struct frame frame = {.base = call->function + 1,
                              .limit = is_last ? L->top : call->next->function};
        if (call->previous && call_is_lua(call))
            frame.prototype = prototype_at(call->function);
        if (frame.prototype && is_last)
            frame.limit = call->top;
        if (frame.prototype)
            frame.at = (int)(call->u.lua.savedpc - frame.prototype->code) - 1;
        if (call->previous && are_roots)
            frame.function = name_of(L, call, frame.prototype);
        if (call->previous && call->function->type & VALUE_COLLECTED)
            tell_slot(objects, &(struct frame){.function = frame.function, .base = call->function},
                      call->function, are_roots);
        tell_slots(objects, &frame, is_last ? L->top : frame.limit, are_roots);
    }
}

/* ---- What has returned --------------------------------------------------------------- */

/* Whether a slot has the function that a call was of, a main chunk's. */
static bool is_main_of(const struct objects *objects, const struct lua_State *L,
                       const struct call_info *call, const struct lua_value *slot)
{
    if (slot >= L->stack_last || slot->type != VALUE_LUA_CLOSURE ||
        !objects_is_known(objects, slot))
        return false;
    const struct lua_prototype *prototype = prototype_at(slot);
    const uint32_t *at = call->u.lua.savedpc;
    return prototype && is_main(prototype) && at > prototype->code &&
           at <= prototype->code + prototype->sizecode;
}

/* The slot of the function; NULL where nothing is left of it.  The record of the call doesn't know it any more if the stack was moved.
 * A main chunk may have arguments: its function is once more behind these, and then its variables are. */
static const struct lua_value *returned_main(const struct objects *objects,
                                             const struct lua_State *L,
                                             const struct call_info *call)
{
    const struct lua_value *slot = L->stack;
    if (!call_is_lua(call))
        return NULL;
    while (slot < L->stack_last && !is_main_of(objects, L, call, slot))
        slot++;
    const struct lua_value *moved = slot + 1 + call->u.lua.nextraargs;
    bool is_moved = call->u.lua.nextraargs >= 0 && is_main_of(objects, L, call, moved);
    return is_moved ? moved : slot < L->stack_last ? slot : NULL;
}

void frames_tell_returned(struct objects *objects, struct lua_State *L)
{
    enum { NEAR_MOST = 3 };
    const struct call_info *call = objects_base_call(L);
    for (int i = 0; call && i < NEAR_MOST; i++, call = call->next) {
        const struct lua_value *function = returned_main(objects, L, call);
        if (!function)
            continue;
        const struct lua_prototype *prototype = prototype_at(function);
        struct frame frame = {.prototype = prototype,
                              .function = main_chunk,
                              .base = function + 1,
                              .limit = function + 1 + prototype->maxstacksize,
                              .at = (int)(call->u.lua.savedpc - prototype->code) - 1};
        if (frame.limit > L->stack_last)
            frame.limit = L->stack_last;
        for (const struct lua_value *value = frame.base; value < frame.limit; value++)
            if (value->type & VALUE_COLLECTED && local_at(&frame, value - frame.base) &&
                objects_is_known(objects, value))
                tell_slot(objects, &frame, value, true);
        return;
    }
}
