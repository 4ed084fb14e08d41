#include <cstdio>
#include <vector>

__attribute__((noinline)) static int distinct(int seed)
{
    static std::vector<int> seen;
    seen.assign(256, 0);
    int count = 0;
    for (int i = 0; i < 64; i++)
        count += seen[(seed * 7 + i * i) & 255]++ == 0;
    return count;
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += distinct(i);
    std::printf("%ld\n", sum);
}
