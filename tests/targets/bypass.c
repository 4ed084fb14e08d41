/* A malloc library as there are several: its operator new doesn't call its malloc.  Nothing is ever
 * used again. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define VISIBLE __attribute__((visibility("default")))
void *malloc(size_t size);
void free(void *block);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *operator_new(size_t size) __asm__("_Znwm");
void *operator_new_array(size_t size) __asm__("_Znam");
void operator_delete(void *block) __asm__("_ZdlPv");
void operator_delete_array(void *block) __asm__("_ZdaPv");
void operator_delete_sized(void *block, size_t size) __asm__("_ZdlPvm");
int posix_memalign(void **result, size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);

enum { HEADER = 64 };

static _Atomic uintptr_t next;

static void *take(size_t size, size_t alignment)
{
    const size_t all = (size_t)1 << 30;
    if (size > all / 2)
        return NULL;
    uintptr_t none = 0;
    if (!atomic_load(&next)) {
        void *memory = mmap(NULL, all, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        atomic_compare_exchange_strong(&next, &none, (uintptr_t)memory);
    }
    uintptr_t at = atomic_fetch_add(&next, (size + alignment + HEADER + 63) & ~(size_t)63) + HEADER;
    at = (at + alignment - 1) & ~(uintptr_t)(alignment - 1);
    memcpy((void *)(at - 8), &size, sizeof size);
    return (void *)at;
}

VISIBLE void *malloc(size_t size)
{
    return take(size, 16);
}

VISIBLE void free(void *block)
{
    (void)block;
}

VISIBLE void *calloc(size_t count, size_t size)
{
    return take(count * size, 16);
}

VISIBLE void *realloc(void *block, size_t size)
{
    char *now = take(size, 16);
    size_t old = 0;
    if (block && now) {
        memcpy(&old, (char *)block - 8, sizeof old);
        memcpy(now, block, old < size ? old : size);
    }
    return now;
}

VISIBLE void *operator_new(size_t size)
{
    return take(size, 16);
}

VISIBLE void *operator_new_array(size_t size)
{
    return take(size, 16);
}

VISIBLE void operator_delete(void *block)
{
    (void)block;
}

VISIBLE void operator_delete_array(void *block)
{
    (void)block;
}

VISIBLE void operator_delete_sized(void *block, size_t size)
{
    (void)block;
    (void)size;
}

VISIBLE int posix_memalign(void **result, size_t alignment, size_t size)
{
    void *block = take(size, alignment);
    if (!block)
        return ENOMEM;
    *result = block;
    return 0;
}

VISIBLE void *aligned_alloc(size_t alignment, size_t size)
{
    return take(size, alignment);
}
