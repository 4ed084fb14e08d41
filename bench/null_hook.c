/* An adapter that does nothing: what any hook in Python's allocators costs. */
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
