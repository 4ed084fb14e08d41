"""Points as dicts: each has a table of its own for the same three keys."""


def read(n):
    points = []
    for i in range(n):
        points.append({"x": i, "y": -i, "name": None})  # here: equal-dicts
    return points


def main():
    points = read(20000)
    print(sum(point["x"] for point in points))


main()
