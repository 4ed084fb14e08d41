// A vector of which more is asked than was reserved.
#include <cstdio>
#include <vector>

static long collect(int n)
{
    std::vector<long> all;
    all.reserve(1000); // also: small-reserves
    for (int i = 0; i < n; i++)
        all.push_back(i); // here: vector-growth
    return all.back();
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 50; i++)
        sum += collect(5050);
    std::printf("%ld\n", sum);
}
