/* A dlsym that allocates a little, as libc's does in places: the recorder looks malloc up by it. */
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

__attribute__((visibility("default"))) void *dlsym(void *restrict handle, const char *restrict name)
{
    static void *(*next)(void *, const char *);
    if (!next)
        *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!next)
        *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    check(next != NULL);
    allocate();
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
