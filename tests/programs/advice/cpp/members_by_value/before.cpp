// The same by a class with a copy constructor of its own.
#include <cstdio>
#include <vector>

class Samples {
public:
    Samples() : values(500, 1)
    {
    }
    Samples(const Samples &other)
        : values(other.values)
    {
        copies++;
    }
    std::vector<long> values;
    static long copies;
};
long Samples::copies;

__attribute__((noinline)) static long last(Samples samples)
{
    return samples.values.back() + (long)samples.values.size();
}

int main()
{
    Samples samples;
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += last(samples); // here: copied-containers
    std::printf("%ld\n", sum);
}
