// A hash table that is filled by emplace.
#include <cstdio>
#include <unordered_map>

struct Entry {
    int first, second;
};

int main()
{
    std::unordered_map<int, Entry> table;
    table.reserve(30000);
    for (int i = 0; i < 30000; i++)
        table.emplace(i * 31, Entry{i, i + 1}); // here: node-containers
    long sum = 0;
    for (int i = 0; i < 30000; i++)
        sum += table.at(i * 31).second;
    std::printf("%ld\n", sum);
}
