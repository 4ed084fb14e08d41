/* A program that records its own allocator, from heaptap/native.h: a pool of nodes, whose trace `heaptap hotspots` reads.
 *
 *     record_itself TRACE */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <heaptap/native.h>

static struct heaptap_engine engine;
static __thread struct heaptap_thread self;

static __attribute__((noinline)) void *pool_take(size_t size)
{
    void *p = malloc(size);
    struct heaptap_block block = {
        .address = (uintptr_t)p, .words = size, .size = size, .hint = HEAPTAP_NATIVE_CALLER};
    heaptap_thread_allocate(&engine, &self, &block);
    return p;
}

static void pool_give(void *p)
{
    heaptap_thread_free(&engine, &self, (uintptr_t)p);
    free(p);
}

struct node {
    struct node *next;
    char *text;
};

static __attribute__((noinline)) struct node *push(struct node *list)
{
    struct node *node = pool_take(sizeof *node);
    node->text = pool_take(100);
    node->next = list;
    return node;
}

static __attribute__((noinline)) struct node *read_list(int count)
{
    struct node *list = NULL;
    for (int i = 0; i < count; i++)
        list = push(list);
    return list;
}

int main(int argc, char **argv)
{
    struct heaptap_native *native;
    struct heaptap_error error;
    if (argc != 2)
        return EXIT_FAILURE;
    if (heaptap_native_start(&native, argv[1], NULL, &engine, &self, &error) != HEAPTAP_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
        return EXIT_FAILURE;
    }
    struct node *list = read_list(1000);
    while (list) { /* the texts are forgotten */
        struct node *next = list->next;
        pool_give(list);
        list = next;
    }
    if (heaptap_native_stop(native, &error) != HEAPTAP_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
