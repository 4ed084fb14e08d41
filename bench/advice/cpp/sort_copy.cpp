// The median by sorting a copy.
#include <algorithm>
#include <cstdio>
#include <vector>

static int median(const std::vector<int> &values)
{
    std::vector<int> sorted(values); // here: temporary-containers here: copied-containers
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    return sorted[sorted.size() / 2];
}

int main()
{
    std::vector<int> values(300);
    for (int i = 0; i < 300; i++)
        values[i] = i * 7919 % 1009;
    long all = 0;
    for (int i = 0; i < 1000; i++)
        all += median(values);
    std::printf("%ld\n", all);
}
