#include <cstdio>

template <class Function> __attribute__((noinline)) static long apply(const Function &function, long i)
{
    return function(i);
}

int main()
{
    long sum = 0;
    for (long i = 0; i < 20000; i++) {
        long a = i, b = i + 1, c = i + 2, d = i + 3;
        sum += apply([a, b, c, d](long k) { return k * a + b - c + d; }, i);
    }
    std::printf("%ld\n", sum);
}
