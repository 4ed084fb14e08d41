/* How we get into a Lua state.
 *
 * A host that is linked to liblua calls our lua_newstate in place of Lua's, as we are preloaded.
 * A program that has Lua within itself doesn't; but lua5.4 and its like ask getenv for LUA_INIT_5_4
 * and run what it says before the script, and there we say, once: load this library, then run the
 * user's own LUA_INIT.  The environment itself stays as it is, so no other Lua sees that.  `require "heaptap"` and `lua -l heaptap` do the same, where package.cpath leads here. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap/guest/find.h"
#include "tap/guest/lua/heap.h"
#include "tap/guest/lua/holders.h"
#include "tap/guest/state.h"
#include "tap/inside/pages.h"
#include "tap/inside/text.h"

#define EXPORTED __attribute__((visibility("default")))
#define INIT "LUA_INIT_5_4"

struct lua_api lua;

EXPORTED int luaopen_heaptap(struct lua_State *L);
EXPORTED void lua_close(struct lua_State *L);
EXPORTED struct lua_State *luaL_newstate(void);
EXPORTED struct lua_State *lua_newstate(lua_alloc *alloc, void *ud);
/* Ours, by a name that nobody else's can take. */
static struct lua_State *own_newstate(lua_alloc *alloc, void *ud);

/* Ours is not the one that is meant. */
static bool find(void *symbol, const char *name)
{
    void *found;
    guest_find(&found, RTLD_DEFAULT, name);
    if (found == (void *)(uintptr_t)own_newstate)
        guest_find(&found, RTLD_NEXT, name);
    memcpy(symbol, &found, sizeof found);
    return found != NULL;
}

bool lua_api_find(struct lua_api *api)
{
    static bool found;
    found = found ||
            (find(&api->newstate, "lua_newstate") && find(&api->close, "lua_close") &&
             find(&api->getallocf, "lua_getallocf") && find(&api->setallocf, "lua_setallocf") &&
             find(&api->getinfo, "lua_getinfo") && find(&api->sethook, "lua_sethook") &&
             find(&api->gc, "lua_gc") && find(&api->loadstring, "luaL_loadstring") &&
             find(&api->pcallk, "lua_pcallk") && find(&api->version, "lua_version") &&
             find(&api->getglobal, "lua_getglobal") && find(&api->rawgeti, "lua_rawgeti") &&
             find(&api->tolstring, "lua_tolstring") && find(&api->tothread, "lua_tothread") &&
             find(&api->settop, "lua_settop") && find(&api->gettop, "lua_gettop"));
    return found;
}

/* ---- A state ---------------------------------------------------------------------- */

static const char *const type_names[LUA_KINDS] = {
    [0] = "storage", /* of tables, stacks, buffers: Lua doesn't say which */
    [4] = "string",  [5] = "table",   [6] = "function",   [7] = "userdata",
    [8] = "thread",  [9] = "upvalue", [10] = "prototype",
};

static struct recipe known_recipes[RECIPES_MAX];
static uint32_t known_recipe_count;
static bool recipes_known;

enum { MAIN_THREAD = 1, LUA_5_4 = 504 };

static void set_names(struct lua_heap *heap, struct lua_State *L)
{
    for (int i = 0; i < LUA_KINDS; i++)
        heap->types[i] =
            heaptap_guest_type(&heap->guest, type_names[i] ? type_names[i] : type_names[0]);
    heap->resize_location = heaptap_guest_location(&heap->guest, "<lua stack resize>", NULL, 0);
    if (lua.getglobal(L, "arg") == LUA_TYPE_TABLE && lua.rawgeti(L, -1, 0) == LUA_TYPE_STRING)
        heaptap_guest_set_script(&heap->guest, lua.tolstring(L, -1, NULL));
}

/* How lines come to be known. */
static void set_lines(struct lua_heap *heap, struct lua_State *L)
{
    if (heaptap_guest_is_fast(&heap->guest))
        return;
    if (!recipes_known) {
        known_recipe_count = recipes_find(known_recipes);
        recipes_known = true;
    }
    heap->recipe_count = known_recipe_count;
    memcpy(heap->recipes, known_recipes, sizeof heap->recipes);
    if (heap->recipe_count)
        return;
    if (heaptap_guest_is_exact(&heap->guest))
        lua.sethook(L, recipes_no_hook, LUA_MASK_COUNT, 0x7fffffff);
    else
        heaptap_guest_note(&heap->guest, "lines of table constructors may be those before: this "
                                         "build of Lua doesn't let the counter be found");
}

static void find_threads(struct lua_heap *heap, struct lua_State *L)
{
    lua.rawgeti(L, REGISTRY, MAIN_THREAD);
    heap->main = lua.tothread(L, -1);
    heap->current = L;
    if (L != heap->main)
        heap->resumers[heap->resumer_count++] = heap->main;
}

void lua_attach(struct lua_State *L)
{
    struct heaptap_guest_options options = {
        .locate = places_locate, .forked = places_watch_again, .alignment = 16};
    struct heaptap_guest_request request;
    void *ud;
    if (!L || !heaptap_guest_read_request(&request) || !lua_api_find(&lua) ||
        (int)lua.version(L) != LUA_5_4 || lua.getallocf(L, &ud) == hook_alloc)
        return;
    struct lua_heap *heap = pages_map(sizeof *heap);
    options.context = heap;
    if (!heap || !heaptap_guest_start_if_requested(&heap->guest, "Lua", &options)) {
        pages_unmap(heap, sizeof *heap);
        guest_tell_lost(false);
        return;
    }
    int top = lua.gettop(L);
    heap->real = lua.getallocf(L, &heap->real_ud);
    heap->stacks = heaptap_guest_wants_stacks(&heap->guest);
    set_names(heap, L);
    find_threads(heap, L);
    lua.settop(L, top);
    set_lines(heap, L);
    heaptap_guest_set_before(&heap->guest, 0,
                             (uint64_t)lua.gc(L, LUA_GC_COUNT, 0) * 1024 +
                                 (uint64_t)lua.gc(L, LUA_GC_COUNT_BYTES, 0));
    lua_holders_begin(heap, L);
    lua.setallocf(L, hook_alloc, heap);
}

/* ---- Ways in ---------------------------------------------------------------------- */

struct lua_State *luaL_newstate(void)
{
    struct lua_State *(*real)(void);
    struct lua_State *L = guest_find(&real, RTLD_NEXT, "luaL_newstate") ? real() : NULL;
    lua_attach(L);
    return L;
}

static struct lua_State *own_newstate(lua_alloc *alloc, void *ud)
{
    struct lua_State *(*real)(lua_alloc *, void *);
    struct lua_State *L = guest_find(&real, RTLD_NEXT, "lua_newstate") ? real(alloc, ud) : NULL;
    if (alloc != recipes_alloc)
        lua_attach(L);
    return L;
}

struct lua_State *lua_newstate(lua_alloc *alloc, void *ud) __attribute__((alias("own_newstate")));

void lua_close(struct lua_State *L)
{
    void (*real)(struct lua_State *), *heap;
    bool is_found = guest_find(&real, RTLD_NEXT, "lua_close");
    if (lua.getallocf && lua.getallocf(L, &heap) == hook_alloc)
        lua_holders_at_close(heap);
    if (is_found)
        real(L);
    trace_closed();
}

int luaopen_heaptap(struct lua_State *L)
{
    lua_attach(L);
    return 0;
}

/* Only of a program that has Lua within itself: whoever is linked to it calls our lua_newstate. */
static bool program_has_lua(void)
{
    void *found;
    return guest_find(&found, RTLD_DEFAULT, "lua_newstate") &&
           found != (void *)(uintptr_t)own_newstate;
}

/* By what they alone have, or they and those before them. */
static const struct {
    const char *function, *sentence;
} other_luas[] = {
    {"luaJIT_setmode", "it has LuaJIT, and heaptap knows Lua 5.4 only"},
    {"lua_cpcall", "it has Lua 5.1, and heaptap knows Lua 5.4 only"},
    {"lua_getctx", "it has Lua 5.2, and heaptap knows Lua 5.4 only"},
    {"lua_isyieldable", "it has Lua 5.3, and heaptap knows Lua 5.4 only"},
};

static void tell_of_other_luas(void)
{
    void *found;
    if (guest_find(&found, RTLD_DEFAULT, "lua_toclose"))
        return; /* 5.4 */
    for (size_t i = 0; i < sizeof other_luas / sizeof *other_luas; i++)
        if (guest_find(&found, RTLD_DEFAULT, other_luas[i].function)) {
            guest_tell_failure(other_luas[i].sentence);
            return;
        }
}

/* What the first question for LUA_INIT_5_4 is answered with; "" once it has been. */
static char init_code[2 * PATH_MAX];

__attribute__((constructor)) static void prepare(void)
{
    struct heaptap_guest_request request;
    struct text text;
    Dl_info self;
    if (!heaptap_guest_read_request(&request))
        return;
    tell_of_other_luas();
    if (!program_has_lua() || !dladdr((void *)(uintptr_t)luaopen_heaptap, &self))
        return;
    text_init(&text, init_code, sizeof init_code);
    text_add(&text, "local f=package.loadlib([[");
    text_add(&text, self.dli_fname);
    text_add(&text, "]],'luaopen_heaptap') if f then f() end "
                    "local n='" INIT "' local i=os.getenv(n) "
                    "if not i then n='LUA_INIT' i=os.getenv(n) end "
                    "if i and i:sub(1,1)=='@' then return dofile(i:sub(2)) end "
                    "if i then f,i=load(i,'='..n) if f then return f() end error(i,0) end");
    if (text.cut)
        init_code[0] = 0;
}

/* In front of libc's.  (Found without dlsym, which may allocate: allocators ask for variables.) */
EXPORTED char *getenv(const char *name)
{
    static char code[sizeof init_code];
    size_t size = strlen(name);
    if (init_code[0] && strcmp(name, INIT) == 0) {
        memcpy(code, init_code, sizeof code);
        init_code[0] = 0;
        return code;
    }
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=')
            return *entry + size + 1;
    return NULL;
}
