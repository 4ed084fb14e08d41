/* Adapters that do nothing: what any hook in Python's allocators costs, or in Lua's.  Python's is
 * put in when the library is preloaded; Lua's by package.loadlib(library, 'null_hook_lua')(). */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

static struct allocator next[3];

static void *null_malloc(void *context, size_t size)
{
    struct allocator *it = context;
    return it->malloc(it->context, size);
}

static void *null_calloc(void *context, size_t count, size_t size)
{
    struct allocator *it = context;
    return it->calloc(it->context, count, size);
}

static void *null_realloc(void *context, void *block, size_t size)
{
    struct allocator *it = context;
    return it->realloc(it->context, block, size);
}

static void null_free(void *context, void *block)
{
    struct allocator *it = context;
    it->free(it->context, block);
}

static __attribute__((constructor)) void attach(void)
{
    void (*get)(int domain, struct allocator *allocator);
    void (*set)(int domain, struct allocator *allocator);
    void *found = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    memcpy(&get, &found, sizeof get);
    found = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    memcpy(&set, &found, sizeof set);
    for (int domain = 1; found && domain < 3; domain++) {
        struct allocator hooks = {&next[domain], null_malloc, null_calloc, null_realloc, null_free};
        get(domain, &next[domain]);
        set(domain, &hooks);
    }
}

/* ---- Lua -------------------------------------------------------------------------------- */

typedef void *lua_alloc(void *ud, void *block, size_t old_size, size_t new_size);

static lua_alloc *lua_next;
static void *lua_next_ud;

static void *lua_null(void *ud, void *block, size_t old_size, size_t new_size)
{
    return lua_next(lua_next_ud, block, old_size, new_size);
}

int null_hook_lua(void *L)
{
    lua_alloc *(*get)(void *L, void **ud);
    void (*set)(void *L, lua_alloc *alloc, void *ud);
    void *found = dlsym(RTLD_DEFAULT, "lua_getallocf");
    memcpy(&get, &found, sizeof get);
    found = dlsym(RTLD_DEFAULT, "lua_setallocf");
    memcpy(&set, &found, sizeof set);
    lua_next = get(L, &lua_next_ud);
    set(L, lua_null, NULL);
    return 0;
}
