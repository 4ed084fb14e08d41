// Objects with shared owners, whose counts are blocks of their own.
#include <cstdio>
#include <memory>
#include <vector>

struct Shape {
    int kind, width, height;
    double colours[4];
};

int main()
{
    std::vector<std::shared_ptr<Shape>> shapes;
    shapes.reserve(10000);
    for (int i = 0; i < 10000; i++)
        shapes.push_back(std::shared_ptr<Shape>(new Shape{i, i, i, {}})); // here: shared-without-make
    std::printf("%d\n", shapes[17]->width);
}
