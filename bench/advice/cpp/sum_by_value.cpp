// A vector passed by value to a function that only reads it.
#include <cstdio>
#include <numeric>
#include <vector>

__attribute__((noinline)) static long total(std::vector<int> numbers)
{
    return std::accumulate(numbers.begin(), numbers.end(), 0L);
}

int main()
{
    std::vector<int> numbers(200, 3);
    long all = 0;
    for (int i = 0; i < 2000; i++) {
        numbers[i % 200] = i;
        all += total(numbers); // here: copied-containers
    }
    std::printf("%ld\n", all);
}
