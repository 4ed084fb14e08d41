"""A cache on a method, whose results another function makes."""
import functools


class Shape:
    @functools.lru_cache(maxsize=None)
    def outline(self, n):
        return points(n)


def points(n):
    first = n * 1000
    return [first] * 100  # here: unbounded-caches


def main():
    shape = Shape()
    for i in range(60000):
        shape.outline(i)  # also: unbounded-caches


main()
