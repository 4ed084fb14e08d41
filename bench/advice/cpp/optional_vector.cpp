// The digits of a number, returned in a vector.
#include <cstdio>
#include <vector>

static std::vector<int> digits(int n)
{
    std::vector<int> all;
    do
        all.push_back(n % 10); // here: vector-growth
    while (n /= 10);
    return all;
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 10000; i++)
        for (int digit : digits(i * 37))
            sum += digit;
    std::printf("%ld\n", sum);
}
