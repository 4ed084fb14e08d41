// Objects whose constructor allocates, made in each turn by a caller who could keep one.
#include <cstdio>
#include <vector>

class Histogram {
public:
    Histogram() : counts_(128) {}
    void add(int i) { counts_[i & 127]++; }
    int most() const
    {
        int most = 0;
        for (int count : counts_)
            most = count > most ? count : most;
        return most;
    }

private:
    std::vector<int> counts_;
};

__attribute__((noinline)) static int mode(int seed)
{
    Histogram histogram; // here: temporary-containers
    for (int i = 0; i < 100; i++)
        histogram.add(seed * i);
    return histogram.most();
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += mode(i);
    std::printf("%ld\n", sum);
}
