// A std::function whose captures don't fit into it, made for each call.
#include <cstdio>
#include <functional>

__attribute__((noinline)) static long apply(const std::function<long(long)> &function, long i)
{
    return function(i);
}

int main()
{
    long sum = 0;
    for (long i = 0; i < 20000; i++) {
        long a = i, b = i + 1, c = i + 2, d = i + 3;
        sum += apply([a, b, c, d](long k) { return k * a + b - c + d; }, i); // here: function-objects
    }
    std::printf("%ld\n", sum);
}
