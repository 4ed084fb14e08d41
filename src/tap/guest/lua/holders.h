/* Snapshots of through what Lua's objects are held (tap/holders/snapshot.h): when a state ends, and when SIGUSR1 has come. */
#ifndef TAP_GUEST_LUA_HOLDERS_H
#define TAP_GUEST_LUA_HOLDERS_H

#include "tap/guest/lua/heap.h"

/* The heap of a state that is now watched; before any other of its functions here. */
void lua_holders_begin(struct lua_heap *heap, struct lua_State *L);

/* Before a call of the heap's allocator: takes one if it is time.  `kind` is that of the object that is to be made, where there is
 * one: then all objects of the state are whole. */
void lua_holders_look(struct lua_heap *heap, const void *block, size_t kind, size_t new_size);

/* Before the state is closed. */
void lua_holders_at_close(struct lua_heap *heap);

/* In the child of a fork. */
void lua_holders_forked(struct lua_heap *heap);

#endif
