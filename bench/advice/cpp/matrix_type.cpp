// A matrix with a constructor that allocates, made for each product.
#include <cstdio>
#include <vector>

class Matrix {
  public:
    explicit Matrix(int size) : size_(size), cells_(size * size) {}
    double &at(int i, int j) { return cells_[i * size_ + j]; }
    double at(int i, int j) const { return cells_[i * size_ + j]; }
    int size() const { return size_; }

  private:
    int size_;
    std::vector<double> cells_;
};

__attribute__((noinline)) static double trace_of_square(const Matrix &a)
{
    Matrix square(a.size()); // here: temporary-containers
    double trace = 0;
    for (int i = 0; i < a.size(); i++) {
        for (int j = 0; j < a.size(); j++)
            for (int k = 0; k < a.size(); k++)
                square.at(i, j) += a.at(i, k) * a.at(k, j);
        trace += square.at(i, i);
    }
    return trace;
}

int main()
{
    Matrix a(8);
    for (int i = 0; i < 8; i++)
        a.at(i, i) = i;
    double all = 0;
    for (int i = 0; i < 2000; i++)
        all += trace_of_square(a);
    std::printf("%f\n", all);
}
