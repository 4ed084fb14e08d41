// Numbers by their remainder: vectors that grow beside each other.
#include <cstdio>
#include <vector>

static const int kinds = 500, each = 300;

int main()
{
    std::vector<std::vector<long>> by_kind(kinds);
    for (long i = 0; i < kinds * each; i++)
        by_kind[i % kinds].push_back(i); // here: vector-growth
    std::printf("%ld\n", by_kind[1].back());
}
