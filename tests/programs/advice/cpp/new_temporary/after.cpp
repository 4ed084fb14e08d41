#include <cstdio>

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
        Matrix matrix;
        fill(matrix, i);
        sum += matrix.cells[3];
    }
    std::printf("%f\n", sum);
}
