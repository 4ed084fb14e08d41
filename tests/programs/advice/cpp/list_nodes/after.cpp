#include <cstdio>
#include <vector>

int main()
{
    std::vector<long> all;
    all.reserve(20000);
    for (long i = 0; i < 20000; i++)
        all.push_back(i);
    long sum = 0;
    for (long x : all)
        sum += x;
    std::printf("%ld\n", sum);
}
