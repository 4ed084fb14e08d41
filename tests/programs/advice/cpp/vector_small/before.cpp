// Small vectors that grow: of most of their blocks a sampled recording sees no neighbour.
#include <cstdio>
#include <vector>

static long collect(int n)
{
    std::vector<long> all;
    for (int i = 0; i < n; i++)
        all.push_back(i); // here: vector-growth
    return all.back();
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 12000; i++)
        sum += collect(25 << i % 3);
    std::printf("%ld\n", sum);
}
