// A table of numbers by number, each in a node of a tree.
#include <cstdio>
#include <map>

int main()
{
    long sum = 0;
    std::map<int, int> table;
    for (int i = 0; i < 20000; i++)
        table[i * 7 % 20011] = i; // here: node-containers
    for (const auto &entry : table)
        sum += entry.first ^ entry.second;
    std::printf("%ld\n", sum);
}
