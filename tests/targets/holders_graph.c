/* Blocks that point at each other at random, from ten variables: each kind of block has a size and a function of its own. */
#include <stdint.h>
#include <stdlib.h>

enum { BLOCKS = 3000, KINDS = 6, WORDS = 4, ROOTS = 10 };

void *root_0, *root_1, *root_2, *root_3, *root_4, *root_5, *root_6, *root_7, *root_8, *root_9;
static uint64_t state = 1;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % below;
}

/* The allocator rounds none of these sizes up. */
#define KIND(number)                                                                               \
    __attribute__((noinline)) static void **make_##number(void)                                    \
    {                                                                                              \
        void **volatile block = calloc(1, 40 + 16 * number);                                       \
        return block;                                                                              \
    }
KIND(0)
KIND(1)
KIND(2)
KIND(3)
KIND(4)
KIND(5)

static void **make(unsigned kind)
{
    void **(*const makers[KINDS])(void) = {make_0, make_1, make_2, make_3, make_4, make_5};
    return makers[kind]();
}

/* In memory that is not the heap's, and is gone at the end. */
static void **blocks[BLOCKS];

int main(void)
{
    void **const variables[ROOTS] = {&root_0, &root_1, &root_2, &root_3, &root_4,
                                     &root_5, &root_6, &root_7, &root_8, &root_9};
    for (unsigned i = 0; i < BLOCKS; i++)
        blocks[i] = make(draw(KINDS));
    for (unsigned i = 0; i < BLOCKS; i++)
        for (unsigned w = 0; w < WORDS; w++)
            if (draw(100) < 24)
                blocks[i][w] = (char *)blocks[draw(BLOCKS)] + draw(3) * 8;
    for (unsigned i = 0; i < ROOTS; i++)
        *variables[i] = blocks[draw(BLOCKS)];
    for (unsigned i = 0; i < BLOCKS; i++)
        blocks[i] = NULL;
    for (volatile char room[1 << 16], *at = room; at < room + sizeof room; at++)
        *at = 0;
    return 0;
}
