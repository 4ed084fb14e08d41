// The same, with the size that is known.
#include <cstdio>
#include <vector>

static long collect(int n)
{
    std::vector<long> all;
    all.reserve(n);
    for (int i = 0; i < n; i++)
        all.push_back(i);
    return all.back();
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 12000; i++)
        sum += collect(32 << i % 3);
    std::printf("%ld\n", sum);
}
