/* Many blocks, for samples of them: half of those that lose drops are lost.
 *
 *     holders_sampled     prints the bytes that are lost */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <thread>
#include <vector>

#define PLANTED __attribute__((noinline))

struct Item {
    virtual ~Item() {}
    long numbers[20];
};

namespace shop {
std::map<int, std::vector<Item *>> book;
}
static std::list<std::string> *words;
static void **volatile table;
static volatile int ready;

PLANTED void fill_book()
{
    for (int i = 0; i < 20000; i++)
        for (int k = 0; k < 3; k++)
            shop::book[i].push_back(new Item);
}

PLANTED void fill_words()
{
    words = new std::list<std::string>;
    for (int i = 0; i < 40000; i++)
        words->push_back(std::string(100, 'x'));
}

PLANTED size_t lose_half()
{
    size_t lost = 0;
    table = (void **)calloc(100000, sizeof *table);
    for (int i = 0; i < 100000; i++) {
        void *block = malloc(200);
        memset(block, 0, 200);
        if (i % 2)
            table[i] = block;
        else
            lost += 200;
    }
    return lost;
}

/* Of another arena. */
PLANTED void fill_by_thread()
{
    static void **volatile others = (void **)calloc(50000, sizeof *others);
    for (int i = 0; i < 50000; i++)
        others[i] = calloc(1, 150);
}

PLANTED void clear_stack()
{
    volatile char bytes[1 << 16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0;
}

/* Holes, as programs have them. */
PLANTED void make_holes()
{
    std::vector<void *> blocks;
    for (int i = 0; i < 30000; i++)
        blocks.push_back(calloc(1, 64 + i % 500));
    for (int i = 0; i < 30000; i++)
        if (i % 3)
            free(blocks[i]);
    static std::vector<void *> left;
    for (int i = 0; i < 30000; i += 3)
        left.push_back(blocks[i]);
}

int main()
{
    make_holes();
    fill_book();
    fill_words();
    size_t lost = lose_half();
    std::thread(fill_by_thread).join();
    clear_stack();
    printf("%zu\n", lost);
}
