/* Blocks asked for in each way that a preloaded library may answer by another: `inner COUNT`.  With -DAS_LIBRARY, that library.  */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifdef AS_LIBRARY
#include <dlfcn.h>
#include <errno.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#ifdef MOVES /* realloc is malloc, memcpy and free */
void *realloc(void *block, size_t size)
{
    void *moved = malloc(size);
    size_t old = block ? malloc_usable_size(block) : 0;
    if (moved && block) {
        memcpy(moved, block, old < size ? old : size);
        free(block);
    }
    return moved;
}
#else
void *realloc(void *block, size_t size)
{
    return block ? NEXT(realloc)(block, size) : malloc(size);
}
#endif

void *calloc(size_t count, size_t size)
{
    void *block = malloc(count * size);
    return block ? memset(block, 0, count * size) : NULL;
}

/* Some by malloc, with a block of its own beside it, and some not. */
void *aligned_alloc(size_t alignment, size_t size)
{
    static unsigned calls;
    free(malloc(7));
    return calls++ % 2 ? NEXT(aligned_alloc)(alignment, size) : malloc(size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = memalign(alignment, size); /* which is malloc: three hooks for one block */
    return *block ? 0 : ENOMEM;
}

void *memalign(size_t alignment, size_t size)
{
    (void)alignment;
    return malloc(size);
}

void *valloc(size_t size)
{
    return malloc(size);
}

void *pvalloc(size_t size)
{
    return malloc(size);
}

void *new_operator(size_t size) __asm__("_Znwm");
void *new_operator(size_t size)
{
    return malloc(size);
}

char *strdup(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}
#else
static void *volatile kept;

/* Each way has its size, 1001 to 1010. */
static void allocate(void)
{
    static char text[1008];
    void *block;
    free(kept = malloc(1001));
    free(kept = calloc(17, 59)); /* 1003 */
    free(kept = aligned_alloc(16, 1004));
    free(kept = posix_memalign(&block, 16, 1005) ? NULL : block);
    free(kept = memalign(16, 1006));
    free(kept = valloc(1007));
    memset(text, 'a', 1007);
    free(kept = strdup(text)); /* 1008 */
    kept = realloc(NULL, 1002);
    kept = realloc(kept, 1009);
    free(kept);
    kept = reallocarray(NULL, 10, 101); /* 1010 */
    free(kept);
}

int main(int argc, char **argv)
{
    for (long left = argc > 1 ? atol(argv[1]) : 0; left > 0; left--)
        allocate();
    return 0;
}
#endif
