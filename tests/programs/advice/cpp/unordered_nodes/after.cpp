#include <algorithm>
#include <cstdio>
#include <vector>

int main()
{
    std::vector<long> seen, buckets(20011);
    seen.reserve(20000);
    for (long i = 0; i < 20000; i++)
        seen.push_back(i * 7919);
    std::sort(seen.begin(), seen.end());
    std::printf("%zu\n", seen.size() + buckets[7]);
}
