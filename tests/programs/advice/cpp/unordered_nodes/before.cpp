// A set of numbers, each in a node of a hash table.
#include <cstdio>
#include <unordered_set>

int main()
{
    std::unordered_set<long> seen;
    seen.reserve(20000);
    for (long i = 0; i < 20000; i++)
        seen.insert(i * 7919); // here: node-containers
    std::printf("%zu\n", seen.size());
}
