"""A cache on a method, without a bound: it keeps each object and each result."""
from functools import lru_cache


class Shape:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n

    @lru_cache(maxsize=None)
    def name(self):
        return f"shape {self.n} " * 200  # here: unbounded-caches


total = 0
for i in range(40000):
    total += len(Shape(i).name())  # also: unbounded-caches
print(total)
