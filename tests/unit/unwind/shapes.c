/* Functions with frames of every shape, compiled several times with different options; SHAPES_NAME
 * is the name of the table that each copy exports.  Each calls visit() from its innermost frame. */
#include "shapes.h"

#include <alloca.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile uint64_t sink;

#define SHAPE static __attribute__((noinline))

SHAPE void plain(uint64_t n)
{
    visit();
    sink = n;
}

SHAPE void saves_registers(uint64_t n)
{
    uint64_t a = sink + n, b = a * 3, c = b ^ n, d = c + a, e = d * b, f = e - c;
    plain(n);
    visit();
    sink = a + b + c + d + e + f;
    plain(sink);
    sink = a ^ b ^ c ^ d ^ e ^ f;
}

SHAPE void large_frame(uint64_t n)
{
    volatile char room[100000];
    room[n % sizeof room] = 1;
    visit();
    sink = (uint64_t)room[0];
}

SHAPE void takes_alloca(uint64_t n)
{
    volatile char *room = alloca(n % 500 + 1);
    room[0] = 1;
    visit();
    saves_registers(n);
    sink = (uint64_t)room[0];
}

SHAPE void takes_array(uint64_t n)
{
    volatile uint64_t room[n % 70 + 1];
    room[n % 70] = n;
    takes_alloca(n);
    sink = room[n % 70];
}

/* Wants an alignment that the stack doesn't have: the function realigns it. */
SHAPE void realigns(uint64_t n)
{
    volatile uint64_t room[8] __attribute__((aligned(64)));
    room[n & 7] = n;
    visit();
    takes_array(n);
    sink = room[n & 7];
}

SHAPE void realigns_with_alloca(uint64_t n)
{
    volatile uint64_t room[4] __attribute__((aligned(32)));
    volatile char *more = alloca(n % 300 + 16);
    room[n & 3] = n;
    more[3] = 1;
    visit();
    realigns(n);
    sink = room[n & 3] + (uint64_t)more[3];
}

SHAPE void many_arguments(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                          uint64_t g, uint64_t h, uint64_t i, uint64_t j)
{
    visit();
    sink = a + b + c + d + e + f + g + h + i + j;
}

SHAPE void variadic(uint64_t n, ...)
{
    va_list arguments;
    va_start(arguments, n);
    sink = va_arg(arguments, uint64_t);
    va_end(arguments);
    many_arguments(n, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

SHAPE uint64_t large_switch(uint64_t n)
{
    switch (n % 11) {
    case 0:
        visit();
        return 1;
    case 1:
        plain(n);
        return 5;
    case 2:
        variadic(n, n + 1);
        return 7;
    case 3:
        takes_array(n);
        return 9;
    case 4:
        if (n & 1)
            return 3;
        realigns(n);
        return sink;
    case 5:
        return 8;
    case 6:
        saves_registers(n);
        return 1;
    case 7:
        large_frame(n);
        return 2;
    default:
        many_arguments(n, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        return sink;
    }
}

SHAPE uint64_t recursive(uint64_t n)
{
    if (n == 0) {
        visit();
        return 1;
    }
    if (n % 3 == 0)
        return recursive(n - 1) + 2;
    return recursive(n - 1) * 2 + recursive(0);
}

static int compare_words(const void *a, const void *b)
{
    visit();
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

SHAPE void sorts(uint64_t n)
{
    uint64_t words[9];
    for (unsigned i = 0; i < 9; i++)
        words[i] = (i * 7 + n) % 11;
    qsort(words, 9, sizeof words[0], compare_words);
    sink = words[0];
}

/* Through a lazily bound call, the string functions' resolvers, and the vdso. */
SHAPE void calls_libraries(uint64_t n)
{
    struct timespec time;
    char text[32];
    clock_gettime(CLOCK_MONOTONIC, &time);
    memset(text, (int)n, sizeof text);
    sink = (uint64_t)time.tv_nsec + strlen("abc") + (uint64_t)strtol("12", NULL, 10) +
           (uint64_t)text[n & 7];
}

static void all(uint64_t n)
{
    saves_registers(n);
    large_frame(n);
    realigns_with_alloca(n);
    variadic(n, n);
    for (uint64_t i = 0; i < 11; i++)
        sink += large_switch(n + i);
    sink += recursive(n % 6);
    sorts(n);
    calls_libraries(n);
}

const struct shapes SHAPES_NAME = {all, recursive, sorts};
