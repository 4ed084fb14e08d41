// Edges of a graph in a set of pairs, which is built and kept.
#include <cstdio>
#include <set>
#include <utility>

int main()
{
    std::set<std::pair<int, int>> edges;
    for (int i = 0; i < 20000; i++)
        edges.insert({i, i * 7 % 20011}); // here: node-containers
    long found = 0;
    for (int i = 0; i < 20000; i++)
        found += edges.count({i, i});
    std::printf("%ld %zu\n", found, edges.size());
}
