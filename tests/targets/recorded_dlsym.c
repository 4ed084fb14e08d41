/* A dlsym that allocates a little, as libc's does in places: the recorder looks malloc up by it.
 * With DLSYM_END it ends the process when asked for `calloc`: _exit or abort. */
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;
static char *kept; /* from the first look-up, freed when the program ends */

static void check(int right)
{
    if (!right)
        _exit(4);
}

static int is_zero(const char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size == 0;
}

static void allocate(void)
{
    char *block = calloc(3, 10);
    check(block && is_zero(block, 30) && malloc_usable_size(block) >= 30);
    block[29] = 7;
    block = realloc(block, 64);
    check(block && block[29] == 7);
    free(block);
    if (!kept) {
        kept = malloc(50);
        check(kept != NULL);
        memset(kept, 9, 50);
    }
}

static void end_process(void)
{
    const char *how = environ ? getenv("DLSYM_END") : NULL;
    if (how && strcmp(how, "_exit") == 0)
        _exit(6);
    if (how && strcmp(how, "abort") == 0)
        abort();
}

__attribute__((visibility("default"))) void *dlsym(void *restrict handle, const char *restrict name)
{
    static void *(*next)(void *, const char *);
    if (!next)
        *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!next)
        *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    check(next != NULL);
    allocate();
    if (strcmp(name, "calloc") == 0)
        end_process();
    return next(handle, name);
}

static __attribute__((destructor)) void end(void)
{
    if (!kept)
        return;
    check(malloc_usable_size(kept) >= 50);
    kept = realloc(kept, 6100);
    check(kept && kept[0] == 9 && kept[49] == 9);
    free(kept);
}
