// Lengths of outlines.
#include <cmath>
#include <cstdio>
#include <vector>

struct Point
{
    double x, y;
};

class Polygon
{
  public:
    explicit Polygon(int corners)
    {
        for (int i = 0; i < corners; i++)
            points_.push_back({std::cos(i), std::sin(i)});
    }
    std::vector<Point> points() const { return points_; } // here: copied-containers

  private:
    std::vector<Point> points_;
};

static double length(const Polygon &polygon)
{
    double sum = 0;
    for (size_t i = 1; i < polygon.points().size(); i++)
        sum += std::hypot(polygon.points()[i].x - polygon.points()[i - 1].x, polygon.points()[i].y);
    return sum;
}

int main()
{
    Polygon polygon(60);
    double sum = 0;
    for (int i = 0; i < 30; i++)
        sum += length(polygon);
    printf("%f\n", sum);
}
