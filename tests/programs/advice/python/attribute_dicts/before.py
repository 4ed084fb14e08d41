"""Objects with a dict each for their attributes."""


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self.name = None


points = []
for i in range(20000):
    points.append(Point(i, -i))  # here: attribute-dicts
print(sum(point.x for point in points))
