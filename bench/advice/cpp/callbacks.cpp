// Work handed over as std::function, with more captured than fits.
#include <cstdio>
#include <functional>

__attribute__((noinline)) static long run(const std::function<long(int)> &work, int n)
{
    return work(n);
}

int main()
{
    long all = 0;
    for (int i = 0; i < 20000; i++) {
        long a = i, b = i * 2, c = i * 3;
        all += run([a, b, c](int n) { return a + b * n + c; }, i); // here: function-objects
    }
    std::printf("%ld\n", all);
}
