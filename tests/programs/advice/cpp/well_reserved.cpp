// The same vector with its size, kept through all turns.
#include <cstdio>
#include <vector>

int main()
{
    long sum = 0;
    std::vector<long> all;
    all.reserve(10000);
    for (int turn = 0; turn < 50; turn++) {
        all.clear();
        for (int i = 0; i < 10000; i++)
            all.push_back(i);
        sum += all.back();
    }
    std::printf("%ld\n", sum);
}
