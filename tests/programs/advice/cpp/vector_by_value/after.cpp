#include <cstdio>
#include <vector>

__attribute__((noinline)) static long total(const std::vector<long> &numbers)
{
    long sum = 0;
    for (long number : numbers)
        sum += number;
    return sum;
}

int main()
{
    std::vector<long> numbers(100, 3);
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += total(numbers);
    std::printf("%ld\n", sum);
}
