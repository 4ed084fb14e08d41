class Point:
    __slots__ = ("x", "y", "name")

    def __init__(self, x, y, name):
        self.x = x
        self.y = y
        self.name = name


def read(n):
    points = []
    for i in range(n):
        points.append(Point(i, -i, None))
    return points


def main():
    points = read(20000)
    print(sum(point.x for point in points))


main()
