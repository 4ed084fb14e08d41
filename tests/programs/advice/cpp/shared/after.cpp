#include <cstdio>
#include <memory>
#include <vector>

struct Shape {
    int kind, width, height;
    double colours[4];
    Shape(int kind, int width, int height) : kind(kind), width(width), height(height), colours{} {}
};

int main()
{
    std::vector<std::shared_ptr<Shape>> shapes;
    shapes.reserve(10000);
    for (int i = 0; i < 10000; i++)
        shapes.push_back(std::make_shared<Shape>(i, i, i));
    std::printf("%d\n", shapes[17]->width);
}
