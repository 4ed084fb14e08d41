// Numbers collected in a vector whose size is known beforehand.
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
    for (int i = 0; i < 50; i++)
        sum += collect(16000);
    std::printf("%ld\n", sum);
}
