/* A name alone proves nothing: a program called python may be anything, and gdb has all of Python in it.  What proves it is a
 * function that only such a program calls, on the stack of something that it allocated. */
#include "cli/record/runtime_heap.h"

#include <string.h>

struct sign {
    const char *program;  /* how the program's name begins; NULL for any */
    const char *function; /* one on its stacks; a star is the rest of it.  NULL for none */
    const char
        *module; /* or how a library's name begins in which such a function is; NULL for none */
    const struct runtime_heap *heap;
};

static const struct runtime_heap python = {
    "a Python program", "which lines of Python allocate, and small objects one by one",
    "heaptap memtracer -- COMMAND"};

static const struct runtime_heap lua = {"a Lua program", "which lines of Lua allocate",
                                        "heaptap memtracer -- COMMAND"};
static const struct runtime_heap java = {
    "a program on a Java VM", "Java's own heap",
    "a profile of async-profiler's allocations, converted to pprof's format"};
static const struct runtime_heap go = {
    "a Go program", "Go's own heap",
    "its own profile (pprof.WriteHeapProfile), which heaptap reads"};
static const struct runtime_heap node = {"a node program", "V8's heap of JavaScript objects",
                                         "node --heap-prof, whose .heapprofile heaptap reads"};

static const struct sign signs[] = {
    {NULL, "Py_BytesMain", NULL, &python}, {NULL, "Py_RunMain", NULL, &python},
    {NULL, "Py_Main", NULL, &python},      {"lua", "lua_*", NULL, &lua},
    {"lua", "luaL_*", NULL, &lua},         {NULL, NULL, "libjvm.so", &java},
    {NULL, "x_cgo_*", NULL, &go},          {NULL, "runtime.asmcgocall*", NULL, &go},
    {NULL, "node::Start*", NULL, &node},
};

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static const char *base_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static bool is_named(const char *function, const char *name)
{
    size_t length = strcspn(name, "*");
    return name[length] ? strncmp(function, name, length) == 0 : strcmp(function, name) == 0;
}

static bool tells(const struct sign *sign, const struct heaptap_location *at, const char *module)
{
    if (sign->module &&
        (begins(base_of(module), sign->module) || begins(base_of(at->file), sign->module)))
        return true;
    return sign->function && is_named(at->function, sign->function);
}

static bool any_tells(const struct sign *sign, const struct frame_source *frames)
{
    for (uint32_t frame = 0; frame < frames->frame_count; frame++) {
        size_t count;
        const struct heaptap_location *all = frames->locations(frames->context, frame, &count);
        const char *module =
            sign->module && frames->module ? frames->module(frames->context, frame) : NULL;
        for (size_t i = 0; i < count; i++)
            if (tells(sign, &all[i], module))
                return true;
    }
    return false;
}

const struct runtime_heap *runtime_heap_of(const struct frame_source *frames, const char *program)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if ((!signs[i].program || begins(base_of(program), signs[i].program)) &&
            any_tells(&signs[i], frames))
            return signs[i].heap;
    return NULL;
}
