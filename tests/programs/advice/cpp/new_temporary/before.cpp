// Objects on the heap that don't outlive the function.
#include <cstdio>
#include <memory>

struct Matrix {
    double cells[16];
};

__attribute__((noinline)) static void fill(Matrix &matrix, int i)
{
    for (int k = 0; k < 16; k++)
        matrix.cells[k] = i * k;
}

int main()
{
    double sum = 0;
    for (int i = 0; i < 20000; i++) {
        auto matrix = std::make_unique<Matrix>(); // here: temporary-objects
        fill(*matrix, i);
        sum += matrix->cells[3];
    }
    std::printf("%f\n", sum);
}
