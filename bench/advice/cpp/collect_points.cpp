// Points collected in a vector whose size is known beforehand.
#include <cstdio>
#include <vector>

struct Point {
    double x, y;
};

static std::vector<Point> grid(int width, int height)
{
    std::vector<Point> points;
    for (int i = 0; i < width; i++)
        for (int j = 0; j < height; j++)
            points.push_back({double(i), double(j)}); // here: vector-growth
    return points;
}

int main()
{
    size_t all = 0;
    for (int i = 0; i < 20; i++)
        all += grid(60, 60).size();
    std::printf("%zu\n", all);
}
