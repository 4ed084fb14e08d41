// A vector that a function takes by value: each call copies it.
#include <cstdio>
#include <vector>

__attribute__((noinline)) static long total(std::vector<long> numbers)
{
    long sum = 0;
    for (long number : numbers)
        sum += number;
    numbers.clear();
    return sum;
}

int main()
{
    std::vector<long> numbers(100, 3);
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += total(numbers); // here: copied-containers
    std::printf("%ld\n", sum);
}
