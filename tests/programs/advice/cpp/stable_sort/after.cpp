#include <algorithm>
#include <cstdio>
#include <vector>

int main()
{
    std::vector<int> numbers(1000);
    long sum = 0;
    for (int turn = 0; turn < 300; turn++) {
        for (int i = 0; i < 1000; i++)
            numbers[i] = i * 7919 % 1009;
        std::sort(numbers.begin(), numbers.end());
        sum += numbers[turn % 1000];
    }
    std::printf("%ld\n", sum);
}
