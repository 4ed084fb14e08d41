// Shared objects, made with their counts in one block each.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Shape {
    int kind, width, height;
    double colours[12];
};

int main()
{
    std::vector<std::shared_ptr<Shape>> shapes(10000);
    for (auto &shape : shapes)
        shape = std::make_shared<Shape>();
    std::string text;
    for (const auto &shape : shapes)
        text += shape->width == 0 ? 'a' : 'b';
    std::printf("%zu\n", text.size());
}
