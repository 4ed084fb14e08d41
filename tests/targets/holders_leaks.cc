/* Leaks of all kinds, and what only looks like one: each function allocates, under its own name, what is held in one way. */
#include <alloca.h>
#include <memory>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#define OWN __attribute__((noinline)) static
#define BLOCK(bytes) calloc(1, bytes)

struct node {
    node *next;
    char more[92];
};

struct ring {
    std::shared_ptr<ring> other;
    char more[64];
};

void *volatile sink, *volatile held, *volatile middle, *volatile behind, *volatile rounded, *volatile short_block, *volatile far_block;
void *volatile *volatile arena;
volatile uintptr_t hidden;
char odd[24];
thread_local void *volatile mine;

OWN void lose_direct()
{
    for (int i = 0; i < 10; i++)
        sink = BLOCK(1000);
}

OWN void lose_chains()
{
    for (int i = 0; i < 5; i++) {
        node *head = nullptr;
        for (int k = 0; k < 4; k++) {
            node *one = (node *)BLOCK(sizeof(node));
            one->next = head;
            sink = head = one;
        }
    }
}

OWN void lose_cycle()
{
    node *a = (node *)BLOCK(200), *b = (node *)BLOCK(200);
    a->next = b;
    b->next = a;
    sink = a;
}

OWN void lose_rings()
{
    for (int i = 0; i < 3; i++) {
        auto a = std::make_shared<ring>(), b = std::make_shared<ring>();
        a->other = b;
        b->other = a;
    }
}

OWN void lose_vectors()
{
    for (int i = 0; i < 6; i++)
        sink = new std::vector<int>(100);
}

OWN void lose_aligned()
{
    void *block = nullptr;
    if (posix_memalign(&block, 256, 1500) == 0)
        sink = block;
}

OWN void lose_resized()
{
    sink = realloc(BLOCK(100), 40000);
}

OWN void lose_mapped()
{
    sink = BLOCK(3 << 20);
}

OWN void lose_deep(int depth)
{
    volatile char room[64] = {1};
    if (depth > 0)
        lose_deep(depth - 1);
    else
        sink = BLOCK(1301);
    room[1] = 0;
}

OWN void lose_hidden()
{
    hidden = ~(uintptr_t)BLOCK(1011);
}

OWN void lose_behind()
{
    behind = (char *)BLOCK(1112) + 1112;
}

OWN void keep_rounded()
{
    rounded = (char *)BLOCK(1105) + 1105;
}

OWN void lose_unaligned()
{
    void *block = BLOCK(1201);
    memcpy(odd + 3, &block, sizeof block);
}

/* Held by what was freed alone. */
OWN void lose_in_freed()
{
    void *volatile *block = (void *volatile *)BLOCK(5000);
    for (int i = 100; i < 106; i++)
        block[i] = BLOCK(911);
    free((void *)block);
    block = (void *volatile *)BLOCK(64);
    block[4] = BLOCK(921);
    free((void *)block);
}

/* A thread that ends: nothing is left of its stack and its own data. */
OWN void *lose_in_thread(void *)
{
    void *volatile local = BLOCK(2002);
    for (int i = 0; i < 7; i++)
        sink = BLOCK(333);
    mine = BLOCK(4001);
    sink = local;
    return nullptr;
}

OWN void *keep_in_thread(void *ready)
{
    mine = BLOCK(5001);
    void *volatile local = BLOCK(5002);
    *(volatile char *)ready = 1;
    for (;;)
        pause();
    return local;
}

/* It isn't joined yet, and what it returned is to be fetched. */
OWN void *keep_returned(void *)
{
    return BLOCK(5101);
}

OWN void keep_chain()
{
    node *first = (node *)BLOCK(600);
    first->next = (node *)BLOCK(601);
    held = first;
}

OWN void keep_middle()
{
    middle = (char *)BLOCK(700) + 64;
}

OWN void keep_in_mapping()
{
    arena = (void *volatile *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 9; i++)
        arena[i] = BLOCK(801);
}

OWN void *make_short()
{
    return malloc(16);
}

/* The last word of what malloc gives for 16 bytes is left from an earlier block. */
OWN void *volatile *with_stale_word(void *stale)
{
    void *volatile *before = (void *volatile *)malloc(24);
    before[2] = stale;
    free((void *)before);
    void *volatile *after = (void *volatile *)make_short();
    after[0] = after[1] = nullptr;
    return after;
}

OWN void keep_behind_length()
{
    short_block = (void *)with_stale_word(BLOCK(1501));
}

OWN void keep_far()
{
    node *first = (node *)BLOCK(sizeof(node)), *second = (node *)BLOCK(sizeof(node));
    first->next = second;
    second->next = (node *)BLOCK(1601);
    far_block = first;
    *(void *volatile *)short_block = (void *)with_stale_word(second->next);
}

int main()
{
    static volatile char ready;
    pthread_t thread;
    pthread_create(&thread, nullptr, keep_in_thread, (void *)&ready);
    while (!ready)
        usleep(1000);
    pthread_create(&thread, nullptr, keep_returned, nullptr);
    usleep(100000);
    pthread_create(&thread, nullptr, lose_in_thread, nullptr);
    pthread_join(thread, nullptr);
    lose_direct();
    lose_chains();
    lose_cycle();
    lose_rings();
    lose_vectors();
    lose_aligned();
    lose_resized();
    lose_mapped();
    lose_deep(5);
    lose_hidden();
    lose_behind();
    keep_rounded();
    lose_unaligned();
    lose_in_freed();
    keep_chain();
    keep_middle();
    keep_in_mapping();
    keep_behind_length();
    keep_far();
    sink = nullptr;
    volatile char *room = (volatile char *)alloca(20000);
    for (int i = 0; i < 20000; i++)
        room[i] = 0;
    exit(0);
}
