// Orders that a table holds, and some that nothing holds.
#include <cstdlib>
#include <map>
#include <vector>

namespace shop {

struct Order {
    virtual ~Order() = default;
    char text[200];
};

std::map<int, std::vector<Order *>> book;

}

using shop::book;
using shop::Order;

static void __attribute__((noinline)) handle(int i)
{
    book[i % 300].push_back(new Order);
}

static void __attribute__((noinline)) lose(int i)
{
    volatile char *lost = static_cast<char *>(malloc(900 + i % 2));
    lost[0] = 1;
}

int main()
{
    for (int i = 0; i < 20000; i++)
        handle(i);
    for (int i = 0; i < 700; i++)
        lose(i);
    return 0;
}
