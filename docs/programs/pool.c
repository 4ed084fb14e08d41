#include <heaptap/native.h>
#include <stdlib.h>

static struct heaptap_engine engine;
static __thread struct heaptap_thread self;

static __attribute__((noinline)) void *pool_take(size_t size)
{
    void *p = malloc(size);
    struct heaptap_block block = {.address = (uintptr_t)p, .words = size, .size = size, .hint = HEAPTAP_NATIVE_CALLER};
    heaptap_thread_allocate(&engine, &self, &block);
    return p;
}

int main(void)
{
    struct heaptap_native *native;
    if (heaptap_native_start(&native, "pool.ctf", NULL, &engine, &self, NULL) != HEAPTAP_OK)
        return 1;
    for (int i = 0; i < 1000; i++)
        pool_take(100);
    return heaptap_native_stop(native, NULL) != HEAPTAP_OK;
}
