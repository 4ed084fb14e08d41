// Numbers that are gathered part by part.
#include <cstdio>
#include <vector>

static long gather(int parts)
{
    const std::vector<long> part(100, 7);
    std::vector<long> all;
    for (int i = 0; i < parts; i++)
        all.insert(all.end(), part.begin(), part.end()); // here: vector-growth
    return all.back();
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 50; i++)
        sum += gather(180);
    std::printf("%ld\n", sum);
}
