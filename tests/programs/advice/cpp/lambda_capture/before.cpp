// A function object that holds a copy of what it uses, made in each turn.
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
        const auto look = [numbers](int k) { return numbers[k % 100]; }; // here: copied-containers
        sum += apply(look, i);
    }
    std::printf("%ld\n", sum);
}
