// A vector of structures that a function takes by value: its block is made on the line of the call, those of the members by a constructor that
// the compiler makes, and that the library calls.
#include <cstdio>
#include <string>
#include <vector>

struct Order {
    std::string id, customer;
    std::vector<int> tags;
};

__attribute__((noinline)) static size_t handle(std::vector<Order> book)
{
    size_t tags = 0;
    for (const auto &order : book)
        tags += order.tags.size();
    return tags;
}

int main()
{
    const std::vector<Order> book(200, Order{"order", "a customer whose name is long", {1, 2, 3}});
    size_t sum = 0;
    for (int i = 0; i < 300; i++)
        sum += handle(book); // here: copied-containers
    std::printf("%zu\n", sum);
}
