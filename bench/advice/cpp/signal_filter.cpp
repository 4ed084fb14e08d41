// A filter over samples, by vectors that are added and scaled.
#include <cstdio>
#include <vector>

class Signal
{
  public:
    explicit Signal(size_t size) : samples_(size) {} // also: temporary-containers
    double &operator[](size_t i) { return samples_[i]; }
    double operator[](size_t i) const { return samples_[i]; }
    size_t size() const { return samples_.size(); }

  private:
    std::vector<double> samples_;
};

static Signal operator+(const Signal &a, const Signal &b)
{
    Signal sum(a.size()); // also: temporary-containers
    for (size_t i = 0; i < a.size(); i++)
        sum[i] = a[i] + b[i];
    return sum;
}

static Signal operator*(double factor, const Signal &a)
{
    Signal product(a.size()); // here: temporary-containers
    for (size_t i = 0; i < a.size(); i++)
        product[i] = factor * a[i];
    return product;
}

int main()
{
    Signal noise(500), smooth(500);
    for (size_t i = 0; i < noise.size(); i++)
        noise[i] = (double)(i % 17);
    for (int step = 0; step < 300; step++)
        smooth = 0.9 * smooth + 0.1 * noise; // also: temporary-containers
    printf("%f\n", smooth[250]);
}
