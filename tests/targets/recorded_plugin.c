/* Loaded and unloaded by recorded.c, in two versions that the same addresses may get. */
#include <stdlib.h>

__attribute__((visibility("default"))) void *plugin_allocate(size_t size);
__attribute__((visibility("default"))) void plugin_free(void *block);

void *plugin_allocate(size_t size)
{
    void *block = malloc(size);
    __asm__ volatile("" : "+r"(block));
    return block;
}

void plugin_free(void *block)
{
    free(block);
}
