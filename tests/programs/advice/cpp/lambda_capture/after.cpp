#include <cstdio>
#include <vector>

template <class Function> __attribute__((noinline)) static long apply(const Function &function, int i)
{
    return function(i);
}

int main()
{
    const std::vector<long> numbers(100, 3);
    long sum = 0;
    for (int i = 0; i < 5000; i++) {
        const auto look = [&numbers](int k) { return numbers[k % 100]; };
        sum += apply(look, i);
    }
    std::printf("%ld\n", sum);
}
