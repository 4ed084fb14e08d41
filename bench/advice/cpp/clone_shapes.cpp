// Shapes copied by clone() to be moved.
#include <cstdio>
#include <memory>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual std::unique_ptr<Shape> clone() const = 0;
    virtual void move(double by) = 0;
    virtual double right() const = 0;
};

struct Box : Shape {
    double x = 0, y = 0, width = 4, height = 3;
    std::unique_ptr<Shape> clone() const override { return std::make_unique<Box>(*this); }
    void move(double by) override { x += by; }
    double right() const override { return x + width; }
};

static double right_when_moved(const Shape &shape, double by)
{
    auto moved = shape.clone(); // here: temporary-objects
    moved->move(by);
    return moved->right();
}

int main()
{
    Box box;
    double all = 0;
    for (int i = 0; i < 20000; i++)
        all += right_when_moved(box, i);
    std::printf("%f\n", all);
}
